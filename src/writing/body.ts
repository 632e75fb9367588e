import type { Attributes } from '../api/dois.ts';
import { EVENTS, type Event, isEvent } from '../api/states.ts';
import { usageError } from '../errors.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import { corrected } from '../metadata/corrections.ts';
import { asAlternate, asIdentifiers, sameIdentifiers } from '../metadata/identifiers.ts';
import { isStaleXml, KERNEL_4 } from '../metadata/kernel.ts';
import { withLandingPage } from '../metadata/landing-page.ts';
import { numberText } from '../metadata/rewriting.ts';
import { inexactNumber, membersOf, nodeAt, spelled } from '../text/json.ts';
import { isNonEmptyString } from '../text/json-values.ts';

/**
 * The body of the request that creates a record.
 * @param place the reserved DOI, or a prefix before a DOI is chosen; a DOI or prefix in the record
 *   wins.
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
 * The request that sends a record: its attributes, also as text, and its event.
 * @param extra attributes for a record that lacks them.
 */
export function documentOf(
  record: ParsedRecord,
  requestedEvent: Event | undefined,
  extra: {
    readonly doi?: string;
    readonly prefix?: string | undefined;
    readonly schemaVersion?: string | undefined;
  } = {},
) {
  const event = eventOf(record, requestedEvent);
  const attributes = asSent(record.attributes);
  // The service ignores a DOI that is only the id of the resource object.
  const doi = isNonEmptyString(attributes['doi']) ? attributes['doi'] : (extra.doi ?? record.doi);
  const isPlaced = doi !== undefined || isNonEmptyString(attributes['prefix']);
  const added = attributes['event'] === undefined ? requestedEvent : undefined;
  const sent = {
    ...defined({ event: added, schemaVersion: extra.schemaVersion }),
    ...withLandingPage(attributes, doi),
    ...defined({ prefix: isPlaced ? undefined : extra.prefix, doi }),
  };
  // Relationships are not sent: they would put a new record into that account (service.md, W19).
  const body = `{"data":{"type":"dois","attributes":${attributesText(sent, record)}}}`;
  return { body, event, sent };
}

/**
 * The event of the command line or of a record.
 * @throws {CliError} kind `usage` for two different events, or for an unknown one, which the
 *   service would ignore and still answer with success (service.md, W4).
 */
export function eventOf(
  record: ParsedRecord,
  requestedEvent: Event | undefined,
  place = record.source,
): Event | undefined {
  // The attributes of a row are made of all its cells.
  const mayHave = record.row?.filled.has('event') ?? true;
  const event = (mayHave ? record.attributes['event'] : undefined) ?? undefined;
  if (event !== undefined && !isEvent(event)) {
    throw usageError(`${place}: the event must be one of ${EVENTS.join(', ')}`);
  }
  if (requestedEvent !== undefined && event !== undefined && event !== requestedEvent) {
    throw usageError(
      `${place} already has the event ${JSON.stringify(event)}`,
      'leave out --event',
    );
  }
  return requestedEvent ?? event;
}

const defined = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/**
 * Attributes as JSON. Unchanged attributes keep their spelling: JavaScript would write 1.0 as 1.
 * @throws {CliError} kind `usage` for a number in a changed attribute that would lose digits.
 */
function attributesText(attributes: Attributes, { json, source }: ParsedRecord): string {
  const members = json && membersOf(nodeAt(json, json.at));
  const texts = Object.entries(attributes).map(([name, value]) => {
    const place = members?.get(name);
    const text = place && json && spelled(json, place);
    if (text !== undefined && value === json?.attributes[name])
      return `${JSON.stringify(name)}:${text}`;
    const lost = inexactNumber(text ?? '');
    if (lost !== undefined) {
      throw usageError(
        `${source}: a correction of ${name} would cut digits of the number ${lost}`,
        'write its lists as lists',
      );
    }
    return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  });
  return `{${texts.join(',')}}`;
}

/** The attributes to send: corrected, and without `xml` that was read (service.md, W16). */
export function asSent(recordAttributes: Attributes): Attributes {
  const { attributes } = corrected(recordAttributes);
  if (!isStaleXml(attributes)) return attributes;
  const { xml: _, ...rest } = attributes;
  return rest;
}

/**
 * The version with which the service's errors contain properties (service.md, S6); none for XML.
 */
function defaultSchemaVersion(attributes: Attributes): string | undefined {
  if ('schemaVersion' in attributes) return undefined;
  return isNonEmptyString(attributes['xml']) && !isStaleXml(attributes) ? undefined : KERNEL_4;
}

/**
 * The attributes of an update in the form that takes effect: an edit of `alternateIdentifiers` is
 * sent as `identifiers` as well (service.md, S8), and a null publisher as an object with a null
 * name (service.md, W18).
 */
export function updateAttributes(attributes: Attributes, stored: Attributes): Attributes {
  const sent = { ...attributes };
  if (removesPublisher(attributes, stored)) sent['publisher'] = { name: null };
  if (editedList(attributes, stored) === 'alternateIdentifiers') {
    sent['identifiers'] = asIdentifiers(attributes['alternateIdentifiers']);
  }
  return sent;
}

/** Whether an update removes the publisher of a record. */
export function removesPublisher(sent: Attributes, stored: Attributes): boolean {
  return sent['publisher'] === null && (stored['publisher'] ?? null) !== null;
}

/** Which of two differing lists of identifiers an update edits; `both` when that is unclear. */
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

/** The second list of identifiers: the service changes both (service.md, S8). */
export function mirroredIdentifiers(stored: Attributes, sent: Attributes): Attributes {
  if ('identifiers' in sent && 'alternateIdentifiers' in stored) {
    return { alternateIdentifiers: asAlternate(sent['identifiers']) };
  }
  const isAlone =
    'alternateIdentifiers' in sent && !('identifiers' in sent) && 'identifiers' in stored;
  return isAlone ? { identifiers: asIdentifiers(sent['alternateIdentifiers']) } : {};
}

/**
 * Attributes of a record in which numbers are texts where the service stores texts: 3.0 and 3 are
 * the same number in JavaScript, but different versions (service.md, W23).
 * @param textOf returns the text for a spelled number; by default, the text that the service
 *   stores.
 */
export function withNumberTexts(
  attributes: Attributes,
  { json }: Pick<ParsedRecord, 'json'>,
  textOf: (spelled: string) => string = numberText,
): Attributes {
  const texts = ['version', 'reason', 'source'].flatMap((name) => {
    const value = attributes[name];
    if (typeof value !== 'number' || value !== json?.attributes[name]) return [];
    const node = nodeAt(json, [...json.at, name]);
    return node === undefined ? [] : [[name, textOf(spelled(json, node))]];
  });
  return texts.length === 0 ? attributes : { ...attributes, ...Object.fromEntries(texts) };
}
