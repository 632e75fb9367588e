import { type Event, stateAfter } from '../api/states.ts';
import { usageError } from '../errors.ts';
import type { Finding } from '../metadata/check.ts';
import { type ParsedRecord, parseRecord, refuseTwoDois } from './document.ts';
import type { WriteCommand } from './entry.ts';
import { findingsIn } from './findings.ts';
import { type NamedDoi, namedDoi } from './named-dois.ts';
import type { Wish } from './plan.ts';
import { prefixOf, refuseShow, requestOf } from './sent-record.ts';

/** How to read the lines of a file, and what to do with each. */
export interface LineOptions extends Omit<Wish, 'command'> {
  readonly command: WriteCommand;
  /** Whether a line holds a record; else it only names a DOI, and the command line says what to do with that. */
  readonly holdsRecords: boolean;
  /** What to call the file in messages. */
  readonly name: string;
  /** The prefix for records that name neither a DOI nor a prefix. */
  readonly prefix: string | undefined;
}

/** The record of a line, and what it asks for. */
export interface LineRecord {
  readonly parsed: ParsedRecord;
  readonly prefix: string | undefined;
  readonly event: Event | undefined;
}

/**
 * The DOI of a line, if it has one.
 * @throws {CliError} kind `usage` when the line does not hold what the command needs.
 */
export function doiOfLine(text: string, line: number, options: LineOptions): string | undefined {
  return (options.holdsRecords ? readLine(text, line, options).parsed : readName(text, line, options)).doi;
}

/**
 * The DOI that a line names.
 * @throws {CliError} kind `usage` when it names none, or holds attributes that would not be sent.
 */
export function readName(text: string, line: number, { command, name }: LineOptions): NamedDoi {
  const named = namedDoi(text, `${name}:${line}`);
  const [own] = (named.attributes ?? []).filter((one) => one !== 'id' && one !== 'type');
  if (command === 'update' && own !== undefined) {
    throw usageError(
      `${name}:${line} has attributes of its own (${own}), and with --set a line of many only names its DOI`,
      'send them without --set first, or leave them out: jq -r .doi',
    );
  }
  return named;
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
  if (options.command === 'update') refuseTwoDois(source, parsed.id, attributes['doi']);
  if (doi === undefined && options.command === 'update') {
    throw usageError(`${source}: the record names no doi`, 'name the doi of each record to update');
  }
  const prefix = prefixOf(parsed, source, options.prefix);
  return { parsed, prefix, event };
}

/** The findings about the record of a line, for what it asks for. */
export function findingsOf({ parsed, event }: LineRecord, { command }: LineOptions): readonly Finding[] {
  return findingsIn(parsed, command === 'create' ? stateAfter(event) : 'update');
}
