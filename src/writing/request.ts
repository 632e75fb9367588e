import type { Event } from '../api/states.ts';
import { CliError, usageError } from '../errors.ts';
import { InvalidRecord, type ParsedRecord, withAttributes } from '../formats/input/record.ts';
import { beginningOf, type InputRecord, type Numbered, placeOf } from '../formats/input/source.ts';
import { type NamedDoi, namedDoi } from '../formats/named-dois.ts';
import { wasRead } from '../metadata/kernel.ts';
import { parseDoi } from '../text/doi.ts';
import { isNonEmptyString } from '../text/json-values.ts';
import { eventOf } from './body.ts';
import { exportedNames } from './edits.ts';
import { refuseUnknown } from './findings.ts';
import type { WriteCommand } from './ledger/outcome.ts';
import { type Assignment, assignmentText } from './set.ts';
import { refuseUnreadDois } from './unread-dois.ts';

/** A change that a command line or a file requests for one record. */
export type ChangeRequest =
  | CreateRequest
  | UpdateRequest
  | EventRequest
  | DeleteRequest
  | TransferRequest;

interface Checked {
  /** Whether the record is checked before it is sent. */
  readonly validate: boolean;
}

export interface CreateRequest extends Checked {
  readonly command: 'create';
  readonly record: ParsedRecord;
  readonly event: Event | undefined;
  /** The prefix of the DOI of a record without one. */
  readonly prefix: string | undefined;
}

export interface UpdateRequest extends Checked {
  readonly command: 'update';
  readonly doi: string;
  /** The record in a file. */
  readonly record?: ParsedRecord | undefined;
  readonly set?: readonly Assignment[] | undefined;
  readonly event?: Event | undefined;
  /** Whether edits replace values that changed since the record was read. */
  readonly overwrite?: boolean | undefined;
  /** Whether the exported values of the record are put back, instead of its edits. */
  readonly restore?: boolean | undefined;
}

export interface EventRequest extends Checked {
  /** An event; `show` has the effect of `publish` on a Registered record. */
  readonly command: Exclude<Event, 'show'>;
  readonly doi: string;
  readonly reason?: string | undefined;
}

interface DeleteRequest extends Checked {
  readonly command: 'delete';
  readonly doi: string;
  /** Whether a DOI that does not exist counts as deleted, as in a file. */
  readonly mayBeMissing?: boolean;
}

export interface TransferRequest extends Checked {
  readonly command: 'transfer';
  readonly doi: string;
  /** The repository account that gets the DOI, in lower case. */
  readonly to: string;
}

/** The options of a command line for its records. */
export interface RequestOptions {
  readonly command: WriteCommand;
  readonly event?: Event | undefined;
  readonly set?: readonly Assignment[] | undefined;
  readonly reason?: string | undefined;
  readonly to?: string | undefined;
  readonly validate: boolean;
  readonly overwrite?: boolean | undefined;
  readonly restore?: boolean | undefined;
  readonly prefix?: string | undefined;
  /** The landing page of records as XML, see `landingPage`. */
  readonly url?: string | undefined;
}

/** Whether the lines of a file are records; otherwise only their DOIs are used. */
export function expectsRecords({ command, set = [] }: RequestOptions): boolean {
  return command === 'create' || (command === 'update' && set.length === 0);
}

/** The options that change all records, except the event, as text for a ledger's header. */
export function changeTextOf({ set = [], to, reason }: RequestOptions): string | undefined {
  const words = [
    ...set.map((assignment) => ['--set', assignmentText(assignment)]),
    ['--to', to],
    ['--reason', reason],
  ];
  const present = words.filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : present.flat().join(' ');
}

/** The request for a DOI of the command line, or of a line of a file. */
export function requestFor(doi: string, options: RequestOptions): ChangeRequest {
  const { command, event, set, reason, to = '', validate, overwrite } = options;
  if (command === 'create') throw new Error('a new record is more than a DOI');
  if (command === 'update') return { command, doi, set, event, validate, overwrite };
  if (command === 'transfer') return { command, doi, to, validate };
  return command === 'delete' ? { command, doi, validate } : { command, doi, reason, validate };
}

/**
 * The request for a record of a file.
 * @throws {CliError} kind `usage` for a record without the values that the command needs;
 *   `rejected` for the result of a failed line.
 */
export function requestIn(
  input: InputRecord,
  file: Numbered,
  options: RequestOptions,
): ChangeRequest {
  if (expectsRecords(options)) return recordRequest(input, file, options);
  const { doi, failure } = nameIn(input, file, options);
  if (failure !== undefined || doi === undefined)
    throw new CliError('rejected', failure ?? 'the line has no DOI');
  const request = requestFor(doi, options);
  return request.command === 'delete' ? { ...request, mayBeMissing: true } : request;
}

/** The DOI of a request; a new record may have none yet. */
export function doiOf(request: ChangeRequest): string | undefined {
  return request.command === 'create' ? request.record.doi : request.doi;
}

/** Whether an update consists of the edits in its record. */
export function isOnlyEdits({ event, set = [], restore }: UpdateRequest): boolean {
  return event === undefined && set.length === 0 && !restore;
}

/**
 * The DOI of a line of which nothing else is used. @throws {CliError} kind `usage` for attributes
 * that would not be sent.
 */
export function nameIn(input: InputRecord, file: Numbered, { command }: RequestOptions): NamedDoi {
  const place = placeOf(file, input.line);
  const named = namedDoi(input, place);
  const attribute = named.attributes?.find((name) => name !== 'id' && name !== 'type');
  if (command !== 'update' || attribute === undefined) return named;
  throw usageError(
    `${place} has attributes (${attribute}): with --set, only its DOI would be used`,
    'send the attributes without --set first, or keep only the DOIs: jq -r .doi',
  );
}

function recordRequest(
  input: InputRecord,
  file: Numbered,
  options: RequestOptions,
): CreateRequest | UpdateRequest {
  const [source, line] = beginningOf(file, input.line);
  const record = withUrl(input.parse(source, line), options.url);
  const place = placeOf(file, input.line);
  return options.command === 'create'
    ? createRequest(record, options, place)
    : updateRequest(record, options, place);
}

/**
 * The request that creates a record. @param place of the record in messages.
 * @throws {CliError} kind `usage` without a DOI or a prefix, for a DOI that is not read, and for an
 *   event that no new record can have.
 */
export function createRequest(
  record: ParsedRecord,
  { event: requestedEvent, prefix: defaultPrefix, validate }: RequestOptions,
  place: string,
): CreateRequest {
  const event = eventOf(record, requestedEvent, place);
  if (event === 'show') {
    throw usageError(
      `${place}: the event show is for a Registered record`,
      'a new record takes publish',
    );
  }
  const { doi } = record;
  const mayHave = record.row?.filled.has('prefix') ?? true;
  const named = mayHave ? record.attributes['prefix'] : undefined;
  const prefix = isNonEmptyString(named) ? named : defaultPrefix;
  refuseUnreadDois(record, place);
  if (doi !== undefined || prefix !== undefined) {
    const withDoi = withSuffix(record, prefix, place);
    return { command: 'create', record: withDoi, event, prefix, validate };
  }
  throw usageError(
    `${place}: the attributes have neither a doi nor a prefix`,
    'add --prefix 10.5072',
  );
}

/**
 * A record with the DOI that its prefix and suffix form: the service ignores the suffix
 * (service.md, W2). @param prefix of a record without one.
 */
export function withSuffix(
  record: ParsedRecord,
  prefix: string | undefined,
  place: string,
): ParsedRecord {
  if (record.doi !== undefined || prefix === undefined) return record;
  const { attributes } = record;
  const { suffix } = attributes;
  if (!isNonEmptyString(suffix)) return record;
  try {
    const doi = parseDoi(`${prefix}/${suffix}`);
    return { ...record, attributes: { ...attributes, doi }, doi };
  } catch (error) {
    throw new InvalidRecord(place, `suffix: ${(error as Error).message}`);
  }
}

function updateRequest(
  record: ParsedRecord,
  options: RequestOptions,
  place: string,
): UpdateRequest {
  const { event: requestedEvent, validate, overwrite, restore } = options;
  const { doi, row, origin } = record;
  const event = eventOf(record, requestedEvent, place);
  if (doi === undefined) {
    refuseUnreadDois(record, place);
    throw usageError(`${place}: the record has no doi`, 'add the doi to each record');
  }
  if (restore && exportedNames(record).length === 0) {
    const hint = 'use a file of: doi-cli dois list --format csv';
    const missing =
      origin?.exported === undefined ? 'exported values' : 'columns of the attributes';
    throw usageError(`${place}: --restore needs the ${missing}, which are not there`, hint);
  }
  // Unknown members of a record that was read are compared with the stored record later; unknown
  // columns were refused before.
  if (validate && row === undefined && !wasRead(record.attributes))
    refuseUnknown(place, record.attributes);
  return { command: 'update', doi, record, event, validate, overwrite, restore };
}

/** A record of XML, which contains no URL, with its landing page. */
export function withUrl(record: ParsedRecord, url: string | undefined): ParsedRecord {
  return url === undefined ? record : withAttributes(record, { ...record.attributes, url });
}
