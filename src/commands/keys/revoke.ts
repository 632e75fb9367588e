import type { Call } from '../../api/http/call.ts';
import type { Http } from '../../api/http/http.ts';
import { type ApiKey, listKeys, revokeKey } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import { repositoryOf } from '../../cli/service.ts';
import { untilAnswered } from '../../cli/uninterruptible.ts';
import { CliError, type ErrorKind, toCliError } from '../../errors.ts';
import { eraseStored } from './erase-stored.ts';
import { describeKey, matchKey } from './reference.ts';

/**
 * Revokes the named keys, after a confirmation. A wrong reference or a failure does not stop the others: a
 * leaked key must not stay active because of a typo in another name. A stored key that is revoked, now or
 * before, is also erased.
 * @throws {CliError} kind `usage` before any request when nobody can be asked and `--yes` is missing; an
 *   error at the end when a key was not revoked.
 */
export async function revokeKeysCommand(
  context: Context,
  references: readonly string[],
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  const confirmed = confirmation(context, {
    yes,
    reason: 'revoking keys asks for confirmation',
    retry: context.suggest('keys', 'revoke', ...references, '--yes'),
    declined: 'nothing was revoked',
  });
  const service = await context.service('keys');
  const { keys, revoked, errors } = matchKeys(context, await listKeys(service.http, true), references);
  await eraseStored(context, repositoryOf(service), revoked);
  const last = keys.length === 0 ? errors.pop() : undefined;
  for (const error of errors) context.messages.report(error);
  if (last !== undefined) throw last;
  if (keys.length === 0) return;
  await revokeListed(context, service, keys, confirmed, errors.length > 0);
}

/**
 * Lists keys in a question, and revokes them once it is confirmed; erases one of them that is stored.
 * @param incomplete whether the user has asked for more than these keys.
 * @throws {CliError} at the end, when a key was not revoked.
 */
export async function revokeListed(
  context: Context,
  service: Service,
  keys: readonly ApiKey[],
  confirmed: (question: string) => Promise<void>,
  incomplete = false,
): Promise<void> {
  const list = keys.map((key) => `  ${describeKey(key)}\n`).join('');
  await confirmed(
    list + (keys.length === 1 ? 'Revoke this key for good?' : `Revoke these ${keys.length} keys for good?`),
  );
  const kind = (await revokeAll(context, service, keys)) ?? (incomplete ? 'rejected' : undefined);
  if (kind !== undefined) {
    throw new CliError(kind, 'not every key was revoked', { hint: context.suggest('keys', 'list') });
  }
}

/** The active and the revoked keys that the references mean, and the errors of references to no key or to several. */
function matchKeys(context: Context, keys: readonly ApiKey[], references: readonly string[]) {
  const errors: CliError[] = [];
  const active = new Set<ApiKey>();
  const revoked: ApiKey[] = [];
  for (const reference of references) {
    try {
      const key = matchKey(context, keys, reference, 'revoke');
      if (key.attributes.revokedAt) {
        context.messages.note(`already revoked: ${describeKey(key)}`);
        revoked.push(key);
      } else active.add(key);
    } catch (error) {
      errors.push(toCliError(error));
    }
  }
  return { keys: [...active], revoked, errors };
}

/** @returns the kind of the last failure, if there was one. */
async function revokeAll(
  context: Context,
  service: Service,
  keys: readonly ApiKey[],
): Promise<ErrorKind | undefined> {
  let failed: ErrorKind | undefined;
  const revoked: ApiKey[] = [];
  try {
    for (const key of keys) {
      context.host.signal.throwIfAborted();
      try {
        await untilAnswered(context, () => revokeKeySafely(service.http, key));
      } catch (error) {
        const { kind, message } = toCliError(error);
        context.messages.errorLine(`${describeKey(key)} was not revoked: ${message}`);
        failed = kind;
        continue;
      }
      revoked.push(key);
      const text = `Revoked ${describeKey(key)}`;
      // When stdout fails, the remaining keys are still revoked.
      await context.out.write(`${text}\n`).catch(() => context.messages.note(text));
    }
  } finally {
    await eraseStored(context, repositoryOf(service), revoked);
  }
  return failed;
}

/**
 * Revokes a key. After an unclear answer it looks whether the key is revoked: when the first answer to a
 * repeated request is lost, the second may be 404 (service.md, K12).
 */
export async function revokeKeySafely(
  http: Http,
  { id }: ApiKey,
  options: Pick<Call<unknown>, 'retries'> = {},
): Promise<void> {
  try {
    await revokeKey(http, id, options);
  } catch (error) {
    const { kind } = toCliError(error);
    if (kind !== 'unavailable' && kind !== 'not-found') throw error;
    const now = await listKeys(http, true, { uninterruptible: true, retries: 2 }).catch(() => {
      throw error;
    });
    if (!now.some((key) => key.id === id && key.attributes.revokedAt)) throw error;
  }
}
