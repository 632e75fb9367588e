import { BadBody } from '../../api/http/body.ts';
import type { Http } from '../../api/http/http.ts';
import { createKey, listKeys, type NewApiKey } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, toCliError } from '../../errors.ts';

/**
 * Creates a key. An interrupt waits for the answer.
 * @param before the account's keys just before it, to tell a key that was made without an answer.
 * @throws {CliError} that says whether a key may have been made without anybody knowing it.
 */
export async function createKeySafely(
  context: Context,
  { http }: Service,
  name: string,
  before: readonly ApiKey[],
): Promise<NewApiKey> {
  const { signal } = context.host;
  const patience = () =>
    context.messages.always(
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

/** A new key as it is printed, the only time that it is. */
export function renderedKey(
  key: NewApiKey,
  { keyOnly, format }: { readonly keyOnly?: boolean; readonly format?: 'text' | 'json' },
): string {
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
