import { type Event, stateAfter } from '../../../api/states.ts';
import { type Problem, usageError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import { isNonEmptyString } from '../../../text/json-values.ts';
import { type ParsedRecord, parseRecord, refuseShow, requestOf } from '../record/document.ts';
import { findingsIn, isError, toProblem } from '../record/findings.ts';

/** How to read the lines of a file. */
export interface LineOptions {
  readonly command: 'create' | 'update';
  /** What to call the file in messages. */
  readonly name: string;
  readonly event: Event | undefined;
  /** The prefix for records that name neither a DOI nor a prefix. */
  readonly prefix: string | undefined;
  /** Whether records are checked before they are sent. */
  readonly validate: boolean;
}

/** The record of a line, and what it asks for. */
export interface LineRecord {
  readonly parsed: ParsedRecord;
  readonly prefix: string | undefined;
  readonly event: Event | undefined;
}

/**
 * The record of one line.
 * @throws {CliError} kind `usage` when the line holds no record, or one that lacks the DOI or prefix it
 *   needs.
 */
export function readLine(text: string, line: number, options: LineOptions): LineRecord {
  const parsed = parseRecord(text, options.name, line);
  const source = `${options.name}:${line}`;
  const { event } = requestOf({ ...parsed, source }, options.event);
  if (options.command === 'create') refuseShow(source, event);
  const { doi, attributes } = parsed;
  const prefix = isNonEmptyString(attributes['prefix']) ? attributes['prefix'] : options.prefix;
  if (doi === undefined && options.command === 'update') {
    throw usageError(`${source}: the record names no doi`, 'add "doi" to its attributes');
  }
  if (doi === undefined && prefix === undefined) {
    throw usageError(
      `${source}: the attributes name neither a doi nor a prefix`,
      'add --prefix 10.5072, or "doi" or "prefix" to the record',
    );
  }
  return { parsed, prefix, event };
}

/** The errors of a record; empty when it may be sent. */
export function problemsOf({ parsed, event }: LineRecord, { command, validate }: LineOptions): Problem[] {
  return validate ? errorsIn(findingsIn(parsed, command === 'create' ? stateAfter(event) : 'update')) : [];
}

/** What the service drops of a record, as a member of its result; none where it drops nothing. */
export function droppedMember({ parsed }: LineRecord, { command }: LineOptions): { dropped?: Problem[] } {
  const target = command === 'create' ? 'draft' : 'update';
  const dropped = findingsIn(parsed, target).filter((finding) => finding.dropped);
  return dropped.length === 0 ? {} : { dropped: dropped.map(toProblem) };
}

export function errorsIn(findings: readonly Finding[]): Problem[] {
  return findings.filter(isError).map(toProblem);
}
