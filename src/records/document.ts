import type { Attributes } from '../api/dois.ts';
import { EVENTS, type Event, isEvent } from '../api/states.ts';
import { CliError, usageError } from '../errors.ts';
import {
  DuplicateMember,
  type JsonPosition,
  jsonPositions,
  type Path,
  positionAt,
} from '../text/json-positions.ts';
import { syntaxProblem } from '../text/json-syntax.ts';
import { isNonEmptyString, isObject, type JsonObject } from '../text/json-values.ts';
import { bareDoi, parseDoi } from '../text/parsers.ts';
import { type Row, rowIn } from './row.ts';
import { asSent, defaultSchemaVersion } from './sent-record.ts';

/** One record of a file, with its text and the positions in it. */
export interface ParsedRecord {
  readonly attributes: Attributes;
  /** The DOI in its attributes, or the id of its resource object. */
  readonly doi: string | undefined;
  /** The id of its resource object, if it has one. */
  readonly id?: unknown;
  /** What to call the file in messages. */
  readonly source: string;
  /** The line of the file on which `text` begins, from 1; undefined where it is not in a file. */
  readonly line: number | undefined;
  /** The JSON text of the record. */
  readonly text: string;
  /** Of the values in `text`; `positionAt(positions, [...at, …])` is that of an attribute. */
  readonly positions: JsonPosition;
  /** The path of the attributes within `text`. */
  readonly at: Path;
  /** What it was made of, if it is a row of a spreadsheet. */
  readonly row?: Row | undefined;
}

/** A text that is not a record. */
export class InvalidRecord extends CliError {
  /** The message without the name of the file and the line. */
  readonly problem: string;
  /** Where in the text it is, each from 1, if it is in one place. */
  readonly at: { readonly line?: number; readonly character?: number };

  constructor(
    where: string,
    problem: string,
    { separator = ': ', ...at }: { separator?: ': ' | ' '; line?: number; character?: number } = {},
  ) {
    super('usage', `${where}${separator}${problem}`);
    this.problem = problem;
    this.at = at;
  }
}

/** A JSON:API document to send, and what it asks for. */
export interface DoiDocument {
  /** The text of the request body. */
  readonly body: string;
  /** The DOI that it names; undefined when the service chooses the suffix. */
  readonly doi: string | undefined;
  /** The event that it asks for; without one the record becomes a Draft. */
  readonly event: Event | undefined;
}

/**
 * One record from JSON text: a JSON:API document, its resource object as `dois get` prints it, or a bare
 * attributes object. The text may be a whole file or one line of NDJSON.
 * @param source what to call the file in errors.
 * @param line the line of the file on which the text begins, from 1; errors name it when given.
 * @throws {InvalidRecord} when the text is none of these.
 */
export function parseRecord(text: string, source: string, line?: number): ParsedRecord {
  const where = line === undefined ? source : `${source}:${line}`;
  const parsed = parseJson(text, source, line ?? 1);
  refuseList(parsed, where, '.[]');
  if (!isObject(parsed)) throw new InvalidRecord(where, 'holds no JSON object', { separator: ' ' });
  if (isResult(parsed)) {
    throw new InvalidRecord(where, `is the result of a run, not a record: ${TAKERS} take results`);
  }
  const row = rowIn(parsed);
  if (row !== undefined) return rowRecord(row, parsed, source, line ?? 1);
  const given = parsed;
  let at: Path = [];
  let resource: JsonObject | undefined;
  if ('data' in given) {
    refuseList(given['data'], where, '.data[]');
    at = ['data', 'attributes'];
    resource = asObject(given['data'], where, 'data must be one resource object');
    if (resource['type'] !== 'dois') throw new InvalidRecord(where, 'data.type must be "dois"');
  } else if (isObject(given['attributes'])) {
    at = ['attributes'];
    resource = given;
    if ((resource['type'] ?? 'dois') !== 'dois') throw new InvalidRecord(where, 'type must be "dois"');
  }
  const attributes = resource
    ? asObject(resource['attributes'], where, 'data.attributes must be an object')
    : given;
  const doi = [attributes['doi'], resource?.['id']].find(isNonEmptyString);
  return {
    attributes,
    doi,
    id: resource?.['id'],
    source,
    line: line ?? 1,
    text,
    positions: positionsOf(text, where, line ?? 1),
    at,
  };
}

/** The commands that take no more than a DOI. */
const TAKERS = 'publish, register, hide, delete and update --set';

/**
 * @param where the file and line.
 * @throws {CliError} kind `usage` for a record whose id names another DOI than its attributes: only one of them
 *   can be the record to change.
 */
export function refuseTwoDois(where: string, id: unknown, doi: unknown): void {
  if (!isNonEmptyString(id) || !isNonEmptyString(doi)) return;
  if (bareDoi(id).toLowerCase() === bareDoi(doi).toLowerCase()) return;
  throw usageError(
    `${where}: its id is ${id}, and its doi ${doi}`,
    'correct one of them, or leave the id out',
  );
}

/** Whether it is a line that a bulk run has printed; sent as a record it would make an empty one. */
function isResult({ outcome, errors }: JsonObject): boolean {
  return typeof outcome === 'string' && Array.isArray(errors);
}

/** What options that describe a record are called in messages. */
export const OPTIONS = 'the record';

/**
 * A record that is in no file.
 * @param source what gave the attributes: {@link OPTIONS}, or `--set`.
 */
export function recordOf(attributes: JsonObject, source: string): ParsedRecord {
  return { ...parseRecord(JSON.stringify(attributes), source), line: undefined };
}

/** The new record that a row describes. What it changes of another one is up to that, see `effective`. */
function rowRecord(row: Row, { doi: own }: JsonObject, source: string, line: number): ParsedRecord {
  const doi = isNonEmptyString(own) ? own : undefined;
  const attributes = { ...(doi === undefined ? {} : { doi }), ...row.attributes };
  const text = JSON.stringify(attributes);
  return { attributes, doi, source, line, text, positions: jsonPositions(text), at: [], row };
}

/**
 * The request that creates a record.
 * @param prefix for a record that names neither a DOI nor a prefix.
 * @throws {CliError} kind `usage` when there is no DOI and no prefix; see also {@link requestOf}.
 */
export function doiDocument(
  record: ParsedRecord,
  event: Event | undefined,
  prefix: string | undefined,
): DoiDocument {
  const { attributes, doi, source } = record;
  refuseShow(source, event ?? attributes['event']);
  const named = doi !== undefined || isNonEmptyString(attributes['prefix']);
  if (!named && (prefix === undefined || 'prefix' in attributes)) {
    throw record.line === undefined
      ? usageError(
          'the options name neither a doi nor a prefix',
          'add --prefix 10.5072, or --doi 10.5072/abc',
        )
      : usageError(
          `${source}: the attributes name neither a doi nor a prefix`,
          'add "prefix": "10.5072" or "doi"',
        );
  }
  const schemaVersion = defaultSchemaVersion(attributes);
  return requestOf(record, event, { prefix: named ? undefined : prefix, schemaVersion });
}

/** @throws {CliError} kind `usage` for the event of a new record that only a Registered one takes. */
export function refuseShow(source: string, event: unknown): void {
  if (event !== 'show') return;
  throw usageError(`${source}: the event show is for a Registered record`, 'a new record takes publish');
}

/**
 * The request that sends a record's attributes, in the spelling of the file, with an event if given.
 * @param extra what to add where the record names none.
 * @throws {CliError} kind `usage` for an event that does not exist, or differs from the record's own.
 */
export function requestOf(
  record: ParsedRecord,
  wanted: Event | undefined,
  extra: {
    readonly prefix?: string | undefined;
    readonly doi?: string;
    readonly schemaVersion?: string | undefined;
  } = {},
): DoiDocument {
  const { attributes, source, text, positions, at, doi } = asSent(record);
  const given = attributes['event'];
  if (given !== undefined && given !== null && !isEvent(given)) {
    // The service ignores an event that it does not know and answers 201 (service.md, W4).
    throw usageError(`${source}: the event must be one of ${EVENTS.join(', ')}`);
  }
  if (wanted !== undefined && given !== undefined && given !== wanted) {
    throw usageError(`${source} has an event of its own, ${JSON.stringify(given)}`, 'leave out --event');
  }
  const { start, end, members } = positionAt(positions, at) ?? positions;
  let own = text.slice(start, end);
  // The service ignores a DOI that is only the id of the resource object.
  const named = extra.doi ?? doi;
  const emptyDoi = isNonEmptyString(attributes['doi']) ? undefined : members?.get('doi');
  if (named !== undefined && emptyDoi !== undefined) {
    own = text.slice(start, emptyDoi.start) + JSON.stringify(named) + text.slice(emptyDoi.end, end);
  }
  const added = JSON.stringify({
    event: given === undefined ? wanted : undefined,
    doi: 'doi' in attributes ? undefined : named,
    prefix: extra.prefix,
    schemaVersion: extra.schemaVersion,
  });
  if (added !== '{}') own = `${added.slice(0, -1)}${members?.size ? ',' : ''}${own.slice(1)}`;
  const isDocument = at[0] === 'data';
  return {
    body: isDocument
      ? text.slice(0, start) + own + text.slice(end)
      : `{"data":{"type":"dois","attributes":${own}}}`,
    doi,
    event: wanted ?? (isEvent(given) ? given : undefined),
  };
}

function parseJson(text: string, source: string, first: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (isDoi(text)) {
      throw new InvalidRecord(`${source}:${first}`, `is a DOI, not a record: ${TAKERS} take DOIs`);
    }
    // The words of the parser quote the text, line breaks included.
    const { message, character, ...found } = syntaxProblem(text);
    const line = first + found.line - 1;
    throw new InvalidRecord(`${source}:${line}:${character}`, `${message} (not valid JSON)`, {
      line,
      character,
    });
  }
}

function isDoi(text: string): boolean {
  try {
    return parseDoi(text) !== '';
  } catch {
    return false;
  }
}

/** A list, as `dois list --format json` and the service print it, is not a record. */
function refuseList(value: unknown, where: string, items: string): void {
  if (!Array.isArray(value) || value.length === 0) return;
  throw new InvalidRecord(where, `holds a list, not one record a line: convert it with jq -c '${items}'`, {
    separator: ' ',
  });
}

function positionsOf(text: string, where: string, first: number): JsonPosition {
  try {
    return jsonPositions(text);
  } catch (error) {
    if (error instanceof DuplicateMember) {
      throw new InvalidRecord(where, error.message, { line: first + error.line - 1 });
    }
    throw error;
  }
}

function asObject(value: unknown, where: string, problem: string): JsonObject {
  if (!isObject(value)) throw new InvalidRecord(where, problem);
  return value;
}
