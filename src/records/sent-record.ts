import type { Attributes } from '../api/dois.ts';
import { EVENTS, type Event, isEvent } from '../api/states.ts';
import { usageError } from '../errors.ts';
import { rowChanges } from '../metadata/columns/row.ts';
import { corrected } from '../metadata/corrections.ts';
import { asIdentifiers, listsDiffer, sameIdentifiers } from '../metadata/identifiers.ts';
import { isStaleXml, KERNEL_4 } from '../metadata/kernel.ts';
import { inexactNumber, membersOf, nodeAt, spelled } from '../text/json.ts';
import { isNonEmptyString } from '../text/json-values.ts';
import type { ParsedRecord, Row } from './document.ts';

export interface DoiDocument {
  readonly body: string;
  /** The event that it asks for; without one the record becomes a Draft. */
  readonly event: Event | undefined;
}

/** A record to create, and what it asks for. */
export interface NewRecord {
  readonly parsed: ParsedRecord;
  /** The prefix below which it gets its DOI, if it names none. */
  readonly prefix: string | undefined;
  readonly event: Event | undefined;
}

/** What a record to create asks for. @param usual the prefix where it names neither a DOI nor a prefix. */
export function newRecord(
  parsed: ParsedRecord,
  where: string,
  wanted: Event | undefined,
  usual: string | undefined,
): NewRecord {
  const { event } = requestOf({ ...parsed, source: where }, wanted);
  if (event === 'show') {
    throw usageError(`${where}: the event show is for a Registered record`, 'a new record takes publish');
  }
  const { attributes, doi } = parsed;
  const prefix = isNonEmptyString(attributes['prefix']) ? attributes['prefix'] : usual;
  if (doi !== undefined || prefix !== undefined) return { parsed, event, prefix };
  throw usageError(`${where}: the attributes name neither a doi nor a prefix`, 'add --prefix 10.5072');
}

/** The body of the request that creates a record with this DOI, or below this prefix. */
export function createBody(
  { parsed, event }: NewRecord,
  name: { readonly prefix?: string | undefined; readonly doi?: string },
): string {
  return requestOf(parsed, event, { ...name, schemaVersion: defaultSchemaVersion(parsed.attributes) }).body;
}

/** The request that sends a record, with an event if given. @param extra what it gets where it names none. */
export function requestOf(
  record: ParsedRecord,
  wanted: Event | undefined,
  extra: {
    readonly prefix?: string | undefined;
    readonly doi?: string;
    readonly schemaVersion?: string | undefined;
  } = {},
): DoiDocument {
  const { source, doi } = record;
  const attributes = asSent(record.attributes);
  const given = attributes['event'];
  if (given !== undefined && given !== null && !isEvent(given)) {
    // The service ignores an event that it does not know and answers 201 (service.md, W4).
    throw usageError(`${source}: the event must be one of ${EVENTS.join(', ')}`);
  }
  if (wanted !== undefined && given !== undefined && given !== wanted) {
    throw usageError(`${source} has an event of its own, ${JSON.stringify(given)}`, 'leave out --event');
  }
  // The service ignores a DOI that is only the id of the resource object.
  const named = isNonEmptyString(attributes['doi']) ? attributes['doi'] : (extra.doi ?? doi);
  const prefix = isNonEmptyString(attributes['prefix']) ? undefined : extra.prefix;
  const sent = {
    ...defined({ event: given === undefined ? wanted : undefined, schemaVersion: extra.schemaVersion }),
    ...attributes,
    ...defined({ prefix, doi: named }),
  };
  return {
    // A relationship of the file would put a new record into the account that it names (service.md, W19).
    body: `{"data":{"type":"dois","attributes":${writtenOf(sent, record)}}}`,
    event: wanted ?? (isEvent(given) ? given : undefined),
  };
}

const defined = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/**
 * Attributes as JSON. Those that are sent as they were read keep their spelling: JavaScript would write 1.0 as 1.
 * @throws {CliError} kind `usage` for a number in another attribute that would become a different one.
 */
function writtenOf(attributes: Attributes, { json, source }: ParsedRecord): string {
  const members = json && membersOf(nodeAt(json, json.at));
  const texts = Object.entries(attributes).map(([name, value]) => {
    const place = members?.get(name);
    const text = place && json && spelled(json, place);
    if (text !== undefined && value === json?.attributes[name]) return `${JSON.stringify(name)}:${text}`;
    const lost = inexactNumber(text ?? '');
    if (lost !== undefined) {
      const problem = `the number ${lost} in ${name} has more digits than are kept when ${name} is corrected`;
      throw usageError(`${source}: ${problem}`, 'write its lists as lists');
    }
    return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  });
  return `{${texts.join(',')}}`;
}

/** Attributes as they are sent: corrected, and without the `xml` of what was read (service.md, W16). */
export function asSent(given: Attributes): Attributes {
  const { attributes } = corrected(given);
  if (!isStaleXml(attributes)) return attributes;
  const { xml: _, ...rest } = attributes;
  return rest;
}

/** The version with which the service names what it refuses (service.md, S6). XML names its own. */
function defaultSchemaVersion(attributes: Attributes): string | undefined {
  if ('schemaVersion' in attributes) return undefined;
  return isNonEmptyString(attributes['xml']) && !isStaleXml(attributes) ? undefined : KERNEL_4;
}

/**
 * An update in the form that has its effect: both lists of identifiers say what one does (service.md, S8),
 * and a null for the publisher is an object with that null (service.md, W18). Of a row, only attributes that
 * differ are sent, complete with what has no column.
 */
export function effective<T extends { readonly attributes: Attributes; readonly row?: Row | undefined }>(
  record: T,
  stored: Attributes,
): T {
  const given =
    record.row === undefined ? record.attributes : changedBy(record.row, record.attributes, stored);
  const attributes = { ...given };
  if (takesPublisherAway(given, stored)) attributes['publisher'] = { name: null };
  if (editedList(given, stored) === 'alternateIdentifiers') {
    attributes['identifiers'] = asIdentifiers(given['alternateIdentifiers']);
  }
  return { ...record, attributes };
}

function changedBy(row: Row, { doi }: Attributes, stored: Attributes): Attributes {
  const { attributes } = rowChanges(row.cells, stored);
  return { ...(doi === undefined ? {} : { doi }), ...attributes };
}

/** Whether an update is to remove the publisher of a record. */
export function takesPublisherAway(sent: Attributes, stored: Attributes): boolean {
  return sent['publisher'] === null && (stored['publisher'] ?? null) !== null;
}

/** The list of identifiers that an update edits, of two that differ; `both` when it is not clear. */
export function editedList(
  sent: Attributes,
  stored: Attributes,
): 'identifiers' | 'alternateIdentifiers' | 'both' | undefined {
  if (!listsDiffer(sent)) return undefined;
  const before = stored['identifiers'];
  if (sameIdentifiers(sent['identifiers'], before)) return 'alternateIdentifiers';
  const alternate = asIdentifiers(sent['alternateIdentifiers']);
  return sameIdentifiers(alternate, before) ? 'identifiers' : 'both';
}

/** A record of XML with the address of a landing page, in which `{doi}` and `{suffix}` stand for its own. */
export function withUrl(record: ParsedRecord, url: string | undefined): ParsedRecord {
  if (url === undefined) return record;
  const { json, row, doi, source } = record;
  if (json !== undefined || row !== undefined) {
    throw usageError(
      '--url and --file exclude each other, unless the file is XML',
      'write the url into the file',
    );
  }
  const made = url.replace(/\{(doi|suffix)\}/g, (_, part: string) => {
    if (doi === undefined) throw usageError(`${source} names no DOI, which --url ${url} needs`);
    return encodeURI(part === 'doi' ? doi : doi.slice(doi.indexOf('/') + 1));
  });
  return { ...record, attributes: { ...record.attributes, url: made } };
}
