import { listKeys, revokeKey } from '../../api/keys.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../context.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
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
 * Revokes the named keys, after a confirmation. One that cannot be revoked does not keep the others from it.
 * @throws {CliError} kind `usage` before any request where nobody can be asked and `--yes` is missing; at the
 *   end the error of the last key that failed.
 */
export async function revokeKeysCommand(
  context: Context,
  references: readonly string[],
  options: RevokeOptions,
): Promise<void> {
  if (!options.yes && !context.interactive) {
    throw usageError(
      'revoking keys asks for confirmation, and there is no terminal to ask on',
      `doi-cli keys revoke ${references.map(quoted).join(' ')} --yes`,
    );
  }
  const { http } = await context.service('keys');
  const keys = await listKeys(http, true);
  const failures: CliError[] = [];
  const doomed = new Map<string, ApiKey>();
  for (const reference of references) {
    const match = matchKey(keys, reference);
    if (match.outcome === 'active') doomed.set(match.key.id, match.key);
    else if (match.outcome === 'revoked') context.messages.note(`already revoked: ${describe(match.key)}`);
    else failures.push(mismatch(reference, match));
  }

  if (doomed.size > 0 && !options.yes) {
    for (const key of doomed.values()) context.messages.note(describe(key));
    const question =
      doomed.size === 1 ? 'Revoke this key for good?' : `Revoke these ${doomed.size} keys for good?`;
    if (!(await confirm(context, question))) {
      throw new CliError('rejected', 'nothing was revoked');
    }
  }
  for (const key of doomed.values()) {
    try {
      await revokeKey(http, key.id);
    } catch (error) {
      if (context.host.signal.aborted) throw error;
      const { kind, message, hint, status } = toCliError(error);
      failures.push(
        new CliError(kind, `${describe(key)} was not revoked: ${message}`, {
          ...(hint === undefined ? {} : { hint }),
          ...(status === undefined ? {} : { status }),
          cause: error,
        }),
      );
      continue;
    }
    await report(context, `Revoked ${context.messages.clean(describe(key))}`);
  }
  const last = failures.pop();
  for (const failure of failures) context.messages.error(failure);
  if (last !== undefined) throw last;
}

/** A stdout that cannot be written to must not keep the remaining keys from being revoked. */
async function report(context: Context, text: string): Promise<void> {
  try {
    await context.host.stdout.write(`${text}\n`);
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

function mismatch(reference: string, match: Exclude<Match, { key: ApiKey }>): CliError {
  if (match.outcome === 'unknown') {
    return new CliError('not-found', `no key has the id, the prefix or the name '${reference}'`, {
      hint: 'doi-cli keys list --include-revoked',
    });
  }
  const candidates = match.candidates.map((key) => `  ${describe(key)}`).join('\n');
  return usageError(
    `'${reference}' means ${match.candidates.length} active keys:\n${candidates}`,
    `doi-cli keys revoke ${match.candidates[0]?.id}`,
  );
}

function describe({ id, attributes }: ApiKey): string {
  const { name, keyPrefix, lastUsedAt, revokedAt } = attributes;
  const state = revokedAt ? `revoked ${revokedAt}` : `last used ${lastUsedAt ?? 'never'}`;
  return `${id} '${name}' (${keyPrefix}, ${state})`;
}

/** A reference as a shell takes it. */
function quoted(text: string): string {
  return /^[\w.@:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
