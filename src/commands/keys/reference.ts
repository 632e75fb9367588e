import type { ApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { describeKey } from '../../core/key-changes.ts';
import { CliError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import { ago } from '../../text/words.ts';
import { Look } from '../../ui/look.ts';
import { table } from '../../ui/table.ts';
import { CREATED, ID, LAST_USED, NAME, PREFIX } from './rows.ts';

/**
 * The key with an id, or else a prefix or exact name. Active keys win over revoked ones: names are
 * not unique (service.md, K7).
 * @param verb the command in the hint for several matches.
 * @throws {CliError} kind `not-found` when there is none, `usage` when several active keys match.
 */
export function matchKey(
  context: Context,
  keys: readonly ApiKey[],
  reference: string,
  verb: string,
): ApiKey {
  const { suggest } = context;
  const byId = keys.find((key) => key.id === reference);
  const matches = byId
    ? [byId]
    : keys.filter(
        ({ attributes }) => attributes.keyPrefix === reference || attributes.name === reference,
      );
  const active = matches.filter((key) => !key.attributes.revokedAt);
  const match = active[0] ?? matches[0];
  const shown = visible(reference);
  if (match === undefined) {
    throw new CliError('not-found', `no key has the id, the prefix or the name '${shown}'`, {
      hint: suggest('keys', 'list', '--include-revoked'),
    });
  }
  if (active.length > 1) {
    // Suggest no particular key: a copied command could end the key that is in use.
    throw new CliError('usage', `'${shown}' means ${active.length} active keys`, {
      hint: `${suggest('keys', verb)} <prefix>, with the prefix of the right key`,
      lines: linesOf(context, active),
      problems: active.map((key) => ({ path: key.id, message: describeKey(key) })),
    });
  }
  return match;
}

const COLUMNS = [PREFIX, NAME, CREATED, LAST_USED, ID];

function linesOf({ host }: Context, keys: readonly ApiKey[]): string[] {
  const { stderr, columns } = host.terminal;
  const rows = keys.map((key) =>
    COLUMNS.map(({ isTime, cell }) => (stderr && isTime ? ago(cell(key), host.now()) : cell(key))),
  );
  const width = stderr && columns > 0 ? columns : undefined;
  return table(COLUMNS, rows, { look: new Look(), width }).trimEnd().split('\n');
}
