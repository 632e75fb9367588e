import type { ApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { describeKey } from '../../core/key-changes.ts';
import { CliError, usageError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';

/**
 * The key with an id, or else a prefix or exact name. Active keys win over revoked ones: names are
 * not unique (service.md, K7). @param verb the command in the hint for several matches.
 */
export function matchKey(
  context: Context,
  keys: readonly ApiKey[],
  reference: string,
  verb: string,
): ApiKey {
  const byId = keys.find((key) => key.id === reference);
  const matches = byId
    ? [byId]
    : keys.filter(
        ({ attributes }) => attributes.keyPrefix === reference || attributes.name === reference,
      );
  const active = matches.filter((key) => !key.attributes.revokedAt);
  const match = active[0] ?? matches[0];
  if (match === undefined) {
    throw new CliError(
      'not-found',
      `no key has the id, the prefix or the name '${visible(reference)}'`,
      {
        hint: context.suggest('keys', 'list', '--include-revoked'),
      },
    );
  }
  if (active.length > 1) {
    // Suggest no particular key: a copied command could end the key that is in use.
    const described = active.map((key) => describeKey(key));
    throw usageError(
      `'${visible(reference)}' means ${active.length} active keys: ${described.join('; ')}`,
      `${context.suggest('keys', verb)} <id>, with the id of the right key`,
    );
  }
  return match;
}
