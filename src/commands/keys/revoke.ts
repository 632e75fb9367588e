import type { Call } from '../../api/http/call.ts';
import type { Http } from '../../api/http/http.ts';
import { listKeys, revokeKey } from '../../api/keys.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, type ErrorKind, toCliError, usageError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import { confirm } from '../../ui/prompt.ts';

export interface RevokeOptions {
  readonly yes?: boolean;
}

/** What a reference on the command line turned out to mean. */
type Match =
  | { readonly outcome: 'active'; readonly key: ApiKey }
  | { readonly outcome: 'revoked'; readonly key: ApiKey }
  | { readonly outcome: 'ambiguous'; readonly candidates: readonly ApiKey[] }
  | { readonly outcome: 'unknown' };

/**
 * Revokes the named keys, after a confirmation. One that cannot be revoked does not keep the others from it: where a
 * key has leaked, a slip in another name must not stand in the way.
 * @throws {CliError} kind `usage` before any request where nobody can be asked and `--yes` is missing; at the
 *   end an error when a key was not revoked.
 */
export async function revokeKeysCommand(
  context: Context,
  references: readonly string[],
  options: RevokeOptions,
): Promise<void> {
  if (!options.yes && !context.interactive) {
    throw usageError(
      'revoking keys asks for confirmation, and there is no terminal to ask on',
      context.suggest('keys', 'revoke', ...references, '--yes'),
    );
  }
  const { http } = await context.service('keys');
  const keys = await listKeys(http, true);
  const wrong: CliError[] = [];
  const doomed = new Map<string, ApiKey>();
  for (const reference of references) {
    const match = matchKey(keys, reference);
    if (match.outcome === 'active') doomed.set(match.key.id, match.key);
    else if (match.outcome === 'revoked') context.messages.note(`already revoked: ${describe(match.key)}`);
    else wrong.push(mismatch(context, reference, match));
  }
  const last = doomed.size === 0 ? wrong.pop() : undefined;
  for (const error of wrong) context.messages.report(error);
  if (last !== undefined) throw last;
  if (doomed.size === 0) return;

  if (!options.yes) {
    const which = [...doomed.values()].map((key) => `  ${describe(key)}\n`).join('');
    const question =
      doomed.size === 1 ? 'Revoke this key for good?' : `Revoke these ${doomed.size} keys for good?`;
    if (!(await confirm(context, which + question))) throw new CliError('rejected', 'nothing was revoked');
  }
  let kind: ErrorKind | undefined = wrong.length > 0 ? 'rejected' : undefined;
  for (const key of doomed.values()) {
    context.host.signal.throwIfAborted();
    try {
      await revoke(http, key);
    } catch (error) {
      const failure = toCliError(error);
      context.messages.errorLine(`${describe(key)} was not revoked: ${failure.message}`);
      kind = failure.kind;
      continue;
    }
    await report(context, `Revoked ${visible(describe(key))}`);
  }
  if (kind !== undefined) {
    throw new CliError(kind, 'not every key was revoked', { hint: context.suggest('keys', 'list') });
  }
}

/**
 * Revokes a key, and where the answer does not tell, looks whether it is revoked now: a repeated request whose first
 * answer was lost may be answered 404.
 */
export async function revoke(
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
      // What made the revocation fail is what matters.
      throw error;
    });
    if (!now.some((key) => key.id === id && key.attributes.revokedAt)) throw error;
  }
}

/** A stdout that cannot be written to must not keep the remaining keys from being revoked. */
async function report(context: Context, text: string): Promise<void> {
  try {
    await context.out.write(`${text}\n`);
  } catch {
    context.messages.note(text);
  }
}

/**
 * Which key a reference means: an id before anything else, then a key prefix or an exact name. Active keys
 * go before revoked ones, because names are not unique (observed) and a new key may bear an old one's name.
 */
export function matchKey(keys: readonly ApiKey[], reference: string): Match {
  const byId = keys.find((key) => key.id === reference);
  const named = byId
    ? [byId]
    : keys.filter(({ attributes }) => attributes.keyPrefix === reference || attributes.name === reference);
  const active = named.filter((key) => !key.attributes.revokedAt);
  const [first] = active;
  if (active.length > 1) return { outcome: 'ambiguous', candidates: active };
  if (first !== undefined) return { outcome: 'active', key: first };
  const [revoked] = named;
  return revoked === undefined ? { outcome: 'unknown' } : { outcome: 'revoked', key: revoked };
}

/** The error for a reference that does not mean one key; `verb` is the command to type with one that does. */
export function mismatch(
  context: Context,
  reference: string,
  match: Exclude<Match, { key: ApiKey }>,
  verb = 'revoke',
): CliError {
  if (match.outcome === 'unknown') {
    return new CliError('not-found', `no key has the id, the prefix or the name '${reference}'`, {
      hint: context.suggest('keys', 'list', '--include-revoked'),
    });
  }
  const candidates = match.candidates.map((key) => `  ${describe(key)}`).join('\n');
  return usageError(
    `'${reference}' means ${match.candidates.length} active keys:\n${candidates}`,
    context.suggest('keys', verb, match.candidates[0]?.id ?? ''),
  );
}

/** A key as people know it: id, name, prefix, and whether it is used. */
export function describe({ id, attributes }: ApiKey): string {
  const { name, keyPrefix, lastUsedAt, revokedAt } = attributes;
  const state = revokedAt ? `revoked ${revokedAt}` : `last used ${lastUsedAt ?? 'never'}`;
  return `${id} '${name}' (${keyPrefix}, ${state})`;
}
