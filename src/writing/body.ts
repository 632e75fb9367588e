import type { Attributes } from '../api/dois.ts';
import { EVENTS, type Event, isEvent } from '../api/states.ts';
import { usageError } from '../errors.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import { corrected } from '../metadata/corrections.ts';
import { asIdentifiers, sameIdentifiers } from '../metadata/identifiers.ts';
import { isStaleXml, KERNEL_4 } from '../metadata/kernel.ts';
import { inexactNumber, membersOf, nodeAt, spelled } from '../text/json.ts';
import { isNonEmptyString } from '../text/json-values.ts';

/** A request that sends the attributes of a record. */
export interface DoiDocument {
  readonly body: string;
  /** The event that it asks for; without one the record becomes a Draft. */
  readonly event: Event | undefined;
}

/**
 * The body of the request that creates a record. @param place the DOI that is reserved for it, or a
 * prefix where that is not yet chosen; both stand behind those of the record.
 */
export function createBody(
  record: ParsedRecord,
  event: Event | undefined,
  place: { readonly doi: string } | { readonly prefix: string | undefined },
): string {
  return documentOf(record, event, {
    ...place,
    schemaVersion: defaultSchemaVersion(record.attributes),
  }).body;
}

/**
 * The request that sends a record, with an event if given. @param extra what it gets where it names
 * none.
 */
export function documentOf(
  record: ParsedRecord,
  requestedEvent: Event | undefined,
  extra: {
    readonly doi?: string;
    readonly prefix?: string | undefined;
    readonly schemaVersion?: string | undefined;
  } = {},
): DoiDocument {
  const event = eventOf(record, requestedEvent);
  const attributes = asSent(record.attributes);
  // The service ignores a DOI that is only the id of the resource object.
  const named = isNonEmptyString(attributes['doi']) ? attributes['doi'] : (extra.doi ?? record.doi);
  const isPlaced = named !== undefined || isNonEmptyString(attributes['prefix']);
  const added = attributes['event'] === undefined ? requestedEvent : undefined;
  const sent = {
    ...defined({ event: added, schemaVersion: extra.schemaVersion }),
    ...attributes,
    ...defined({ prefix: isPlaced ? undefined : extra.prefix, doi: named }),
  };
  // A relationship of the file would put a new record into the account that it names (service.md,
  // W19).
  return { body: `{"data":{"type":"dois","attributes":${writtenOf(sent, record)}}}`, event };
}

/**
 * The event of the command line or of a record. @throws {CliError} kind `usage` for two, or one
 * that the service does not know: it would ignore it and answer with success (service.md, W4).
 */
export function eventOf(
  { source, attributes }: ParsedRecord,
  requestedEvent: Event | undefined,
): Event | undefined {
  const event = attributes['event'] ?? undefined;
  if (event !== undefined && !isEvent(event)) {
    throw usageError(`${source}: the event must be one of ${EVENTS.join(', ')}`);
  }
  if (requestedEvent !== undefined && event !== undefined && event !== requestedEvent) {
    throw usageError(
      `${source} has an event of its own, ${JSON.stringify(event)}`,
      'leave out --event',
    );
  }
  return requestedEvent ?? event;
}

const defined = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/**
 * Attributes as JSON. Those that are sent as they were read keep their spelling: JavaScript would
 * write 1.0 as 1.
 * @throws {CliError} kind `usage` for a number in another attribute that would become a different
 *   one.
 */
function writtenOf(attributes: Attributes, { json, source }: ParsedRecord): string {
  const members = json && membersOf(nodeAt(json, json.at));
  const texts = Object.entries(attributes).map(([name, value]) => {
    const place = members?.get(name);
    const text = place && json && spelled(json, place);
    if (text !== undefined && value === json?.attributes[name])
      return `${JSON.stringify(name)}:${text}`;
    const lost = inexactNumber(text ?? '');
    if (lost !== undefined) {
      const problem = `the number ${lost} in ${name} has more digits than are kept when ${name} is corrected`;
      throw usageError(`${source}: ${problem}`, 'write its lists as lists');
    }
    return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  });
  return `{${texts.join(',')}}`;
}

/**
 * Attributes as they are sent: corrected, and without the `xml` of what was read (service.md, W16).
 */
export function asSent(recordAttributes: Attributes): Attributes {
  const { attributes } = corrected(recordAttributes);
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
 * The attributes of an update in the form that has its effect: both lists of identifiers say what
 * one does (service.md, S8), and a null for the publisher is an object with that null (service.md,
 * W18).
 */
export function updateAttributes(attributes: Attributes, stored: Attributes): Attributes {
  const effect = { ...attributes };
  if (takesPublisherAway(attributes, stored)) effect['publisher'] = { name: null };
  if (editedList(attributes, stored) === 'alternateIdentifiers') {
    effect['identifiers'] = asIdentifiers(attributes['alternateIdentifiers']);
  }
  return effect;
}

/** Whether an update is to remove the publisher of a record. */
export function takesPublisherAway(sent: Attributes, stored: Attributes): boolean {
  return sent['publisher'] === null && (stored['publisher'] ?? null) !== null;
}

/**
 * The list of identifiers that an update edits, of two that differ; `both` when it is not clear.
 */
export function editedList(
  sent: Attributes,
  stored: Attributes,
): 'identifiers' | 'alternateIdentifiers' | 'both' | undefined {
  const { identifiers, alternateIdentifiers } = sent;
  if (identifiers === undefined || alternateIdentifiers === undefined) return undefined;
  const alternate = asIdentifiers(alternateIdentifiers);
  if (sameIdentifiers(identifiers, alternate)) return undefined;
  const before = stored['identifiers'];
  if (sameIdentifiers(identifiers, before)) return 'alternateIdentifiers';
  return sameIdentifiers(alternate, before) ? 'identifiers' : 'both';
}
