import { listKeys, type NewApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { storeCredential } from '../../cli/store-credential.ts';
import { describeKey, MAX_ROLLBACK_MS, revokeKeySafely } from '../../core/key-changes.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
import type { create } from './index.ts';
import {
  createKeyForUser,
  formatNewKey,
  type KeyCreation,
  noteNewKey,
  prepareCreation,
} from './new-key.ts';
import { keyObject } from './rows.ts';
import { storedKey } from './stored-key.ts';

type CreateOptions = OptionsOf<typeof create>;

/** Creates a key and prints it, the only time it is shown; with `save` it is stored instead. */
export async function createKeyCommand(context: Context, options: CreateOptions): Promise<void> {
  // A script that pipes the key into a secret store would overwrite the secret in use with nothing.
  if (options.ifAbsent && options.keyOnly) {
    throw usageError('--if-absent and --key-only exclude each other', 'use --format json');
  }
  const creation = await prepareCreation(context, options);
  const { service, account, store } = creation;
  // A POST with a wrong password is answered 404 (service.md, K14); this GET reports the wrong
  // password.
  const before = await listKeys(service.http, false);
  const sameName = before.find(
    ({ attributes }) => attributes.name === options.name && !attributes.revokedAt,
  );
  if (sameName !== undefined && options.ifAbsent) {
    await context.printChange(options.format, { outcome: 'exists', ...keyObject(sameName) });
    context.messages.note(
      `nothing was created: an active key with this name exists, ${describeKey(sameName)}`,
    );
    return;
  }
  if (sameName !== undefined) {
    context.messages.warn(
      `an active key named '${options.name}' exists already (id ${sameName.id})`,
    );
  }
  const replaced = store && (await storedKey(context, account, before));
  await deliver(
    context,
    await createKeyForUser(context, service, options.name, before),
    creation,
    options,
  );
  noteNewKey(context, creation);
  if (replaced !== undefined) {
    context.messages.warn(
      `it replaces the stored key ${describeKey(replaced)}, which stays active;` +
        ` to revoke that: ${context.suggest('keys', 'revoke', replaced.id)}`,
    );
  }
}

/**
 * Stores and prints the key, each even if the other fails. A key that is not stored is always
 * printed.
 */
async function deliver(
  context: Context,
  key: NewApiKey,
  { service, account, store }: KeyCreation,
  options: CreateOptions,
): Promise<void> {
  const { id, attributes } = key;
  const credential = store && { kind: 'api-key' as const, account, secret: attributes.key, store };
  const unstored = credential && (await failureOf(storeCredential(context, credential)));
  const save = credential !== undefined && unstored === undefined;
  const created = { outcome: 'created', ...key };
  const text = formatNewKey(key, { ...options, save });
  const unprinted = await failureOf(context.printChange(options.format, created, text));
  if (unprinted !== undefined && save) {
    const message = `the key with id ${id} is stored, but could not be written`;
    throw new CliError('output', `${message}: ${unprinted.message}`);
  }
  if (unprinted !== undefined) {
    const { message } = unprinted;
    const lost = `the key with id ${id} was created, but could not be written (${message})`;
    // The run may be stopped already, and stderr may be closed too.
    const http = service.http.stoppedBy(AbortSignal.timeout(MAX_ROLLBACK_MS));
    const failure = await failureOf(revokeKeySafely(http, key));
    if (failure === undefined)
      throw new CliError('output', `${lost}, and is revoked again`, { cause: unprinted });
    const hint = context.suggest('keys', 'revoke', id, '--yes');
    throw new CliError('output', `${lost}; it is lost, and may be active: ${failure.message}`, {
      hint,
    });
  }
  if (unstored !== undefined) {
    const message = `the key with id ${id} is printed, but not stored: ${unstored.message}`;
    throw unstored.with({ message, hint: context.suggest('auth', 'login', '--api-key-stdin') });
  }
}

function failureOf(done: Promise<unknown>): Promise<CliError | undefined> {
  return done.then(() => undefined, toCliError);
}
