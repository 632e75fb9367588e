import type { Attributes, Doi } from '../api/dois.ts';
import { READ_ONLY, sameValue } from '../api/record-match.ts';
import { CliError, type Problem, usageError } from '../errors.ts';
import { conflictsIn, editsIn } from '../metadata/columns/exported.ts';
import { rowChanges } from '../metadata/columns/row.ts';
import { isNonEmptyString } from '../text/json-values.ts';
import type { Change } from './changes.ts';
import type { ParsedRecord } from './document.ts';
import { placeOf } from './record-source.ts';

/** What a run has sent, so that the next one does not take it for somebody else's: cells, or `updated`. */
export type Sent = Readonly<Record<string, string>>;

/** The record of an update, without cells that are as exported, or as earlier runs have sent them. */
export function editsOf(given: ParsedRecord, sent: Sent = {}): ParsedRecord {
  const { row, doi } = given;
  if (row?.exported === undefined)
    return { ...given, readAt: momentIn(sent['updated']) ?? exportedAt(given) };
  const { exported } = row;
  const known = { ...exported, cells: { ...exported.cells, ...sent } };
  const { cells, findings } = editsIn(row.cells, known);
  const { attributes } = rowChanges(cells, undefined);
  return {
    ...given,
    attributes: { ...(doi === undefined ? {} : { doi }), ...attributes },
    row: { ...row, exported: known, cells, attributes, findings },
  };
}

/**
 * How an update knows what somebody has edited: the row says what was `exported`, or the record is `dated` by its last
 * update; a row with columns of an export is `untold` without both, and other records say `all` that they want.
 */
export type Origin = 'exported' | 'dated' | 'untold' | 'all';

export function originOf(given: ParsedRecord): Origin {
  if (given.row?.exported !== undefined) return 'exported';
  if (exportedAt(given) !== undefined) return 'dated';
  return given.row?.isExport ? 'untold' : 'all';
}

/** @throws {CliError} kind `usage` when the cell that says what was exported is that of another DOI. */
export function refuseSortedApart({ row, doi = '', source, line }: ParsedRecord): void {
  const { doi: exported } = row?.exported ?? {};
  if (exported === undefined || exported.toLowerCase() === doi.toLowerCase()) return;
  throw usageError(
    `${placeOf({ name: source, rows: true }, line ?? 1)}: the cell 'exported' of ${doi} is that of ${exported}: columns were sorted apart`,
    'sort all columns together, or export again',
  );
}

/** Whether nobody has edited a row since the export. */
export function isUnedited({ row }: ParsedRecord): boolean {
  return row?.exported !== undefined && row.cells.length === 0;
}

/** Whether a record in JSON has no edits. @param listed the record as it is now. */
export function isAsListed(given: ParsedRecord, listed: Doi): boolean {
  return Object.keys(withoutUnedited(given, listed.attributes).attributes).every((name) => name === 'doi');
}

/** What to remember of an update. @param after the record as it is now. */
export function sentOf({ row, readAt }: ParsedRecord, after: Doi, before: Sent = {}): Sent | undefined {
  if (row?.exported !== undefined) {
    return { ...before, ...Object.fromEntries(row.cells.map(({ column, cell }) => [column.name, cell])) };
  }
  return readAt === undefined ? undefined : { updated: String(after.attributes['updated']) };
}

/** When the record that somebody edited was read, by its time of update; undefined for exported cells. */
export function exportedAt(given: ParsedRecord | undefined): number | undefined {
  if (given === undefined || given.row?.exported !== undefined) return undefined;
  const { attributes, row, readAt } = given;
  if (readAt !== undefined) return readAt;
  const cell = row?.cells.find(({ column }) => column.name === 'updated')?.cell;
  return momentIn(row === undefined ? attributes['updated'] : cell);
}

function momentIn(value: unknown): number | undefined {
  const isMoment =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value.trim());
  return isMoment ? Date.parse(value) : undefined;
}

/** A record in JSON without attributes that are as in the record now. @param listed that record. */
export function withoutUnedited(given: ParsedRecord, listed: Attributes): ParsedRecord {
  const { xml } = given.attributes;
  // Edited XML next to attributes is not sent, and a finding says so.
  if (isNonEmptyString(xml) && isNonEmptyString(listed['xml']) && xml !== listed['xml']) return given;
  const own = Object.entries(given.attributes).filter(
    ([name, value]) =>
      name === 'doi' ||
      (name !== 'xml' &&
        !READ_ONLY.has(name) &&
        !sameValue(listed[name], value, { exact: true, spelling: true })),
  );
  return { ...given, attributes: Object.fromEntries(own) };
}

/** Refuses to write over what somebody else has written since the export, and names each value. */
export function refuseConflicts(given: ParsedRecord, before: Doi, changes: readonly Change[]): void {
  const problems = conflictsOf(given, before, changes);
  if (problems.length === 0) return;
  throw new CliError(
    'rejected',
    `${before.id} was changed by somebody else since the export; nothing was sent`,
    {
      hint: 'export it again and repeat the edit, or send it all the same with --overwrite',
      problems,
      lines: problems.map(({ path, message }) => `${given.source}: ${path}: ${message}`),
    },
  );
}

function conflictsOf(given: ParsedRecord, before: Doi, changes: readonly Change[]): readonly Problem[] {
  const { row } = given;
  if (row?.exported !== undefined) {
    return conflictsIn(row.cells, row.exported, before.attributes).map(
      ({ column: { name }, changed, exported, present, edited }) => ({
        path: name,
        message:
          changed === name
            ? `was ${exported} in the export, is ${present} now, and ${edited} in the file`
            : `is ${edited} in the file, but ${changed} was ${exported} in the export and is ${present} now: it may be about another item`,
        column: String(row.heads[name] ?? name),
        conflict: { exported, present, edited },
      }),
    );
  }
  const at = exportedAt(given);
  const updated = momentIn(before.attributes['updated']);
  if (at === undefined || updated === undefined || at === updated) return [];
  return changes.map(({ path, before: there, after }) => {
    const [present, edited] = [shown(there), shown(after)];
    const since = `the record was changed at ${before.attributes['updated']}, after ${new Date(at).toISOString()}`;
    return {
      path,
      message: `is ${present} now, and ${edited} in the file; ${since}`,
      conflict: { present, edited },
    };
  });
}

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return 'empty';
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
