import type { Attributes, Doi } from '../api/dois.ts';
import { type Event, isEvent, STATES, type State, stateAfter } from '../api/states.ts';
import { CliError, type Problem, usageError } from '../errors.ts';
import { OPTIONS, type ParsedRecord, type RowEdits } from '../formats/input/record.ts';
import { placeOf } from '../formats/input/source.ts';
import {
  checkRecord,
  type Finding,
  findingText,
  isUpdate,
  type Target,
  unknownFindings,
  withLines,
} from '../metadata/check.ts';
import { findingAt, withoutIndices } from '../metadata/findings.ts';
import { differenceFinding } from '../metadata/identifiers.ts';
import { isStaleXml, isUnsupported, KERNEL_4 } from '../metadata/kernel.ts';
import { misreadFindings } from '../metadata/misread.ts';
import { requiredFindings } from '../metadata/rules.ts';
import { xmlFindings } from '../metadata/xml-attributes.ts';
import { isNonEmptyString, type JsonObject, type Path, pathText } from '../text/json-values.ts';
import { counted, number } from '../text/words.ts';
import { editedList, removesPublisher } from './body.ts';
import { otherRecordFindings } from './edits.ts';
import { nameFindings } from './names-alone.ts';

/**
 * A finding in the form of compilers, which editors turn into a link: `record.json:3: error: …`.
 */
export function placedText(source: string, finding: Finding): string {
  const { line, row, character } = finding;
  if (row !== undefined)
    return `${placeOf({ name: source, rows: true }, row)}: ${findingText(finding)}`;
  if (line === undefined && source === OPTIONS) return findingText(finding);
  const place = [source, line, character].filter((part) => part !== undefined).join(':');
  return `${place}: ${findingText(finding)}`;
}

/** The findings about a record, by severity and line. @param more findings from other checks. */
export function findingsIn(
  record: ParsedRecord,
  target: Target,
  more: readonly Finding[] = [],
): readonly Finding[] {
  const { row } = record;
  const recordFindings =
    row !== undefined && isUpdate(target)
      ? []
      : withRecord(row?.findings ?? [], checkRecord(record.attributes, target));
  const keyOf = ({ path, message }: Finding) => JSON.stringify([path, message]);
  const known = new Set(more.map(keyOf));
  const findings = [...more, ...recordFindings.filter((finding) => !known.has(keyOf(finding)))];
  if (findings.length === 0) return [];
  // An option accepts only values of its list, even for a Draft.
  const isWrongOption = ({ allowed }: Finding) =>
    record.source === OPTIONS && allowed !== undefined;
  const all = findings.map((finding) =>
    isWrongOption(finding) ? { ...finding, severity: 'error' as const } : finding,
  );
  const placed = withColumns(withLines(all, record), row);
  return placed.toSorted(
    (a, b) => Number(isError(b)) - Number(isError(a)) || (a.line ?? 0) - (b.line ?? 0),
  );
}

/** Findings about cells, and findings about the record that concern other texts. */
function withRecord(cells: readonly Finding[], record: readonly Finding[]): readonly Finding[] {
  const isKnown = ({ steps, value }: Finding) =>
    cells.some((cell) => cell.steps[0] === steps[0] && value !== undefined && cell.value === value);
  return [...cells, ...record.filter((finding) => !isKnown(finding))];
}

function withColumns(findings: readonly Finding[], row: RowEdits | undefined): readonly Finding[] {
  if (row === undefined) return findings;
  return findings.map(({ line, ...finding }) => {
    const head = row.headOf(finding.path) ?? row.headAt(finding.steps);
    const place = line === undefined ? {} : { row: line };
    return { ...finding, ...place, ...(head === undefined ? {} : { column: head }) };
  });
}

/**
 * Refuses members of an update that the service does not know and would drop.
 * @param path of a single value within the attributes; it replaces the indexes in messages.
 * @param hint of the error.
 */
export function refuseUnknown(
  source: string,
  attributes: JsonObject,
  path: Path = [],
  hint = '--no-validate sends it anyway',
): void {
  const [unknown] = unknownFindings(attributes);
  if (unknown === undefined) return;
  const steps = [...path.slice(0, unknown.steps.length), ...unknown.steps.slice(path.length)];
  const text = findingText({ ...unknown, path: pathText(steps).replaceAll('[-1]', '[]') });
  throw usageError(`${source}: ${text.replace(/^error: /, '')}`, hint);
}

/** Whether a record with this finding must not be sent. */
export function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

/** The most findings of a record that are reported. */
const MOST_FINDINGS = 1000;

/** The findings of a record to report: the first, and one with the number of the others. */
export function firstFindings(
  findings: readonly Finding[],
  most = MOST_FINDINGS,
): readonly Finding[] {
  const others = findings.slice(most);
  if (others.length === 0) return findings;
  const severity = others.some(isError) ? 'error' : 'warning';
  const message = `and ${number(others.length)} more`;
  return [...findings.slice(0, most), findingAt(severity, [], { message })];
}

/** Refuses to send a record with errors; otherwise prints the warnings, if they are printed. */
export function reportFindings(
  source: string,
  findings: readonly Finding[],
  hint = 'correct the record',
  warn?: (text: string) => void,
): void {
  const errors = findings.filter(isError);
  if (errors.length > 0) {
    throw new CliError(
      'usage',
      `${source} has ${counted(errors.length, 'error')}; nothing was sent`,
      {
        hint,
        problems: firstFindings(errors).map(toProblem),
        lines: linesOf(source, findings),
      },
    );
  }
  if (warn !== undefined) for (const line of linesOf(source, findings)) warn(line);
}

/** A line for each error; equal warnings about items of one list share a line with their number. */
function linesOf(source: string, findings: readonly Finding[]): readonly string[] {
  const alike = new Map<string, readonly [first: Finding, count: number]>();
  for (const finding of findings) {
    const { severity, path, message } = finding;
    const place = isError(finding) ? path : withoutIndices(path);
    const key = JSON.stringify([severity, place, message]);
    const [first = finding, count = 0] = alike.get(key) ?? [];
    alike.set(key, [first, count + 1]);
  }
  const kinds = [...alike.values()];
  const lines = kinds.slice(0, MOST_FINDINGS).map(([first, count]) => {
    const more = count === 1 ? '' : ` (and ${number(count - 1)} more like it)`;
    return `${placedText(source, first)}${more}`;
  });
  const others = kinds.slice(MOST_FINDINGS).reduce((sum, [, count]) => sum + count, 0);
  return others === 0 ? lines : [...lines, `${source}: and ${number(others)} more`];
}

/** Adds the lines of the record to the problems of an error 422; returns other errors unchanged. */
export function withLocations(error: unknown, record: ParsedRecord): unknown {
  if (!(error instanceof CliError) || error.status !== 422 || error.problems.length === 0)
    return error;
  const located = withLines(
    error.problems.map(({ path, message }): Finding => {
      // The service writes names in snake_case here (service.md, E2).
      const name = path?.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) ?? '';
      return { severity: 'error', path: name, steps: name === '' ? [] : [name], message };
    }),
    record,
  );
  const placed = withColumns(located, record.row);
  return error.with({
    message: `the service refused the record (HTTP ${error.status})`,
    problems: placed.map(toProblem),
    lines: placed.map((finding) => placedText(record.source, finding)),
  });
}

/** A finding in JSON output. */
export function toProblem({ severity: _, steps: __, dropped: ___, ...finding }: Finding): Problem {
  return finding;
}

/** The target to check an update for: a Draft that remains a Draft may lack values. */
export function updateTarget(before: Doi, event: Event | undefined): Target {
  const isDraft = event === undefined && before.attributes['state'] === 'draft';
  return isDraft ? 'draft update' : 'update';
}

/**
 * Findings about an update that depend on the stored record.
 * @param edited the record with the attributes that are sent.
 * @param ofEdits findings of the comparison with what was read.
 */
export function findingsAgainst(
  before: Doi,
  edited: ParsedRecord,
  event: Event | undefined,
  ofEdits: readonly Finding[],
): readonly Finding[] {
  const { attributes: stored } = before;
  const { attributes: sent, row } = edited;
  const target = updateTarget(before, event);
  const isDraft = target === 'draft update';
  const unknown = unknownFindings(sent, stored);
  return [
    ...otherRecordFindings(edited, before),
    ...(row === undefined ? [] : withRecord(ofEdits, [...checkRecord(sent, target), ...unknown])),
    ...missing(before, edited, event),
    ...nameFindings(stored, sent),
    ...(isDraft ? [] : outdatedFindings(stored, sent)),
    ...(isDraft ? [] : xmlFindings(sent, true)),
    ...(editedList(sent, stored) === 'both' ? [differenceFinding(sent)] : []),
    ...removedPublisher(stored, sent),
    ...misreadFindings(sent, stored),
    ...(row === undefined ? [...unknown, ...ofEdits] : []),
  ];
}

/** The error for a record whose schema version the service no longer updates (service.md, S6). */
export function outdatedFindings(stored: Attributes, sent: Attributes): readonly Finding[] {
  const { schemaVersion: value } = stored;
  // XML contains its own version.
  const hasOtherVersion =
    isNonEmptyString(sent['schemaVersion']) || (isNonEmptyString(sent['xml']) && !isStaleXml(sent));
  if (!isUnsupported(value) || hasOtherVersion) return [];
  const message = `is ${value}, which the service no longer supports: send another version`;
  return [findingAt('error', ['schemaVersion'], { message, suggestion: KERNEL_4 })];
}

/** The warning about a null that would not remove the publisher. */
function removedPublisher(stored: Attributes, sent: Attributes): readonly Finding[] {
  if (!removesPublisher(sent, stored)) return [];
  const message = 'null would have no effect; sent as {"name":null}';
  return [findingAt('warning', ['publisher'], { message })];
}

/** The attributes that the record would lack; without an event, only updated ones. */
function missing(
  before: Doi,
  { attributes }: ParsedRecord,
  event: Event | undefined,
): readonly Finding[] {
  const state: State | undefined =
    event === undefined
      ? STATES.find((state) => state === before.attributes['state'])
      : stateAfter(event);
  if (state === undefined || state === 'draft') return [];
  // The stored XML adds nothing: the service generates it from the attributes (service.md, W16).
  const { xml: _, ...current } = before.attributes;
  const all = requiredFindings({ ...current, ...attributes }, state);
  // An old record may lack attributes that this update does not change.
  return isEvent(event) ? all : all.filter(({ steps }) => String(steps[0]) in attributes);
}
