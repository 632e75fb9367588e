import type { Doi } from '../api/dois.ts';
import { CliError, type Problem } from '../errors.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import type { JsonObject } from '../text/json-values.ts';
import { momentIn } from '../text/moment.ts';
import { abridged, apart } from '../text/words.ts';
import type { Edits } from './edits.ts';
import { changesOf } from './ledger/entry.ts';
import type { Conflict } from './merge.ts';

/** The most characters of each value in a message; results contain more. */
const MOST_CHARACTERS = 48;

/** The error for edits that would overwrite changes made since the record was read. */
export function conflictError(
  record: ParsedRecord,
  stored: Doi,
  { base }: Edits,
  conflicts: readonly Conflict[],
): CliError {
  const problems =
    base === undefined || record.row === undefined
      ? conflicts.flatMap((conflict) => valueProblems(record, stored, conflict))
      : conflicts.flatMap((conflict) => cellProblems(record, base, conflict));
  return new CliError('rejected', `${stored.id} has changed since the export; nothing was sent`, {
    hint: 'export it again and repeat the edit, or send it anyway with --overwrite',
    problems,
    lines: problems.map(({ path, message }) => `${record.source}: ${path}: ${message}`),
  });
}

/** The problems of a record without exported values: each value that differs. */
function valueProblems(
  { origin }: ParsedRecord,
  stored: Doi,
  { path, mine, theirs }: Conflict,
): Problem[] {
  const { updated } = stored.attributes;
  const read = momentIn(origin?.updated);
  const since = read === undefined ? '' : `, after ${new Date(read).toISOString()}`;
  const [name = ''] = path;
  return changesOf({ [name]: theirs }, { [name]: mine }).map(({ path: place, before, after }) => {
    const [present, edited] = [shown(before), shown(after)];
    const [now, inFile] = brief([present, edited]);
    const values = `is ${now} now, and ${inFile} in the file`;
    const message = `${values}; the record was changed at ${updated}${since}`;
    return { path: place, message, conflict: { present, edited } };
  });
}

/** The problems of a row with its exported values: the cells that edit the value. */
function cellProblems(record: ParsedRecord, before: JsonObject, conflict: Conflict): Problem[] {
  const edits = record.row?.editsIn(conflict, before) ?? [];
  return edits.map(({ column, head, edited, shownIn }) => {
    const [exported, present] = [shownIn(conflict.base), shownIn(conflict.theirs)];
    const values = { exported, present, edited };
    if (exported !== present) {
      const [was, now, inFile] = brief([exported, present, edited]);
      const message = `was ${was} in the export, is ${now} now, and ${inFile} in the file`;
      return { path: column, message, column: head, conflict: values };
    }
    const [change] = changesOf({ item: conflict.base }, { item: conflict.theirs });
    const [was, is] = [shown(change?.before), shown(change?.after)];
    const part = change?.path.replace(/^item\.?/, '') || 'its item';
    const difference = `${part} was ${was} in the export and is ${is} now`;
    const message = `is ${edited} in the file, but ${difference}: the item may be another one`;
    return { path: column, message, column: head, conflict: values };
  });
}

/** Values shortened for a message, from the first difference. */
function brief(values: readonly string[]): readonly string[] {
  if (values.every(({ length }) => length <= MOST_CHARACTERS)) return values;
  const short = apart(values).map((value) => abridged(value, MOST_CHARACTERS));
  // Only two of the values may have the same beginning.
  return new Set(short).size < new Set(values).size ? values : short;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'empty';
  return abridged(JSON.stringify(value));
}
