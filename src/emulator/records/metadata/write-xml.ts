import { containerOf } from './container.ts';
import { CREATIVE_WORK_TYPES } from './types.ts';
import { type Item, isBlank, isItem, items, wrap } from './values.ts';
import { printXml, type Tag, tag } from './xml.ts';

const ROOT = {
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  xmlns: 'http://datacite.org/schema/kernel-4',
  'xsi:schemaLocation':
    'http://datacite.org/schema/kernel-4 http://schema.datacite.org/meta/kernel-4/metadata.xsd',
};

/**
 * A record as XML of the DataCite Metadata Schema. `affiliation` and `publisher` may be objects or
 * text. The service writes the required elements even when they are empty.
 */
export function dataciteXml(a: Item): string {
  const publisher = isItem(a['publisher']) ? a['publisher'] : { name: a['publisher'] };
  const rows: (Tag | undefined)[] = [
    tag('identifier', a['doi'], { identifierType: 'DOI' }),
    tag('creators', items(a['creators']).map(person('creator'))),
    tag('titles', wrap(a['titles']).map(title)),
    // Without a publisher, the service writes the title of the container.
    tag(
      'publisher',
      publisher['name'] ?? (containerOf(a) ?? (a['container'] as Item | undefined))?.['title'],
      {
        ...pick(publisher, 'publisherIdentifier', 'publisherIdentifierScheme'),
        ...scheme(publisher),
      },
    ),
    tag('publicationYear', a['publicationYear']),
    resourceType(a['types']),
    group('subjects', a['subjects'], (one) =>
      tag('subject', one['subject'], {
        ...pick(one, 'subjectScheme', 'classificationCode'),
        valueURI: one['valueUri'],
        ...scheme(one),
      }),
    ),
    group('contributors', a['contributors'], person('contributor')),
    group('dates', a['dates'], (one) =>
      tag('date', one['date'], {
        dateType: one['dateType'] ?? 'Issued',
        ...pick(one, 'dateInformation'),
      }),
    ),
    isBlank(a['language']) ? undefined : tag('language', a['language']),
    group('alternateIdentifiers', a['identifiers'], (one) =>
      tag('alternateIdentifier', one['identifier'], {
        alternateIdentifierType: one['identifierType'] ?? '',
      }),
    ),
    group('relatedIdentifiers', a['relatedIdentifiers'], (one) =>
      tag(
        'relatedIdentifier',
        one['relatedIdentifier'],
        pick(
          one,
          'relatedIdentifierType',
          'relationType',
          'resourceTypeGeneral',
          'relationTypeInformation',
        ),
      ),
    ),
    group('relatedItems', a['relatedItems'], relatedItem),
    texts('size', a['sizes']),
    texts('format', a['formats']),
    isBlank(a['version']) ? undefined : tag('version', a['version']),
    group('rightsList', a['rightsList'], rights),
    group('descriptions', a['descriptions'], (one) =>
      tag('description', one['description'], {
        'xml:lang': one['lang'],
        descriptionType: one['descriptionType'] ?? 'Abstract',
      }),
    ),
    group('geoLocations', a['geoLocations'], (one) => tag('geoLocation', places(one))),
    group('fundingReferences', a['fundingReferences'], funding),
  ];
  const filled = rows.filter((row) => row !== undefined);
  return printXml(tag('resource', filled, ROOT));
}

function texts(name: string, value: unknown): Tag {
  const children = wrap(value).map((one) => tag(name, one));
  return tag(`${name}s`, children);
}

function group(name: string, value: unknown, make: (one: Item) => Tag): Tag | undefined {
  const children = items(value).map(make);
  return children.length === 0 ? undefined : tag(name, children);
}

/**
 * The element is left out only if `types` is absent. A type without a general type is written as
 * `Other`.
 */
function resourceType(types: unknown): Tag | undefined {
  if (!isItem(types) || isBlank(types)) return undefined;
  const general =
    types['resourceTypeGeneral'] ?? CREATIVE_WORK_TYPES[String(types['schemaOrg'])] ?? 'Other';
  return tag('resourceType', types['resourceType'], { resourceTypeGeneral: general });
}

function person(kind: 'creator' | 'contributor'): (one: Item) => Tag {
  return (one) => {
    const { familyName, givenName } = one;
    const name = isBlank(familyName)
      ? one['name']
      : [familyName, givenName].filter((part) => !isBlank(part));
    const parts = [
      tag(`${kind}Name`, Array.isArray(name) ? name.join(', ') : name, pick(one, 'nameType')),
      ...simple(one, 'givenName', 'familyName'),
      ...items(one['nameIdentifiers']).map((identifier) =>
        tag('nameIdentifier', identifier['nameIdentifier'], {
          // The service writes an empty scheme if there is no scheme.
          nameIdentifierScheme: identifier['nameIdentifierScheme'] ?? '',
          schemeURI: identifier['schemeUri'],
        }),
      ),
      ...wrap(one['affiliation'])
        .map((place) => (isItem(place) ? place : { name: place }))
        .map((place: Item) =>
          tag('affiliation', place['name'], {
            ...pick(place, 'affiliationIdentifier', 'affiliationIdentifierScheme'),
            schemeURI: place['schemeUri'],
          }),
        ),
    ];
    return tag(kind, parts, kind === 'contributor' ? pick(one, 'contributorType') : {});
  };
}

function rights(one: Item): Tag {
  return tag('rights', one['rights'], {
    rightsURI: one['rightsUri'],
    ...pick(one, 'rightsIdentifier', 'rightsIdentifierScheme'),
    ...scheme(one),
  });
}

/** A title that is a text and no object is refused later, with another message. */
function title(value: unknown): Tag {
  const one: Item = isItem(value) ? value : { title: value };
  return tag('title', one['title'], { ...pick(one, 'titleType'), 'xml:lang': one['lang'] });
}

function relatedItem(one: Item): Tag {
  const identifier = one['relatedItemIdentifier'];
  if (Array.isArray(identifier) && identifier.length > 0)
    throw new TypeError('no implicit conversion of String into Integer');
  return tag(
    'relatedItem',
    [
      ...(isItem(identifier) && !isBlank(identifier)
        ? [
            tag(
              'relatedItemIdentifier',
              identifier['relatedItemIdentifier'],
              pick(
                identifier,
                'relatedItemIdentifierType',
                'relatedMetadataScheme',
                'schemeURI',
                'schemeType',
              ),
            ),
          ]
        : []),
      group('creators', one['creators'], person('creator')),
      tag('titles', items(one['titles']).map(title)),
      ...simple(one, 'publicationYear', 'volume', 'issue'),
      isBlank(one['number']) ? undefined : tag('number', one['number'], pick(one, 'numberType')),
      ...simple(one, 'firstPage', 'lastPage', 'publisher', 'edition'),
      group('contributors', one['contributors'], (contributor) =>
        person('contributor')({
          ...contributor,
          contributorType: contributor['contributorType'] ?? 'Other',
        }),
      ),
    ].filter((row) => row !== undefined),
    pick(one, 'relatedItemType', 'relationType', 'relationTypeInformation'),
  );
}

function places(one: Item): Tag[] {
  const coordinates = (name: string, place: unknown, ...names: string[]) => {
    // The service fails for a list where an object is expected.
    if (Array.isArray(place)) throw new TypeError('no implicit conversion of String into Integer');
    const parts = (one: Item) => names.map((part) => tag(part, one[part]));
    return isItem(place) ? [tag(name, parts(place))] : [];
  };
  const point = (name: string, place: unknown) =>
    coordinates(name, place, 'pointLatitude', 'pointLongitude');
  const corners = items(one['geoLocationPolygon']).flatMap((corner) => [
    ...('polygonPoint' in corner
      ? point('polygonPoint', corner['polygonPoint'])
      : point('inPolygonPoint', corner['inPolygonPoint'] ?? {})),
  ]);
  const box = [
    'westBoundLongitude',
    'eastBoundLongitude',
    'southBoundLatitude',
    'northBoundLatitude',
  ];
  return [
    ...simple(one, 'geoLocationPlace'),
    ...point('geoLocationPoint', one['geoLocationPoint']),
    ...coordinates('geoLocationBox', one['geoLocationBox'], ...box),
    ...(one['geoLocationPolygon'] ? [tag('geoLocationPolygon', corners)] : []),
  ];
}

function funding(one: Item): Tag {
  return tag('fundingReference', [
    tag('funderName', one['funderName']),
    ...(isBlank(one['funderIdentifier'])
      ? []
      : [tag('funderIdentifier', one['funderIdentifier'], pick(one, 'funderIdentifierType'))]),
    ...(isBlank(one['awardNumber']) && isBlank(one['awardUri'])
      ? []
      : [tag('awardNumber', one['awardNumber'], { awardURI: one['awardUri'] })]),
    ...simple(one, 'awardTitle'),
  ]);
}

function simple(one: Item, ...names: readonly string[]): Tag[] {
  return names.filter((name) => !isBlank(one[name])).map((name) => tag(name, one[name]));
}

function pick(one: Item, ...names: readonly string[]): Item {
  return Object.fromEntries(names.map((name) => [name, one[name]]));
}

function scheme(one: Item): Item {
  return { schemeURI: one['schemeUri'], 'xml:lang': one['lang'] };
}
