import { describe, expect, it } from 'vitest';
import { checkRecord, findingText, type Target } from '../../src/metadata/check.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';

const WHOLE = { doi: '10.5072/abc', ...COMPLETE_RECORD };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const xmlOf = (kernel: string, inner: string) =>
  base64(`<?xml version="1.0"?><resource xmlns="http://datacite.org/schema/${kernel}">${inner}</resource>`);
const CREATED = '<creators><creator><creatorName>A</creatorName></creator></creators>';
const COMPLETE_XML = `${CREATED}<titles><title>T</title></titles><publisher>P</publisher><publicationYear>2026</publicationYear><resourceType resourceTypeGeneral="Dataset"/>`;
const related = (more: object) => ({
  relatedIdentifiers: [
    { relatedIdentifier: 'https://e.org', relatedIdentifierType: 'URL', relationType: 'Cites', ...more },
  ],
});
const person = (more: object) => ({ creators: [{ name: 'A', ...more }] });
const named = (nameIdentifier: string, nameIdentifierScheme: string) =>
  person({ nameIdentifiers: [{ nameIdentifier, nameIdentifierScheme }] });
const item = (more: object) => ({
  relatedItems: [{ relatedItemType: 'Journal', relationType: 'IsPublishedIn', ...more }],
});
const polygon = [1, 2, 3, 1].map((at) => ({ polygonPoint: { pointLatitude: at, pointLongitude: at } }));
const texts = (attributes: object, target: Target = 'findable') =>
  checkRecord({ ...WHOLE, ...attributes }, target).map(findingText);

/** What the service refuses (service.md, S4, S6, W10), with the path of the error. */
const REFUSED: readonly (readonly [attributes: object, path: string])[] = [
  [{ publisher: { name: 'P', publisherIdentifier: 7 } }, 'publisher.publisherIdentifier'],
  [{ contributors: [{ name: 'A', contributorType: null }] }, 'contributors[0].contributorType'],
  [{ contributors: [{ name: 'A', contributorType: '' }] }, 'contributors[0].contributorType'],
  [{ contributors: [{ name: 'A', contributorType: 'Funder' }] }, 'contributors[0].contributorType'],
  [related({ relationType: null }), 'relatedIdentifiers[0].relationType'],
  [related({ relatedIdentifierType: null }), 'relatedIdentifiers[0].relatedIdentifierType'],
  [item({ relatedItemType: null }), 'relatedItems[0].relatedItemType'],
  [item({ relationType: null }), 'relatedItems[0].relationType'],
  [
    { fundingReferences: [{ funderName: 'F', funderIdentifier: 'x' }] },
    'fundingReferences[0].funderIdentifierType',
  ],
  [
    { fundingReferences: [{ funderName: 'F', funderIdentifier: 'x', funderIdentifierType: '' }] },
    'fundingReferences[0].funderIdentifierType',
  ],
  ...['10.5072/a+b', '10.5072/a<b', '10.5072/a#b', '10.5072/a%20b', '10.5072/ü', '10.5072/a,b'].map(
    (doi) => [{ doi }, 'doi'] as const,
  ),
  [{ doi: '10.123456/abc' }, 'doi'],
  [{ doi: undefined, prefix: '10.123456' }, 'prefix'],
  ...['2.1', '2.2', '3', '3.0', '3.1'].flatMap((kernel) => [
    [{ schemaVersion: `http://datacite.org/schema/kernel-${kernel}` }, 'schemaVersion'] as const,
    [{ xml: xmlOf(`kernel-${kernel}`, COMPLETE_XML) }, 'xml'] as const,
  ]),
  [
    { creators: undefined, xml: xmlOf('kernel-4', COMPLETE_XML.replace(CREATED, '<creators/>')) },
    'resource/creators',
  ],
  [{ rightsList: [{ rights: 'x'.repeat(2001) }] }, 'rightsList[0].rights'],
  [{ version: 'x'.repeat(192) }, 'version'],
  [{ reason: 'x'.repeat(256) }, 'reason'],
  [{ publicationYear: '0054' }, 'publicationYear'],
  [{ publicationYear: 54 }, 'publicationYear'],
  [{ geoLocations: [{ geoLocationPolygon: [polygon, polygon] }] }, 'geoLocations[0].geoLocationPolygon'],
  [{ url: 'HTTPS://example.org' }, 'url'],
  [{ url: 'https://example.org/a b' }, 'url'],
  [{ titles: [{ title: 'T', lang: 'en_US' }] }, 'titles[0].lang'],
];

/** What it takes, with the warning about it, if any. */
const TAKEN: readonly (readonly [attributes: object, warning?: RegExp])[] = [
  [{ creators: [{ name: 'A', nameIdentifiers: [{ nameIdentifier: '', nameIdentifierScheme: 'ORCID' }] }] }],
  [{ creators: [{ name: 'A', affiliation: [{ name: '' }] }] }],
  [{ types: { schemaOrg: 'Dataset' } }, /^warning: types\.resourceTypeGeneral: /],
  ...[
    ...['2004-06~', '199?', '../2004', '2004-06-01/..', '321 BCE', 'Yesterday', ''],
    ...['May 2026', '2027/2026', 'open/unknown'],
  ].map((date) => [{ dates: [{ date, dateType: 'Created' }] }, /^warning: dates\[0\]\.date: /] as const),
  [{ dates: [':tba', ':unav', '(:unkn)'].map((date) => ({ date, dateType: 'Created' })) }],
  [{ dates: [{ date: '2026' }] }, /^warning: dates\[0\]\.dateType: is missing/],
  [{ dates: [{ date: '2026', dateType: null }] }],
  [{ language: 'English' }, /^warning: language: "English" is not a language tag .*did you mean en\?$/],
  [{ language: 'german' }, /^warning: language: .*did you mean de\?$/],
  [{ language: 'xx' }, /^warning: language: /],
  [named('https://orcid.org/0000-0002-1825-0097/', 'ORCID'), /^warning: /],
  [named('0000-0002-1825-0098', 'ORCID'), /^warning: .*would be 7/],
  [named('https://ror.org/04wxnsj81/', 'ROR'), /^warning: /],
  [named('https://ror.org/04wxnsj82', 'ROR'), /^warning: .*81/],
  [named('x', ''), /^warning: /],
  [person({ nameIdentifiers: [{ nameIdentifier: 'x' }] }), /nameIdentifierScheme: is missing/],
  [{ subjects: [{ subject: '' }] }, /^warning: /],
  [{ descriptions: [{ description: '', descriptionType: 'Abstract' }] }, /^warning: /],
  [{ descriptions: [{ description: 'D' }] }, /^warning: descriptions\[0\]\.descriptionType: is missing/],
  [{ descriptions: [{ description: 'D', descriptionType: null }] }],
  [{ identifiers: [{ identifier: '', identifierType: '' }] }],
  [{ fundingReferences: [{ funderName: 'F', funderIdentifier: '', funderIdentifierType: '' }] }],
  [item({ publicationYear: '', volume: '', titles: [{ title: '' }] })],
  [item({ contributors: [{ name: 'A', contributorType: null }] })],
  [related({ relatedIdentifier: 'x', relatedIdentifierType: 'DOI' }), /^warning: .*is not a DOI/],
  [{ id: 'https://doi.org/10.5072/abc' }],
  [{ event: 'show' }],
  [{ reason: 'withdrawn', source: 'us', container: { title: 'T' }, landingPage: { status: 200 } }],
  ...[
    '{"@context":"http://schema.org"}',
    '{"schema-version":"http://datacite.org/schema/kernel-4"}',
    '@article{a, title={T}}',
    'TY  - JOUR\nER  - ',
  ].map((text) => [{ xml: base64(text) }] as const),
  [{ xml: xmlOf('kernel-4', COMPLETE_XML) }],
  [{ xml: xmlOf('kernel-4', '') }],
  [{ xml: xmlOf('kernel-3', COMPLETE_XML), schemaVersion: 'http://datacite.org/schema/kernel-4' }],
  ...['4', '4.0', '4.3'].map(
    (kernel) => [{ schemaVersion: `http://datacite.org/schema/kernel-${kernel}` }] as const,
  ),
  ...['http://datacite.org/schema/kernel-4.4', 'https://datacite.org/schema/kernel-4', '4.7'].map(
    (schemaVersion) => [{ schemaVersion }, /^warning: schemaVersion: .*skips its check/] as const,
  ),
  [{ types: { resourceTypeGeneral: 'Poster' } }],
  [{ types: { resourceTypeGeneral: 'Presentation' } }],
  [related({ relatedIdentifierType: 'RAiD', relationType: 'Other', relationTypeInformation: 'is near' })],
  [related({ relatedIdentifierType: 'SWHID', resourceTypeGeneral: 'Poster' })],
  [item({ relatedItemType: 'Presentation', relationTypeInformation: 'x' })],
  [{ titles: { title: 'T' } }, /^warning: titles: is one object where a list belongs; sent as a list$/],
  [
    related({}).relatedIdentifiers[0] ? { relatedIdentifiers: related({}).relatedIdentifiers[0] } : {},
    /list/,
  ],
  // Numbers are texts to the service (service.md, S4).
  [{ version: 45 }, /^warning: version: 45 must be text$/],
  [{ titles: [{ title: 2016 }] }, /^warning: titles\[0\]\.title: 2016 must be text$/],
  [item({ volume: 5 }), /^warning: relatedItems\[0\]\.volume: 5 must be text$/],
  [{ sizes: '1 kB' }, /^warning: sizes: "1 kB" is one text where a list belongs; sent as a list$/],
  [
    person({ affiliation: ['CERN'] }),
    /^warning: creators\[0\]\.affiliation\[0\]: "CERN" is text, which the service would drop; sent as \{"name": …\}$/,
  ],
  [
    { contributors: [{ name: 'A', contributorType: 'Editor', affiliation: 'CERN' }] },
    /affiliation: "CERN" is text/,
  ],
];

/** What it drops, with the path (service.md, S1, S7, S8). */
const DROPPED: readonly (readonly [attributes: object, path: string])[] = [
  [{ creater: [] }, 'creater'],
  [{ titles: [{ title: 'T', nonsuch: 'x' }] }, 'titles[0].nonsuch'],
  [item({ creators: [{ name: 'A', nameIdentifiers: [] }] }), 'relatedItems[0].creators[0].nameIdentifiers'],
  [item({ creators: [{ name: 'A', affiliation: ['B'] }] }), 'relatedItems[0].creators[0].affiliation'],
  [item({ titles: [{ title: 'T', lang: 'en' }] }), 'relatedItems[0].titles[0].lang'],
  [
    item({ relatedItemIdentifier: { relatedItemIdentifier: 'x', schemeUri: 'https://e.org' } }),
    'relatedItems[0].relatedItemIdentifier.schemeUri',
  ],
  [{ identifiers: [{ identifier: '10.5072/b', identifierType: 'DOI' }] }, 'identifiers[0]'],
  [
    {
      identifiers: [{ identifier: 'a', identifierType: 'Local' }],
      alternateIdentifiers: [{ alternateIdentifier: 'b', alternateIdentifierType: 'Local' }],
    },
    'alternateIdentifiers',
  ],
  [{ language: 'klingonese' }, 'language'],
  [{ language: 'en_US' }, 'language'],
];

describe('what the service refuses', () => {
  it.each(REFUSED.map(([attributes, path]) => [JSON.stringify(attributes).slice(0, 90), attributes, path]))(
    '%s is an error',
    (_, attributes, path) => {
      const errors = checkRecord({ ...WHOLE, ...(attributes as object) }, 'findable').filter(
        ({ severity }) => severity === 'error',
      );
      expect(errors.map((finding) => finding.path)).toEqual([path]);
    },
  );
});

describe('what the service takes', () => {
  it.each(
    TAKEN.map(([attributes, warning]) => [JSON.stringify(attributes).slice(0, 90), attributes, warning]),
  )('%s is a warning at most', (_, attributes, warning) => {
    const found = texts(attributes as object);
    expect(found.filter((text) => text.startsWith('error'))).toEqual([]);
    if (warning !== undefined) expect(found).toEqual([expect.stringMatching(warning as RegExp)]);
  });
});

describe('what the service drops', () => {
  it.each(DROPPED.map(([attributes, path]) => [JSON.stringify(attributes).slice(0, 90), attributes, path]))(
    '%s is a warning that says so',
    (_, attributes, path) => {
      expect(texts(attributes as object)).toEqual([
        expect.stringContaining(`warning: the service would drop this: ${String(path)}: `),
      ]);
    },
  );
});

describe('a record of an older schema', () => {
  it.each(['4.4', '4.5', '4.6'])('kernel-%s has an error where it uses what 4.7 added', (kernel) => {
    const schemaVersion = `http://datacite.org/schema/kernel-${kernel}`;
    const errorsOf = (more: object) =>
      texts({ schemaVersion, ...more }).filter((text) => text.startsWith('error'));
    expect(errorsOf({})).toEqual([]);
    expect(errorsOf({ types: { resourceTypeGeneral: 'Project' } })).toEqual([]);
    expect(errorsOf({ types: { resourceTypeGeneral: 'Poster' } })).toEqual([
      expect.stringContaining('types.resourceTypeGeneral: "Poster" is not in the controlled list'),
    ]);
    expect(errorsOf(related({ relationType: 'Other', relationTypeInformation: 'x' }))).toHaveLength(2);
    expect(errorsOf(related({ relatedIdentifierType: 'RAiD' }))).toHaveLength(1);
    expect(errorsOf(related({ relatedIdentifierType: 'CSTR' }))).toEqual([]);
  });
});

describe('a record that was read', () => {
  const read = { created: '2016-01-01T00:00:00Z', updated: '2016-01-01T00:00:00Z', metadataVersion: 3 };
  it('may have a DOI that could not be created today', () => {
    expect(texts({ ...read, doi: '10.5072/a+b' })).toEqual([]);
    expect(checkRecord({ doi: '10.5072/a+b', version: '2' }, 'update')).toEqual([]);
  });
  it('may keep its XML, whatever is in it', () => {
    expect(texts({ ...read, xml: xmlOf('kernel-4', ''), contributors: null })).toEqual([]);
  });
});

describe('xml next to attributes', () => {
  it('undoes a null, which is said', () => {
    expect(texts({ xml: xmlOf('kernel-4', COMPLETE_XML), contributors: null })).toEqual([
      'warning: contributors: null takes nothing away, because the xml next to it wins',
    ]);
  });
  it('of an old kernel may stay in a Draft', () => {
    expect(texts({ xml: xmlOf('kernel-3', COMPLETE_XML) }, 'draft')).toEqual([
      expect.stringMatching(/^warning: xml: is of http:\/\/datacite\.org\/schema\/kernel-3, /),
    ]);
  });
});
