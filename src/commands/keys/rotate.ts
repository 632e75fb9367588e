import { type ApiKey, listKeys, type NewApiKey } from '../../api/keys.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { storeCredential } from '../../cli/store-credential.ts';
import { describeKey } from '../../core/key-changes.ts';
import { replaceKey } from '../../core/rotation.ts';
import { CliError, usageError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import type { rotate } from './index.ts';
import {
  createKeyForUser,
  formatNewKey,
  type KeyCreation,
  noteNewKey,
  prepareCreation,
} from './new-key.ts';
import { matchKey } from './reference.ts';
import { keyObject } from './rows.ts';
import { afterRevocation, currentKey, storedKey } from './stored-key.ts';

type RotateOptions = OptionsOf<typeof rotate>;

interface Rotation extends KeyCreation {
  readonly old: ApiKey;
  readonly fresh: NewApiKey;
}

/**
 * Replaces a key. After any failure the new key is revoked and the old one stays; the error lists
 * the keys that exist. @param reference undefined with `--current`.
 */
export async function rotateKeyCommand(
  context: Context,
  reference: string | undefined,
  options: RotateOptions,
): Promise<void> {
  const { yes, keepOld, save, current = false, format } = options;
  if (current === (reference !== undefined)) {
    throw usageError('give either the key to replace or --current', 'doi-cli keys list');
  }
  const confirmed = confirmation(context, {
    // With --keep-old nothing is revoked.
    yes: yes || keepOld,
    reason: 'rotating a key revokes the old one',
    declined: 'nothing was rotated',
  });
  const creation = await prepareCreation(context, options);
  const { service, account } = creation;
  const keys = await listKeys(service.http, true);
  const stored = save ? await storedKey(context, account, keys) : undefined;
  const old =
    reference === undefined
      ? await currentKey(context, account, keys, stored)
      : matchKey(context, keys, reference, 'rotate');
  const name = newName(context, old, options.name);
  if (stored !== undefined && stored.id !== old.id) {
    context.messages.warn(
      `--save replaces another key, which stays active: ${describeKey(stored)}`,
    );
  }
  await confirmed(
    `  ${describeKey(old, context.host.now())}\nReplace this key, and then revoke it for good?`,
  );
  const fresh = await createKeyForUser(context, service, name, keys);
  // Print the id at once, so that the user can revoke the key even if this process dies.
  context.messages.always(`Created ${describeKey(fresh)}`);
  const replaced = await replaceFor(context, { ...creation, old, fresh }, options);
  if (format === 'json') {
    await context.out.write(`${JSON.stringify(keyObject(replaced))}}\n`);
  }
  const { terminal, now } = context.host;
  context.messages.note(
    keepOld
      ? 'the old key stays active; once the new one is in use:' +
          ` ${context.suggest('keys', 'revoke', old.id, '--yes')}`
      : `Revoked ${describeKey(old, terminal.stderr ? now() : undefined)}`,
  );
  noteNewKey(context, creation);
  const isErased = !keepOld && (await afterRevocation(context, account, [old], save));
  if (isErased)
    context.messages.note(
      `to store the new key: ${context.suggest('auth', 'login', '--api-key-stdin')}`,
    );
}

/** The name of the new key. A revoked old key, or a name that cannot be used again, is an error. */
function newName(context: Context, old: ApiKey, wantedName: string | undefined): string {
  if (old.attributes.revokedAt) {
    const message = `already revoked, so there is nothing to replace: ${describeKey(old)}`;
    const hint = context.suggest('keys', 'create', '--name', old.attributes.name);
    throw new CliError('rejected', message, { hint });
  }
  const name = wantedName ?? old.attributes.name;
  if (visible(name) === name) return name;
  throw usageError(
    `the name of the key contains invisible characters: ${describeKey(old)}`,
    context.again(['--name', 'ci']),
  );
}

/**
 * Delivers, verifies and stores the new key, then revokes the old one. @returns the old key
 * afterwards.
 */
async function replaceFor(
  context: Context,
  rotation: Rotation,
  options: RotateOptions,
): Promise<ApiKey> {
  const { service, account, store, old, fresh } = rotation;
  const secret = fresh.attributes.key;
  // The line ends with the old key's new state. A failed rotation leaves invalid JSON, so that no
  // script uses its key.
  const delivery =
    options.format === 'json'
      ? `${JSON.stringify({ outcome: 'rotated', ...fresh }).slice(0, -1)},"replaced":`
      : formatNewKey(fresh, options);
  let stage = '';
  const notify = () =>
    context.messages.always(
      `stopping while ${stage}; if you interrupt again, both keys may stay active:` +
        ` ${describeKey(old)} and ${describeKey(fresh)}`,
    );
  return context.uninterrupted(notify, () =>
    replaceKey({
      ...{
        http: service.http,
        account,
        old,
        fresh,
        keepOld: options.keepOld,
        signal: context.host.signal,
      },
      deliver: () => context.out.write(delivery),
      connect: () => context.services.connect({ kind: 'api-key', key: secret, source: 'this-run' }),
      save: async () =>
        store && storeCredential(context, { kind: 'api-key', account, secret, store }),
      onStage: (name) => {
        stage = name;
      },
      suggest: context.suggest,
    }),
  );
}
