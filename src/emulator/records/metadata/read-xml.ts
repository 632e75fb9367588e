import { json, Refusal } from '../../http/answer.ts';
import { isKeptDate } from './edtf.ts';
import { cleanHtml } from './html.ts';
import { completeRights } from './licences.ts';
import { completeTypes } from './types.ts';
import { filled, type Item, isBlank } from './values.ts';
import { children, type Element, kernelOf, readXml, XmlError } from './xml.ts';

/** Whether a text is XML of the DataCite Metadata Schema. The service also reads other formats. */
export function isDataciteXml(text: string): boolean {
  try {
    return kernelOf(readXml(text.trim())) !== undefined;
  } catch (error) {
    if (error instanceof XmlError) return false;
    throw error;
  }
}

/**
 * The attributes of a record from XML of the DataCite Metadata Schema.
 *
 * @throws XmlError when it is not well-formed
 */
export function readDataciteXml(xml: string): Record<string, unknown> {
  const whole = readXml(xml);
  const root = hasUndeclared(whole) ? { ...whole, children: [] } : whole;
  const one = (name: string) => root.children.find((child) => child.name === name);
  const all = <T>(list: string, name: string, read: (element: Element) => T) =>
    listed(root, list, name)
      .filter((element) => !isEmpty(element))
      .map(read);
  const type = single(root, 'resourceType');
  return filled({
    schemaVersion: kernelOf(root),
    types: completeTypes(
      filled({ ...(type && pick(type, 'resourceTypeGeneral')), resourceType: text(type) }),
    ),
    identifiers: all('alternateIdentifiers', 'alternateIdentifier', (identifier) => ({
      identifier: text(identifier),
      identifierType: identifier.attributes['alternateIdentifierType'],
    })).filter(({ identifier }) => identifier !== undefined),
    titles: titles(root),
    creators: people(root, 'creator'),
    contributors: people(root, 'contributor'),
    publisher: publisher(one('publisher')),
    publicationYear: text(one('publicationYear')),
    dates: all('dates', 'date', (date) => date)
      .filter((date) => !isPlain(date) && isKeptDate(clean(date) ?? ''))
      .map((date) => filled({ date: clean(date), ...pick(date, 'dateType', 'dateInformation') })),
    descriptions: all('descriptions', 'description', (description) =>
      filled({
        description: clean(description, /[ \t]+/g),
        ...pick(description, 'descriptionType'),
        ...lang(description),
      }),
    ),
    rightsList: all('rightsList', 'rights', (rights) =>
      completeRights(
        filled({
          rights: text(rights),
          ...pick(rights, 'rightsURI', 'rightsIdentifier', 'rightsIdentifierScheme'),
          ...scheme(rights),
        }),
      ),
    ),
    version: text(one('version')),
    subjects: all('subjects', 'subject', subjectOf),
    language: text(one('language')),
    geoLocations: all('geoLocations', 'geoLocation', place).filter(
      (one) => !Object.values(one).some(isBlank),
    ),
    relatedIdentifiers: all('relatedIdentifiers', 'relatedIdentifier', (related) =>
      filled({
        relatedIdentifier: identifierOf(related, 'relatedIdentifierType'),
        ...pick(related, 'relatedIdentifierType', 'relationType', 'relationTypeInformation'),
        ...pick(related, 'resourceTypeGeneral', 'relatedMetadataScheme', 'schemeType'),
        ...scheme(related),
      }),
    ),
    relatedItems: all('relatedItems', 'relatedItem', relatedItem),
    fundingReferences: all('fundingReferences', 'fundingReference', funding),
    sizes: all('sizes', 'size', (one) => clean(one)).filter(Boolean),
    formats: all('formats', 'format', (one) => clean(one)).filter(Boolean),
  });
}

/** Whether a prefix is not declared: the service then reads no element. */
function hasUndeclared({ isUndeclared, children: inner }: Element): boolean {
  return isUndeclared || inner.some(hasUndeclared);
}

/**
 * An element that may occur only once: the service cannot read a second one or, unless `mayBeText`,
 * one that contains only text.
 */
function single(parent: Element, name: string, mayBeText = false): Element | undefined {
  const [first, second] = children(parent, name);
  const isText = !mayBeText && first !== undefined && isPlain(first) && !isEmpty(first);
  if (isText || second !== undefined)
    throw new TypeError('no implicit conversion of String into Integer');
  return first;
}

const listed = (parent: Element, list: string, name: string) =>
  children(single(parent, list), name);
/** Whether the service reads the element as a text. */
const isPlain = ({ attributes, children: [first] }: Element) =>
  first === undefined && Object.keys(attributes).length === 0;
const isEmpty = (element: Element) => isPlain(element) && text(element) === undefined;

/** The refusal of XML with a text, or nothing, in place of an object. */
const UNREAD = new Refusal(json(422, { errors: [{ source: 'metadata', title: 'Is invalid' }] }));

function subjectOf(subject: Element): Item {
  return filled({
    subject: clean(subject),
    ...pick(subject, 'subjectScheme', 'classificationCode'),
    valueUri: subject.attributes['valueURI'],
    ...scheme(subject),
  });
}

function text(element: Element | undefined): string | undefined {
  const trimmed = element?.text.trim();
  return trimmed === '' ? undefined : trimmed;
}

function pick({ attributes }: Element, ...names: readonly string[]): Item {
  return Object.fromEntries(names.map((name) => [name, attributes[name]]));
}

function lang({ attributes }: Element): Item {
  return { lang: attributes['xml:lang'] };
}

function scheme(element: Element): Item {
  return { schemeUri: element.attributes['schemeURI'], ...lang(element) };
}

const DOI = /^(?:https?:\/\/(?:dx\.)?doi\.org\/)?(?:doi:)?(10\.\d{4,5}\/.+)$/;

/**
 * A DOI in lower case without its resolver; undefined for an invalid DOI. Other identifiers are not
 * changed.
 */
function identifierOf(element: Element, type: string): string | undefined {
  const given = text(element);
  if (element.attributes[type] !== 'DOI') return given;
  return DOI.exec(given?.toLowerCase() ?? '')?.[1];
}

/** A text as HTML (service.md, S10). */
function clean(element: Element, blanks = /\s+/g): string | undefined {
  const given = text(element);
  return given === undefined ? undefined : cleanHtml(given).replaceAll(blanks, ' ').trim();
}

function titles(parent: Element): Item[] {
  return listed(parent, 'titles', 'title')
    .filter((title) => !isEmpty(title))
    .map((title) => filled({ title: clean(title), ...pick(title, 'titleType'), ...lang(title) }));
}

function publisher(element: Element | undefined): Item | undefined {
  if (element === undefined || text(element) === undefined) return undefined;
  return filled({
    name: text(element),
    ...pick(element, 'publisherIdentifier', 'publisherIdentifierScheme'),
    ...scheme(element),
  });
}

/** Names are not changed (service.md, S9). */
function people(parent: Element, kind: 'creator' | 'contributor'): Item[] {
  const all = listed(parent, `${kind}s`, kind);
  if (all.length === 1 && all.every(isEmpty)) return [];
  return all.map((person) => {
    const one = (name: string) => children(person, name)[0];
    const nameElement = one(`${kind}Name`);
    if (isEmpty(person)) throw UNREAD;
    return filled({
      nameType: nameElement?.attributes['nameType'],
      name: text(nameElement),
      givenName: text(one('givenName')),
      familyName: text(one('familyName')),
      ...pick(person, 'contributorType'),
      affiliation: children(person, 'affiliation').map((place) =>
        filled({
          name: text(place)?.replaceAll(/\s+/g, ' '),
          ...pick(place, 'affiliationIdentifier', 'affiliationIdentifierScheme'),
          schemeUri: place.attributes['schemeURI'],
        }),
      ),
      nameIdentifiers: children(person, 'nameIdentifier').map(nameIdentifier),
    });
  });
}

const RESOLVERS: Readonly<Record<string, string>> = {
  ORCID: 'https://orcid.org',
  ROR: 'https://ror.org',
};

/** ORCID iDs and ROR ids become addresses. */
function nameIdentifier(element: Element): Item {
  if (isPlain(element)) throw UNREAD;
  const { nameIdentifierScheme = '', schemeURI } = element.attributes;
  const resolver = RESOLVERS[nameIdentifierScheme];
  const identifier = text(element) ?? '';
  const bare = identifier.replace(/^https?:\/\/[^/]+\//, '').replace(/\/$/, '');
  return filled({
    nameIdentifier: resolver === undefined ? identifier : `${resolver}/${bare}`,
    schemeUri: resolver ?? schemeURI,
    nameIdentifierScheme,
  });
}

function place(location: Element): Item {
  const coordinates = (element: Element | undefined) =>
    element === undefined
      ? undefined
      : Object.fromEntries(element.children.map((part) => [part.name, text(part)]));
  // Several polygons cannot be written in JSON: all of them are dropped.
  const polygons = children(location, 'geoLocationPolygon');
  return filled({
    geoLocationPoint: coordinates(single(location, 'geoLocationPoint', true)),
    geoLocationBox: coordinates(single(location, 'geoLocationBox', true)),
    geoLocationPolygon:
      polygons.length === 1
        ? polygons[0]?.children.map((corner) => ({ [corner.name]: coordinates(corner) }))
        : undefined,
    geoLocationPlace: text(children(location, 'geoLocationPlace')[0]),
  });
}

function relatedItem(item: Element): Item {
  const one = (name: string) => children(item, name)[0];
  const [identifier, number] = [
    single(item, 'relatedItemIdentifier', true),
    single(item, 'number', true),
  ];
  const plain = 'publicationYear volume issue number firstPage lastPage publisher edition'.split(
    ' ',
  );
  return filled({
    ...pick(item, 'relationType', 'relatedItemType', 'relationTypeInformation'),
    relatedItemIdentifier:
      identifier &&
      filled({
        relatedItemIdentifier: identifierOf(identifier, 'relatedItemIdentifierType'),
        ...pick(
          identifier,
          'relatedItemIdentifierType',
          'relatedMetadataScheme',
          'schemeURI',
          'schemeType',
        ),
      }),
    creators: people(item, 'creator'),
    titles: titles(item),
    ...Object.fromEntries(plain.map((name) => [name, text(one(name))])),
    numberType: number?.attributes['numberType'],
    contributors: people(item, 'contributor'),
  });
}

function funding(reference: Element): Item {
  const one = (name: string) => children(reference, name)[0];
  const [identifier, award] = [one('funderIdentifier'), one('awardNumber')];
  return filled({
    funderName: text(one('funderName')),
    funderIdentifier: text(identifier),
    funderIdentifierType: identifier?.attributes['funderIdentifierType'],
    schemeUri: identifier?.attributes['schemeURI'],
    awardNumber: text(award),
    awardUri: award?.attributes['awardURI'],
    awardTitle: text(one('awardTitle')),
  });
}
