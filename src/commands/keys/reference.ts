import type { ApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { findKey } from '../../core/key-changes.ts';
import { ago } from '../../text/words.ts';
import { Look } from '../../ui/look.ts';
import { table } from '../../ui/table.ts';
import { CREATED, ID, LAST_USED, NAME, PREFIX } from './rows.ts';

/** The key that a user means, as {@link findKey}. @param verb the command in the hint. */
export function matchKey(
  context: Context,
  keys: readonly ApiKey[],
  reference: string,
  verb: string,
): ApiKey {
  const { suggest } = context;
  return findKey(keys, reference, { verb, suggest, linesOf: (active) => linesOf(context, active) });
}

const COLUMNS = [PREFIX, NAME, CREATED, LAST_USED, ID];

/** A table of keys for stderr. */
function linesOf({ host }: Context, keys: readonly ApiKey[]): string[] {
  const { stderr, columns } = host.terminal;
  const rows = keys.map((key) =>
    COLUMNS.map(({ isTime, cell }) => (stderr && isTime ? ago(cell(key), host.now()) : cell(key))),
  );
  const width = stderr && columns > 0 ? columns : undefined;
  return table(COLUMNS, rows, { look: new Look(), width }).trimEnd().split('\n');
}
