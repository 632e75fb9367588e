import type { Doi } from '../api/dois.ts';
import { CliError, type Problem } from '../errors.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import type { JsonObject } from '../text/json-values.ts';
import { momentIn } from '../text/moment.ts';
import { abridged, apart } from '../text/words.ts';
import type { Edits } from './edits.ts';
import { type Change, changesOf } from './ledger/changes.ts';
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
  // The service sets the version with each change of others.
  const edited = conflicts.filter(({ name }) => name !== 'schemaVersion');
  const problems = (edited.length > 0 ? edited : conflicts).flatMap((conflict) => {
    const cells = base === undefined ? [] : cellProblems(record, base, conflict);
    return cells.length > 0 ? cells : valueProblems(record, stored, conflict);
  });
  return new CliError('rejected', `${stored.id} has changed since the export; nothing was sent`, {
    hint: 'export it again and repeat the edit, or send it anyway with --overwrite',
    problems,
    lines: problems.map(({ path, message }) => `${record.source}: ${path}: ${message}`),
  });
}

/** The problems of an edit that no cell shows: each value that differs. */
function valueProblems(
  { origin }: ParsedRecord,
  stored: Doi,
  { name, mine, theirs }: Conflict,
): Problem[] {
  const { updated } = stored.attributes;
  const read = momentIn(origin?.updated);
  const since = read === undefined ? '' : `, after ${new Date(read).toISOString()}`;
  return changesOf({ [name]: theirs }, { [name]: mine }).map(({ path: place, before, after }) => {
    const [present, edited] = [shown(before), shown(after)];
    const [now, inFile] = brief([present, edited]);
    const values = `is ${now} now, and ${inFile} in the file`;
    const message = `${values}; the record was changed at ${updated}${since}`;
    return { path: place, message, conflict: { present, edited } };
  });
}

/** The problems of a row with its exported values: the cells that edit the attribute. */
function cellProblems(
  { row }: ParsedRecord,
  before: JsonObject,
  { name, base, theirs }: Conflict,
): Problem[] {
  const [old, now] = [{ [name]: base }, { [name]: theirs }];
  return (row?.editsIn(name, before) ?? []).map(({ column, head, edited, shownIn }) => {
    const [exported, present] = [shownIn(old), shownIn(now)];
    const conflict = { exported, present, edited };
    return {
      path: column,
      message: messageOf(conflict, changesOf(old, now)),
      column: head,
      conflict,
    };
  });
}

/** @param theirs the changes since the export, which may be in other parts of the attribute. */
function messageOf(
  { exported, present, edited }: Required<NonNullable<Problem['conflict']>>,
  theirs: readonly Change[],
): string {
  if (exported !== present) {
    const [was, now, inFile] = brief([exported, present, edited]);
    return `was ${was} in the export, is ${now} now, and ${inFile} in the file`;
  }
  const [change] = theirs;
  const [was, is] = [shown(change?.before), shown(change?.after)];
  return `is ${edited} in the file, but ${change?.path} was ${was} in the export and is ${is} now`;
}

/** Values shortened for a message, from the first difference. */
function brief(values: readonly string[]): readonly string[] {
  if (values.every(({ length }) => length <= MOST_CHARACTERS)) return values;
  const bare = values.map((value) => value.replace(/^"|"$/g, ''));
  const short = apart(bare).map((text, at) => {
    const cut = abridged(text, MOST_CHARACTERS);
    return bare[at] === values[at] ? cut : `"${cut}"`;
  });
  // Only two of the values may have the same beginning.
  return new Set(short).size < new Set(values).size ? values : short;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'empty';
  return abridged(JSON.stringify(value));
}
