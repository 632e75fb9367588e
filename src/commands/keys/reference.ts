import type { ApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';

/** What a reference on the command line means. */
type KeyMatch =
  | { readonly outcome: 'active'; readonly key: ApiKey }
  | { readonly outcome: 'revoked'; readonly key: ApiKey }
  | { readonly outcome: 'ambiguous'; readonly candidates: readonly ApiKey[] }
  | { readonly outcome: 'unknown' };

/**
 * The key that a reference means: by its id first, then by its key prefix or exact name. Active keys win over
 * revoked ones, because names are not unique (observed) and a new key may have the name of an old one.
 */
export function matchKey(keys: readonly ApiKey[], reference: string): KeyMatch {
  const byId = keys.find((key) => key.id === reference);
  const matches = byId
    ? [byId]
    : keys.filter(({ attributes }) => attributes.keyPrefix === reference || attributes.name === reference);
  const active = matches.filter((key) => !key.attributes.revokedAt);
  const [first] = active;
  if (active.length > 1) return { outcome: 'ambiguous', candidates: active };
  if (first !== undefined) return { outcome: 'active', key: first };
  const [revoked] = matches;
  return revoked === undefined ? { outcome: 'unknown' } : { outcome: 'revoked', key: revoked };
}

/**
 * The error for a reference that does not mean exactly one key.
 * @param verb the command that the hint suggests for one of several keys.
 */
export function mismatchError(
  context: Context,
  reference: string,
  match: Exclude<KeyMatch, { key: ApiKey }>,
  verb: 'revoke' | 'rotate',
): CliError {
  if (match.outcome === 'unknown') {
    return new CliError('not-found', `no key has the id, the prefix or the name '${reference}'`, {
      hint: context.suggest('keys', 'list', '--include-revoked'),
    });
  }
  const candidates = match.candidates.map((key) => `  ${describeKey(key)}`).join('\n');
  return usageError(
    `'${reference}' means ${match.candidates.length} active keys:\n${candidates}`,
    context.suggest('keys', verb, match.candidates[0]?.id ?? ''),
  );
}

/** A key in messages: its id, name and prefix, and when it was last used or revoked. */
export function describeKey({ id, attributes }: ApiKey): string {
  const { name, keyPrefix, lastUsedAt, revokedAt } = attributes;
  const state = revokedAt ? `revoked ${revokedAt}` : `last used ${lastUsedAt ?? 'never'}`;
  return `${id} '${name}' (${keyPrefix}, ${state})`;
}
