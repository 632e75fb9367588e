import { isObject } from '../http/json-body.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * A record as XML of the DataCite Metadata Schema, written from its most common attributes. `affiliation` and
 * `publisher` may be objects or text.
 */
export function dataciteXml(a: Item): string {
  const types = isObject(a['types']) ? a['types'] : {};
  const { publisher } = a;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<resource xmlns="http://datacite.org/schema/kernel-4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://datacite.org/schema/kernel-4 https://schema.datacite.org/meta/kernel-4/metadata.xsd">',
    tag('identifier', a['doi'], { identifierType: 'DOI' }),
    group(
      'creators',
      items(a['creators']).map((one) => person('creator', one)),
    ),
    group(
      'titles',
      items(a['titles']).map((one) => tag('title', one['title'], { titleType: one['titleType'] })),
    ),
    tag('publisher', isObject(publisher) ? publisher['name'] : publisher),
    tag('publicationYear', a['publicationYear']),
    tag(
      'resourceType',
      types['resourceType'] ?? '',
      { resourceTypeGeneral: types['resourceTypeGeneral'] },
      true,
    ),
    group(
      'subjects',
      items(a['subjects']).map((one) =>
        tag('subject', one['subject'], { subjectScheme: one['subjectScheme'] }),
      ),
    ),
    group(
      'contributors',
      items(a['contributors']).map((one) => person('contributor', one)),
    ),
    group(
      'dates',
      items(a['dates']).map((one) => tag('date', one['date'], { dateType: one['dateType'] })),
    ),
    tag('language', a['language']),
    group('relatedIdentifiers', items(a['relatedIdentifiers']).map(related)),
    ...['size', 'format'].map((name) =>
      group(
        `${name}s`,
        texts(a[`${name}s`]).map((one) => tag(name, one)),
      ),
    ),
    tag('version', a['version']),
    group(
      'rightsList',
      items(a['rightsList']).map((one) =>
        tag('rights', one['rights'] ?? '', { rightsURI: one['rightsUri'] }, true),
      ),
    ),
    group('descriptions', items(a['descriptions']).map(description)),
    '</resource>',
    '',
  ]
    .filter((line, place, all) => line !== '' || place === all.length - 1)
    .join('\n');
}

function person(name: 'creator' | 'contributor', one: Item): string {
  const { contributorType, nameType, givenName, familyName } = one;
  const parts = [
    tag(`${name}Name`, one['name'], { nameType }),
    tag('givenName', givenName),
    tag('familyName', familyName),
    ...items(one['nameIdentifiers']).map(({ nameIdentifier, nameIdentifierScheme, schemeUri }) =>
      tag('nameIdentifier', nameIdentifier, { nameIdentifierScheme, schemeURI: schemeUri }),
    ),
    ...(Array.isArray(one['affiliation']) ? one['affiliation'] : []).map((place: unknown) =>
      tag('affiliation', isObject(place) ? place['name'] : place),
    ),
  ];
  return element(name, parts.join(''), { contributorType });
}

function related({ relatedIdentifier, relatedIdentifierType, relationType }: Item): string {
  return tag('relatedIdentifier', relatedIdentifier, { relatedIdentifierType, relationType });
}

function description({ description: words, descriptionType }: Item): string {
  return tag('description', words, { descriptionType });
}

function items(value: unknown): Item[] {
  return (Array.isArray(value) ? value : []).filter(isObject);
}

function texts(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function group(name: string, children: readonly string[]): string {
  return children.length === 0 ? '' : element(name, children.join(''));
}

/** An element with text. Without a value it is left out, unless an empty element is meaningful. */
function tag(name: string, value: unknown, attributes: Item = {}, mayBeEmpty = false): string {
  if (value === undefined || value === null || (value === '' && !mayBeEmpty)) return '';
  return element(name, escaped(value), attributes);
}

function element(name: string, content: string, attributes: Item = {}): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  return `<${name}${given.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>${content}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(value: unknown): string {
  // XML cannot represent most control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const text = String(value).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
