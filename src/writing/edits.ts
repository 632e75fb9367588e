import type { Attributes, Doi } from '../api/dois.ts';
import { INSTRUCTIONS, READ_ONLY, same } from '../api/record-match.ts';
import { usageError } from '../errors.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import { placeOf } from '../formats/input/source.ts';
import { comparisonWith } from '../metadata/corrections.ts';
import { type Finding, findingAt } from '../metadata/findings.ts';
import { isStaleXml } from '../metadata/kernel.ts';
import { isNonEmptyString, type JsonObject } from '../text/json-values.ts';
import { momentIn } from '../text/moment.ts';
import { withNumberTexts } from './body.ts';
import type { SentEdits } from './ledger/entry.ts';

/**
 * How an update finds the edits, see docs/dev/edits.md. `exported`: the file contains the exported
 * values. `dated`: it contains the time of the record's last update. `missing`: it is an export
 * with neither. `stored`: it was written by hand, and edits the stored record.
 */
export type Baseline = 'exported' | 'dated' | 'missing' | 'stored';

export function baselineOf({ origin }: ParsedRecord): Baseline {
  if (origin === undefined) return 'stored';
  if (origin.exported !== undefined) return 'exported';
  return momentIn(origin.updated) === undefined ? 'missing' : 'dated';
}

/** Whether JSON contains the time of the last update: only edits of that version are checked. */
export function isDated(record: ParsedRecord): boolean {
  return record.row === undefined && baselineOf(record) === 'dated';
}

/** The edits that a file makes to a record. */
export interface Edits {
  /** The attributes before the edits; undefined if they are not known. */
  readonly base: JsonObject | undefined;
  /** The edited attributes; others do not change. */
  readonly mine: JsonObject;
  /** Members of the request that a record does not store, such as an event. */
  readonly instructions: JsonObject;
  /** Findings about cells. */
  readonly findings: readonly Finding[];
}

/** Compares a record of a file with its version before the edits. @param sent from the ledger. */
export function editsOf(
  record: ParsedRecord,
  stored: Doi,
  { event, sent }: { readonly event: string | undefined; readonly sent: SentEdits | undefined },
): Edits {
  const remembered = sent?.base === baseId(record) ? sent : undefined;
  const { exported } = record.origin ?? {};
  if (record.row !== undefined && exported !== undefined) {
    const uncovered = Object.entries(stored.attributes).filter(
      ([name]) => !exported.covered.has(name),
    );
    const before = { ...Object.fromEntries(uncovered), ...exported.attributes };
    const { attributes, findings } = record.row.applyTo(before, event);
    const { mine: earlier = {} } = remembered ?? {};
    const takenBack = Object.keys(earlier).map((name) => [name, before[name] ?? null]);
    const edited = { ...Object.fromEntries(takenBack), ...attributes };
    return { base: { ...before, ...earlier }, findings, ...split(edited) };
  }
  const base = isAsRead(record, stored, remembered) ? stored.attributes : undefined;
  if (record.row === undefined) return { base, ...jsonEdits(record, stored) };
  const { attributes, findings } = record.row.applyTo(stored.attributes, event);
  return { base, findings, ...split(attributes) };
}

/** The attributes of a row with exported values and a column. */
export function exportedNames({ row, origin }: ParsedRecord): readonly string[] {
  const names = new Set(row?.columns.map((column) => column.replace(/[.[].*/s, '')));
  return [...(origin?.exported?.covered ?? [])].filter((name) => names.has(name));
}

/** The exported values of a row, as edits of the stored record. */
export function exportedEdits(record: ParsedRecord, { attributes: base }: Doi): Edits {
  const { attributes = {} } = record.origin?.exported ?? {};
  const names = exportedNames(record);
  const values = names.map((name) => [name, attributes[name] ?? null]);
  const { state } = attributes;
  const present = base['state'];
  const isOther = names.includes('state') && isNonEmptyString(state) && state !== present;
  const message = `was ${state} in the export, and stays ${present}: only an event changes it`;
  const findings = isOther ? [findingAt('warning', ['state'], { message })] : [];
  return { base, findings, ...split(Object.fromEntries(values)) };
}

/** Whether the stored record is the version that was edited: unchanged since, or never read. */
function isAsRead(record: ParsedRecord, stored: Doi, sent: SentEdits | undefined): boolean {
  if (baselineOf(record) !== 'dated') return true;
  return (
    momentIn(sent?.updated ?? record.origin?.updated) === momentIn(stored.attributes['updated'])
  );
}

function jsonEdits(
  { attributes, origin }: ParsedRecord,
  { attributes: stored }: Doi,
): Omit<Edits, 'base'> {
  const { mine, instructions } = split(attributes);
  // A record that was read contains its own prefix and suffix, and XML equal to its attributes.
  const isStored = ([name, value]: [string, unknown]) =>
    origin !== undefined && value === stored[name];
  const meant = Object.entries(instructions).filter((entry) => !isStored(entry));
  if (!isStaleXml(attributes))
    return { findings: [], mine, instructions: Object.fromEntries(meant) };
  // The attributes next to the XML win (service.md, W16).
  const message =
    'differs from the stored XML and is not sent: the attributes next to it win; send it alone';
  const isEdited = isNonEmptyString(stored['xml']) && attributes['xml'] !== stored['xml'];
  const others = meant.filter(([name]) => name !== 'xml');
  const findings = isEdited ? [findingAt('warning', ['xml'], { message })] : [];
  return { findings, mine, instructions: Object.fromEntries(others) };
}

/** Whether a dated record has the values of its stored version: it needs no comparison. */
export function hasStoredValues(record: ParsedRecord, stored: Doi): boolean {
  if (!isDated(record) || record.origin?.updated !== stored.attributes['updated']) return false;
  const { mine, instructions, findings } = jsonEdits(record, stored);
  if (Object.keys(instructions).length > 0 || findings.length > 0) return false;
  return Object.entries(mine).every(([name, value]) => same(stored.attributes[name], value));
}

/** Separates attributes that a record stores from instructions to the service. */
function split(attributes: JsonObject): Pick<Edits, 'mine' | 'instructions'> {
  const entries = Object.entries(attributes).filter(
    ([name]) => name !== 'doi' && !READ_ONLY.has(name),
  );
  return {
    mine: Object.fromEntries(entries.filter(([name]) => !INSTRUCTIONS.has(name))),
    instructions: Object.fromEntries(entries.filter(([name]) => INSTRUCTIONS.has(name))),
  };
}

/** Identifies the version that was edited: exports of different versions have different texts. */
function baseId({ origin }: ParsedRecord): string | undefined {
  return origin?.exported?.id ?? origin?.updated;
}

/** The warnings about a row without edits, which needs no request; undefined for other records. */
export function findingsIfUnedited(
  record: ParsedRecord,
  sent: SentEdits | undefined,
): readonly Finding[] | undefined {
  const { row, origin } = record;
  if (row === undefined || origin?.exported === undefined) return undefined;
  // Values that were not exported have to be compared with the stored record.
  const { covered } = origin.exported;
  if ([...row.filled].some((name) => !covered.has(name))) return undefined;
  // An edit that was sent may have been undone since.
  if (sent?.base === baseId(record) && Object.keys(sent?.mine ?? {}).length > 0) return undefined;
  const { attributes, findings } = row.applyTo(origin.exported.attributes);
  const isEdited =
    Object.keys(attributes).length > 0 || findings.some(({ severity }) => severity === 'error');
  return isEdited ? undefined : findings;
}

/** Whether a row is known to differ from its exported values. */
export function isEditedRow(record: ParsedRecord): boolean {
  return (
    record.origin?.exported !== undefined && findingsIfUnedited(record, undefined) === undefined
  );
}

/** The edits that the ledger stores for an update. @param after the record after the update. */
export function sentEdits(
  record: ParsedRecord,
  { mine }: Edits,
  after: Doi,
): SentEdits | undefined {
  const base = baseId(record);
  if (base === undefined) return undefined;
  if (record.origin?.exported !== undefined) return { base, mine };
  return { base, updated: String(after.attributes['updated']) };
}

/**
 * Refuses a row whose cells belong to another DOI, because columns were sorted or moved apart.
 * @param isRenamed whether the row is known to get another DOI than the exported one.
 * @throws {CliError} kind `usage`
 */
export function refuseOtherRow(record: ParsedRecord, isRenamed = false): void {
  const { origin, doi = 'a row without a DOI', source, line } = record;
  const { exported } = origin ?? {};
  if (exported === undefined) return;
  const place = placeOf({ name: source, rows: true }, line ?? 1);
  const hint = 'sort all columns together, or export again';
  if (!isRenamed && exported.doi.toLowerCase() !== doi.toLowerCase()) {
    const cell = `the cell 'exported' of ${doi} belongs to ${exported.doi}`;
    throw usageError(`${place}: ${cell}: columns were sorted separately`, hint);
  }
  const name = otherMember(record, exported.attributes);
  if (name === undefined) return;
  const [cell, before] = [origin?.[name], exported.attributes[name]].map((value) =>
    JSON.stringify(value),
  );
  const difference = `${name} is ${cell}, but was ${before} in the export of ${doi}`;
  throw usageError(`${place}: ${difference}: columns were moved separately`, hint);
}

/** An error for a record whose time of creation or account differs from the stored record. */
export function otherRecordFindings(record: ParsedRecord, stored: Doi): readonly Finding[] {
  const members: JsonObject = { created: stored.attributes['created'], client: stored.client };
  const name = otherMember(record, members);
  if (name === undefined) return [];
  const what = record.row === undefined ? 'the file' : 'the row';
  const remedy = record.row === undefined ? 'remove it' : 'empty the cell';
  const message =
    `is ${String(members[name])} in the record: ${what} may belong to another DOI; ` +
    `if it does not, ${remedy}`;
  return [findingAt('error', [name], { message, value: record.origin?.[name] })];
}

/** The first member that shows that a record is not the one described by `members`. */
function otherMember(
  { origin, row }: ParsedRecord,
  members: JsonObject,
): 'created' | 'updated' | 'client' | undefined {
  for (const name of ['created', 'updated'] as const) {
    const [time, other] = [origin?.[name], members[name]];
    if (!isNonEmptyString(time) || !isNonEmptyString(other)) continue;
    const isOther = row ? row.isOtherTime(time, other) : (momentIn(time) ?? 0) !== momentIn(other);
    if (isOther) return name;
  }
  const [client, other] = [origin?.client, members['client']];
  if (!isNonEmptyString(client) || !isNonEmptyString(other)) return undefined;
  return client.toLowerCase() === other.toLowerCase() ? undefined : 'client';
}

/**
 * The edited attributes, where those that the service would store like the present value, or like
 * the value before the edits, have that value: they are not edits (service.md, W21).
 */
export function inStoredForm(
  { mine, base }: Edits,
  record: ParsedRecord,
  stored: Attributes,
): Attributes {
  const [, written] = comparisonWith(withNumberTexts(mine, record), [])(stored);
  const entries = Object.entries(mine).map(([name, value]) => {
    const isWritten = name in written;
    const known = [stored, base].find(
      (version) => isWritten && same(version?.[name], written[name]),
    );
    return [name, known === undefined ? value : known[name]];
  });
  return Object.fromEntries(entries);
}
