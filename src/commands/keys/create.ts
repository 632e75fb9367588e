import { listKeys, type NewApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { repositoryOf } from '../../cli/service.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
import { checkPlace, keep, requireProfileAccount, storedKey, warnOfEnvironment } from '../auth/store.ts';
import { createKeySafely, renderedKey } from './new-key.ts';
import { describe } from './revoke.ts';

export interface CreateOptions {
  readonly name: string;
  readonly keyOnly?: boolean;
  readonly save?: boolean;
  readonly format?: 'text' | 'json';
}

/**
 * Creates a key and prints it on stdout, the only time that it is shown; with `save` it is also kept for the profile.
 * @throws {CliError} kind `output` when stdout cannot take it: the error names the key that is lost. With `save` kind
 *   `credentials`, before anything is created, when it could not be kept.
 */
export async function createKeyCommand(context: Context, options: CreateOptions): Promise<void> {
  if (options.keyOnly && options.format === 'json') {
    throw usageError('--key-only and --format json exclude each other', 'leave one of them out');
  }
  if (options.save) await requireProfileAccount(context);
  else mustNotBeLost(context);
  const service = await context.service('keys');
  const account = repositoryOf(service);
  const place = options.save ? await checkPlace(context, account) : undefined;
  // A POST with a wrong password is answered 404 (observed); this GET reports it as what it is.
  const before = await listKeys(service.http, false);
  const twin = before.find((key) => key.attributes.name === options.name);
  if (twin !== undefined) {
    context.messages.warn(`an active key named '${options.name}' exists already (id ${twin.id})`);
  }
  const stored = place === undefined ? undefined : await storedKey(context, account, before);
  const key = await createKeySafely(context, service, options.name, before);
  context.redactor.addSecret(key.attributes.key);
  const unprinted = await failureOf(context.out.write(renderedKey(key, options)));
  const secret = key.attributes.key;
  const unkept =
    place === undefined
      ? undefined
      : await failureOf(keep(context, { kind: 'api-key', account, secret, place }));
  if (unprinted !== undefined && (place === undefined || unkept !== undefined)) {
    throw lost(context, key, unprinted);
  }
  if (unprinted !== undefined) {
    throw new CliError(
      'output',
      `the key with id ${key.id} is stored, but could not be written: ${unprinted.message}`,
    );
  }
  if (unkept !== undefined) {
    throw new CliError(
      unkept.kind,
      `the key with id ${key.id} is printed, but not stored: ${unkept.message}`,
      {
        hint: context.suggest('auth', 'login', '--api-key-stdin'),
        cause: unkept,
      },
    );
  }
  if (place === undefined) {
    context.messages.warn('this is the only time that the key is shown: store it now');
    return;
  }
  context.messages.note(`the key is stored for ${account} as well, and not shown again`);
  if (stored !== undefined) {
    context.messages.warn(
      `it replaces the stored key ${describe(stored)}, which stays active: ${context.suggest('keys', 'revoke', stored.id)}`,
    );
  }
  warnOfEnvironment(context, { kind: 'api-key', account });
}

/** @throws {CliError} kind `usage` where what is written to stdout goes nowhere. */
export function mustNotBeLost(context: Context): void {
  if (!context.host.stdoutIsNowhere()) return;
  throw usageError(
    'stdout is closed or /dev/null: the key would be lost',
    'send it to a terminal, a pipe or a file',
  );
}

async function failureOf(done: Promise<unknown>): Promise<CliError | undefined> {
  return done.then(
    () => undefined,
    (error: unknown) => toCliError(error),
  );
}

function lost(context: Context, { id }: NewApiKey, error: CliError): CliError {
  return new CliError(
    'output',
    `the key with id ${id} was created, but it could not be written and is lost (${error.message})`,
    { hint: context.suggest('keys', 'revoke', id, '--yes'), cause: error },
  );
}
