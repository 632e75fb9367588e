import { BadBody, type Http } from '../../api/http.ts';
import { createKey, listKeys, type NewApiKey } from '../../api/keys.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context, Service } from '../../context.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';

export interface CreateOptions {
  readonly name: string;
  readonly keyOnly?: boolean;
  readonly format?: 'text' | 'json';
}

/**
 * Creates a key and prints it on stdout: the only time and the only place that it is shown.
 * @throws {CliError} kind `output` when stdout cannot take it: the error names the key that is lost.
 */
export async function createKeyCommand(context: Context, options: CreateOptions): Promise<void> {
  if (options.keyOnly && options.format === 'json') {
    throw usageError('--key-only and --format json exclude each other', 'leave one of them out');
  }
  if (context.host.stdoutIsNowhere()) {
    throw usageError(
      'stdout is closed or /dev/null: the key would be lost',
      'send it to a terminal, a pipe or a file',
    );
  }
  const service = await context.service('keys');
  // A POST with a wrong password is answered 404 (observed); this GET reports it as what it is.
  const before = await listKeys(service.http, false);
  const twin = before.find((key) => key.attributes.name === options.name);
  if (twin !== undefined) {
    context.messages.warn(`an active key named '${options.name}' exists already (id ${twin.id})`);
  }
  const key = await create(context, service, options.name, before);
  context.redactor.addSecret(key.attributes.key);
  try {
    await context.out.write(rendered(key, options));
  } catch (error) {
    throw new CliError(
      'output',
      `the key with id ${key.id} was created, but it could not be written and is lost (${(error as Error).message})`,
      { hint: context.suggest('keys', 'revoke', key.id, '--yes'), cause: error },
    );
  }
  context.messages.warn('this is the only time that the key is shown: store it now');
}

async function create(
  context: Context,
  { http }: Service,
  name: string,
  before: readonly ApiKey[],
): Promise<NewApiKey> {
  const { signal } = context.host;
  const patience = () =>
    context.messages.progress(
      `a key named '${name}' may be created at this moment: waiting for the answer, so that it is not lost.` +
        ` If you interrupt again, look for it: ${context.suggest('keys', 'list')}`,
    );
  signal.addEventListener('abort', patience, { once: true });
  try {
    return await createKey(http, name);
  } catch (error) {
    if (error instanceof CliError && error.kind === 'not-found') {
      // The credentials have just been accepted, so this is the service's way to refuse (observed).
      throw new CliError(
        'credentials',
        `the service does not let this account create keys (HTTP ${error.status})`,
        {
          cause: error,
        },
      );
    }
    throw isInDoubt(error) ? await inDoubt(context, http, name, before, toCliError(error)) : error;
  } finally {
    signal.removeEventListener('abort', patience);
  }
}

/** No answer, or one that says nothing certain: the key may exist. */
function isInDoubt(error: unknown): boolean {
  return error instanceof BadBody || (error instanceof CliError && error.kind === 'unavailable');
}

/**
 * The error for a key that may have been created without anybody knowing it: says what a look at the account's keys
 * tells. A key that has appeared meanwhile may be somebody else's, so nothing is done about it here.
 */
async function inDoubt(
  context: Context,
  http: Http,
  name: string,
  before: readonly ApiKey[],
  error: CliError,
): Promise<CliError> {
  const known = new Set(before.map((key) => key.id));
  const status = error.status === undefined ? {} : { status: error.status };
  let candidates: readonly ApiKey[];
  try {
    const after = await listKeys(http, false, { uninterruptible: true, retries: 2 });
    candidates = after.filter((key) => !known.has(key.id) && key.attributes.name === name);
  } catch (cause) {
    const message = `${error.message}; a key named '${name}' may exist, and looking for it failed too`;
    return new CliError(error.kind, `${message}: ${(cause as Error).message}`, {
      hint: context.suggest('keys', 'list'),
      ...status,
      cause: error,
    });
  }
  const [candidate] = candidates;
  if (candidate === undefined) {
    return new CliError(error.kind, `${error.message}; no key named '${name}' has appeared`, {
      hint: 'try again',
      ...status,
      cause: error,
    });
  }
  const ids = candidates.map((key) => key.id).join(', ');
  return new CliError(
    error.kind,
    `${error.message}; meanwhile a key named '${name}' has appeared (id ${ids}): if nobody else made it, it is lost`,
    { hint: context.suggest('keys', 'revoke', candidate.id), ...status, cause: error },
  );
}

function rendered(key: NewApiKey, { keyOnly, format }: CreateOptions): string {
  if (keyOnly) return `${key.attributes.key}\n`;
  if (format === 'json') return `${JSON.stringify(key, null, 2)}\n`;
  const { name, keyPrefix, created } = key.attributes;
  return [
    `Key      ${key.attributes.key}`,
    `Name     ${name}`,
    `Id       ${key.id}`,
    `Prefix   ${keyPrefix}`,
    `Created  ${created}`,
    '',
  ].join('\n');
}
