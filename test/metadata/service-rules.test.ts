import { beforeAll, describe, expect, it } from 'vitest';
import { checkRecord, findingText, type Target } from '../../src/metadata/check.ts';
import { prepareXml } from '../../src/metadata/libxml2.ts';
import { emulate } from '../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';

beforeAll(prepareXml);

const WHOLE = { doi: '10.5072/abc', ...COMPLETE_RECORD };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const xmlOf = (kernel: string, inner: string) =>
  base64(
    `<?xml version="1.0"?><resource xmlns="http://datacite.org/schema/${kernel}">${inner}</resource>`,
  );
const CREATED = '<creators><creator><creatorName>A</creatorName></creator></creators>';
const COMPLETE_XML = `${CREATED}<titles><title>T</title></titles><publisher>P</publisher><publicationYear>2026</publicationYear><resourceType resourceTypeGeneral="Dataset"/>`;
const related = (more: object) => ({
  relatedIdentifiers: [
    {
      relatedIdentifier: 'https://e.org',
      relatedIdentifierType: 'URL',
      relationType: 'Cites',
      ...more,
    },
  ],
});
const person = (more: object) => ({ creators: [{ name: 'A', ...more }] });
const named = (nameIdentifier: string, nameIdentifierScheme: string) =>
  person({ nameIdentifiers: [{ nameIdentifier, nameIdentifierScheme }] });
const item = (more: object) => ({
  relatedItems: [{ relatedItemType: 'Journal', relationType: 'IsPublishedIn', ...more }],
});
const funder = (more: object) => ({ fundingReferences: [{ funderName: 'F', ...more }] });
const place = (geoLocation: object) => ({ geoLocations: [geoLocation] });
const FUNDER_TYPE = 'fundingReferences[0].funderIdentifierType';
const POLYGON = 'geoLocations[0].geoLocationPolygon';
const polygon = [1, 2, 3, 1].map((at) => ({
  polygonPoint: { pointLatitude: at, pointLongitude: at },
}));
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
  [funder({ funderIdentifier: 'x' }), FUNDER_TYPE],
  [funder({ funderIdentifier: 'x', funderIdentifierType: '' }), FUNDER_TYPE],
  [item({ number: '1', numberType: 'Part' }), 'relatedItems[0].numberType'],
  [funder({ funderIdentifier: 'x', funderIdentifierType: 'Y' }), FUNDER_TYPE],
  ...['10.5072/a+b', '10.5072/a<b', '10.5072/a#b', '10.5072/a%20b', '10.5072/ü', '10.5072/a,b'].map(
    (doi) => [{ doi }, 'doi'] as const,
  ),
  [{ doi: '10.123456/abc' }, 'doi'],
  [{ doi: undefined, prefix: '10.123456' }, 'prefix'],
  ...['2.1', '2.2', '3', '3.0', '3.1'].flatMap((kernel) => [
    [{ schemaVersion: `http://datacite.org/schema/kernel-${kernel}` }, 'schemaVersion'] as const,
    [{ xml: xmlOf(`kernel-${kernel}`, COMPLETE_XML) }, 'xml'] as const,
  ]),
  [{ rightsList: [{ rights: 'x'.repeat(2001) }] }, 'rightsList[0].rights'],
  [{ version: 'x'.repeat(192) }, 'version'],
  [{ reason: 'x'.repeat(256) }, 'reason'],
  [{ publicationYear: '0054' }, 'publicationYear'],
  [{ publicationYear: 54 }, 'publicationYear'],
  [place({ geoLocationPolygon: [polygon, polygon] }), POLYGON],
  [{ url: 'HTTPS://example.org' }, 'url'],
  [{ url: 'https://example.org/a b' }, 'url'],
  [{ titles: [{ title: 'T', lang: 'en_US' }] }, 'titles[0].lang'],
  [{ titles: [{ title: 'T', lang: 5 }] }, 'titles[0].lang'],
  [{ publisher: { name: 'P', schemeUri: '%zz' } }, 'publisher.schemeUri'],
  [{ subjects: [{ subject: 'S', valueUri: '1:x' }] }, 'subjects[0].valueUri'],
  [
    { subjects: [{ subject: 'S', classificationCode: '551.46:62' }] },
    'subjects[0].classificationCode',
  ],
  [{ rightsList: [{ rights: 'R', rightsUri: 'http://a.b:c/' }] }, 'rightsList[0].rightsUri'],
  [funder({ awardUri: 'https://a/[b]' }), 'fundingReferences[0].awardUri'],
  // A text or number in the place of a whole list or object (service.md, S3).
  ...[
    'titles',
    'creators',
    'contributors',
    'dates',
    'descriptions',
    'identifiers',
    'relatedIdentifiers',
  ].flatMap((name) => ['x', 5, true].map((value) => [{ [name]: value }, name] as const)),
  ...['relatedItems', 'fundingReferences', 'geoLocations', 'container'].map(
    (name) => [{ [name]: 'x' }, name] as const,
  ),
  [{ types: { resourceTypeGeneral: '', schemaOrg: 'Dataset' } }, 'types.resourceTypeGeneral'],
  [{ publisher: 7 }, 'publisher'],
  [{ publisher: ['P'] }, 'publisher'],
  [{ publisher: { schemeUri: 'https://ror.org' } }, 'publisher.name'],
  [{ publisher: { name: 'P', lang: 7 } }, 'publisher.lang'],
  [{ publisher: '', container: { title: 'T' } }, 'publisher'],
  [{ language: 'Portuguese' }, 'language'],
  [{ language: '5' }, 'language'],
  [{ publicationYear: 'c. 1900' }, 'publicationYear'],
  [{ publicationYear: '24 AD' }, 'publicationYear'],
  [{ rightsList: [{ rights: 5 }] }, 'rightsList[0].rights'],
  [{ rightsList: [{ rightsIdentifier: 5 }] }, 'rightsList[0].rightsIdentifier'],
  [{ contributors: [{ name: '', contributorType: 'Editor' }] }, 'contributors[0].name'],
  [{ contributors: [{ givenName: 'A', contributorType: 'Editor' }] }, 'contributors[0].name'],
  [{ fundingReferences: [{ funderName: '' }] }, 'fundingReferences[0].funderName'],
  [
    { alternateIdentifiers: [{ alternateIdentifierType: 'Local' }] },
    'alternateIdentifiers[0].alternateIdentifier',
  ],
  [place({ geoLocationPoint: [] }), 'geoLocations[0].geoLocationPoint'],
  [place({ geoLocationPolygon: polygon.slice(1) }), POLYGON],
  [place({ geoLocationPolygon: [...polygon, { nonsuch: 1 }] }), `${POLYGON}[${polygon.length}]`],
];

/** What it takes, with the warning about it, if any. */
const TAKEN: readonly (readonly [attributes: object, warning?: RegExp | string])[] = [
  [
    {
      creators: [
        { name: 'A', nameIdentifiers: [{ nameIdentifier: '', nameIdentifierScheme: 'ORCID' }] },
      ],
    },
  ],
  [{ creators: [{ name: 'A', affiliation: [{ name: '' }] }] }],
  [{ types: { schemaOrg: 'Dataset' } }, /^warning: types\.resourceTypeGeneral: /],
  ...[
    ...['2004-06~', '199?', '../2004', '2004-06-01/..', '321 BCE', 'Yesterday', ''],
    ...['May 2026', '2027/2026', 'open/unknown'],
  ].map(
    (date) => [{ dates: [{ date, dateType: 'Created' }] }, /^warning: dates\[0\]\.date: /] as const,
  ),
  [{ dates: [':tba', ':unav', '(:unkn)'].map((date) => ({ date, dateType: 'Created' })) }],
  [{ dates: [{ date: '2026' }] }, /^warning: dates\[0\]\.dateType: is missing/],
  [{ dates: [{ date: '2026', dateType: null }] }],
  [
    { rightsList: [{ rights: 'R', rightsUri: 'http://a b' }] },
    /^warning: rightsList\[0\]\.rightsUri: /,
  ],
  [funder({ schemeUri: '%zz' }), /^warning: fundingReferences/],
  [{ subjects: [{ subject: 'S', classificationCode: '551.46/a:b' }] }],
  [
    { language: 'English' },
    /^warning: language: "English" is not a language tag .*did you mean en\?$/,
  ],
  [{ language: 'german' }, /^warning: language: .*did you mean de\?$/],
  [{ language: 'xx' }, /^warning: language: /],
  [named('https://orcid.org/0000-0002-1825-0097/', 'ORCID'), /^warning: /],
  [
    named('0000-0002-1825-0098', 'ORCID'),
    /^warning: creators\[0\]\.nameIdentifiers\[0\]\.nameIdentifier: "0000-0002-1825-0098" .*would be 7/,
  ],
  [named('https://ror.org/04wxnsj81/', 'ROR'), /^warning: /],
  [named('https://ror.org/04wxnsj82', 'ROR'), /^warning: .*81/],
  [named('x', ''), /^warning: /],
  [person({ nameIdentifiers: [{ nameIdentifier: 'x' }] }), /nameIdentifierScheme: is missing/],
  [{ subjects: [{ subject: '' }] }, /^warning: /],
  [{ descriptions: [{ description: '', descriptionType: 'Abstract' }] }, /^warning: /],
  [
    { descriptions: [{ description: 'D' }] },
    /^warning: descriptions\[0\]\.descriptionType: is missing/,
  ],
  [{ descriptions: [{ description: 'D', descriptionType: null }] }],
  [{ identifiers: [{ identifier: '', identifierType: '' }] }],
  [funder({ funderIdentifier: '', funderIdentifierType: '' })],
  // The service writes these types only beside a value (service.md, W25).
  ...[{}, { funderIdentifier: null }, { funderIdentifier: ' ' }].map(
    (identifier): [object, RegExp] => [
      funder({ ...identifier, funderIdentifierType: 'FundRef' }),
      /^warning: fundingReferences\[0\]\.funderIdentifierType: /,
    ],
  ),
  [item({ numberType: 'Part' }), /^warning: relatedItems\[0\]\.numberType: /],
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
  // The service makes the XML anew from the attributes.
  ...['4.3', '4.5'].map((kernel) => [{ xml: xmlOf(`kernel-${kernel}`, COMPLETE_XML) }] as const),
  ...['4', '4.0', '4.3'].map(
    (kernel) => [{ schemaVersion: `http://datacite.org/schema/kernel-${kernel}` }] as const,
  ),
  ...['http://datacite.org/schema/kernel-4.4', 'https://datacite.org/schema/kernel-4', '4.7'].map(
    (schemaVersion) => [{ schemaVersion }, /^warning: schemaVersion: .*skips the check/] as const,
  ),
  [{ types: { resourceTypeGeneral: 'Poster' } }],
  [{ types: { resourceTypeGeneral: 'Presentation' } }],
  [
    related({
      relatedIdentifierType: 'RAiD',
      relationType: 'Other',
      relationTypeInformation: 'is near',
    }),
  ],
  [related({ relatedIdentifierType: 'SWHID', resourceTypeGeneral: 'Poster' })],
  [item({ relatedItemType: 'Presentation', relationTypeInformation: 'x' })],
  [{ titles: { title: 'T' } }, 'titles: is one object where a list belongs; sent as a list'],
  [
    { relatedIdentifiers: related({}).relatedIdentifiers[0] },
    /^warning: relatedIdentifiers: .*list/,
  ],
  [{ titles: [{ title: '' }] }, 'titles[0].title: "" must not be empty'],
  [{ titles: [{}] }, 'titles[0].title: is missing'],
  [{ titles: [{ title: null }] }, /^warning: /],
  [{ titles: [{ title: 'T', lang: ' en ' }] }, /^warning: /],
  [{ creators: [{ givenName: 'A', familyName: 'B' }] }, 'creators[0].name: is missing'],
  [
    { contributors: [{ familyName: 'B', contributorType: 'Editor' }] },
    /^warning: contributors\[0\]\.name: /,
  ],
  [{ contributors: [{ name: ' ', contributorType: 'Editor' }] }, /^warning: /],
  [{ fundingReferences: [{ funderName: ' ' }] }, /^warning: /],
  [{ publisher: null, container: { title: 'Journal' } }, /^warning: publisher: is missing/],
  [{ publisher: { name: ' ' } }],
  [{ publicationYear: '2024-01' }, 'publicationYear: "2024-01" is not a year of four digits'],
  [item({ publicationYear: ' 2020 ' })],
  [{ dates: [{ date: null, dateType: 'Issued' }] }],
  [{ contentUrl: [null] }],
  [{ subjects: 'Physics' }, 'subjects: "Physics" must be a list'],
  [{ rightsList: 'MIT' }, 'rightsList: "MIT" must be a list'],
  [{ descriptions: '' }, 'descriptions: "" is blank where a list belongs; sent as an empty list'],
  [{ viewCount: 'many', created: 5 }],
  [person({ lang: 5 })],
  // Numbers are texts to the service (service.md, S4), and so is true.
  [{ version: true }, 'version: true must be text'],
  [{ sizes: 5 }],
  [{ version: 45 }, 'version: 45 must be text'],
  [{ titles: [{ title: 2016 }] }, 'titles[0].title: 2016 must be text'],
  [item({ volume: 5 }), 'relatedItems[0].volume: 5 must be text'],
  [{ sizes: '1 kB' }, 'sizes: "1 kB" is one text where a list belongs; sent as a list'],
  [
    person({ affiliation: ['CERN'] }),
    'creators[0].affiliation[0]: "CERN" is text, which the service would drop; sent as {"name": …}',
  ],
  [
    { contributors: [{ name: 'A', contributorType: 'Editor', affiliation: 'CERN' }] },
    /affiliation: "CERN" is text/,
  ],
];

/** What it drops, with the path (service.md, S1, S7, S8). */
const DROPPED: readonly (readonly [attributes: object, path: string])[] = [
  // check.test.ts has names that are not known.
  [
    item({ creators: [{ name: 'A', nameIdentifiers: [] }] }),
    'relatedItems[0].creators[0].nameIdentifiers',
  ],
  [
    item({ creators: [{ name: 'A', affiliation: ['B'] }] }),
    'relatedItems[0].creators[0].affiliation',
  ],
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
  // What has another type than its place (service.md, S3).
  ...[
    ...[
      'titles',
      'creators',
      'contributors',
      'subjects',
      'dates',
      'descriptions',
      'rightsList',
      'identifiers',
    ],
    ...['relatedIdentifiers', 'relatedItems', 'fundingReferences', 'geoLocations'],
  ].flatMap((name) =>
    ['x', 5, null, ['x']].map((one): [object, string] => {
      const list = (WHOLE as Record<string, unknown>)[name] as unknown[] | undefined;
      return [{ [name]: [...(list ?? []), one] }, `${name}[${list?.length ?? 0}]`];
    }),
  ),
  [{ titles: [{ title: 'T', titleType: ['Subtitle'] }] }, 'titles[0].titleType'],
  [{ titles: [{ title: 'T', lang: {} }] }, 'titles[0].lang'],
  [{ version: { number: 1 } }, 'version'],
  [{ language: ['en'] }, 'language'],
  [{ sizes: ['1 kB', { bytes: 1 }] }, 'sizes'],
  [{ formats: { a: 'b' } }, 'formats'],
  [{ subjects: 5 }, 'subjects'],
  [{ alternateIdentifiers: 'x' }, 'alternateIdentifiers'],
  [person({ nameIdentifiers: 'x' }), 'creators[0].nameIdentifiers'],
  [person({ nameIdentifiers: ['x'] }), 'creators[0].nameIdentifiers[0]'],
  [person({ affiliation: [{ name: 'B' }, true, null] }), 'creators[0].affiliation[1]'],
  [person({ familyName: ['Doe'] }), 'creators[0].familyName'],
  [item({ relatedItemIdentifier: 'x' }), 'relatedItems[0].relatedItemIdentifier'],
  [item({ titles: ['x'] }), 'relatedItems[0].titles[0]'],
  [place({ geoLocationPlace: 'B', geoLocationPoint: 'x' }), 'geoLocations[0].geoLocationPoint'],
  [place({ geoLocationPolygon: [...polygon, []] }), `${POLYGON}[${polygon.length}]`],
];

/** What the service takes in a Draft, and what not even there (service.md, S4, S8). */
it.each([
  [{ types: { resourceTypeGeneral: 'Datset' } }, 'warning: types.resourceTypeGeneral'],
  [related({ relationType: 'Quotes' }), 'warning: relatedIdentifiers[0].relationType'],
  [{ publicationYear: 'soon' }, 'error: publicationYear'],
  [
    { contributors: [{ name: 'A', contributorType: 'x' }] },
    'error: contributors[0].contributorType',
  ],
  [{ titles: 'T' }, 'error: titles'],
  [{ url: 'nonsense' }, 'error: url'],
])('a Draft with %j', (attributes, start) => {
  expect(texts(attributes, 'draft')[0]).toContain(start);
});

/** The rows of a table behind the text that names each. */
const labelled = <T>(rows: readonly (readonly [attributes: object, expected?: T])[]) =>
  rows.map(
    ([attributes, expected]) =>
      [JSON.stringify(attributes).slice(0, 90), attributes, expected] as const,
  );

describe('what the service refuses', () => {
  it.each(labelled(REFUSED))('%s is an error', (_, attributes, path) => {
    const errors = checkRecord({ ...WHOLE, ...attributes }, 'findable').filter(
      ({ severity }) => severity === 'error',
    );
    expect(errors.map((finding) => finding.path)).toEqual([path]);
  });
});

describe('what the service takes', () => {
  it.each(labelled(TAKEN))('%s is a warning at most', (_, attributes, warning) => {
    const found = texts(attributes);
    expect(found.filter((text) => text.startsWith('error'))).toEqual([]);
    if (typeof warning === 'string') expect(found).toEqual([`warning: ${warning}`]);
    else if (warning !== undefined) expect(found).toEqual([expect.stringMatching(warning)]);
  });
});

describe('what the service drops', () => {
  it.each(labelled(DROPPED))('%s is a warning that says so', (_, attributes, path) => {
    const found = texts(attributes);
    expect(found[0]).toContain(`warning: the service would drop this: ${String(path)}: `);
    expect(found.filter((text) => text.startsWith('error'))).toEqual([]);
  });

  it('is missing where a record needs it', () => {
    expect(texts({ titles: ['T'], creators: [['A']], publisher: 7 }).slice(0, 3)).toEqual(
      ['creators', 'titles', 'publisher'].map((name) =>
        expect.stringMatching(`^error: ${name}: is missing`),
      ),
    );
    expect(texts(related({ relationType: ['Cites'] }))).toContain(
      'error: relatedIdentifiers[0].relationType: is missing',
    );
  });

  it('leaves a language that is no tag to a Draft only', () => {
    for (const language of ['klingonese', 'en_US', 'Portuguese', 'de AT']) {
      expect(texts({ language })).toEqual([expect.stringMatching(/^error: language: /)]);
      expect(texts({ language }, 'draft')).toEqual([
        expect.stringMatching(/^warning: .*language: /),
      ]);
    }
  });
});

describe('XML of a Draft', () => {
  const FUNDER =
    '<contributors><contributor contributorType="Funder"><contributorName>F</contributorName></contributor></contributors>';
  const found = (xml: string, target: Target) =>
    checkRecord({ doi: '10.5072/abc', xml }, target).map(findingText);
  const errors = (xml: string, target: Target = 'draft') =>
    found(xml, target).filter((text) => text.startsWith('error'));

  // The service checks the types of contributors in records of kernel-4 only (service.md, S4, S9).
  it('may have contributors of other types in older kernels', () => {
    expect(errors(xmlOf('kernel-3', FUNDER))).toEqual([]);
    expect(errors(xmlOf('kernel-4', FUNDER))).toEqual([
      expect.stringContaining('not in the controlled list'),
    ]);
  });

  it('must have a type for a contributor of kernel-4', () => {
    const untyped = FUNDER.replace(' contributorType="Funder"', '');
    const item = `<relatedItems><relatedItem>${untyped}</relatedItem></relatedItems>`;
    expect(errors(xmlOf('kernel-3', untyped))).toEqual([]);
    expect(errors(xmlOf('kernel-4', item))).toEqual([]);
    expect(errors(xmlOf('kernel-4', untyped))).toEqual([
      expect.stringContaining('contributors/contributor[1]/@contributorType: is missing'),
    ]);
  });

  it('may hold values outside of the lists', () => {
    const dates = '<dates><date dateType="Foo">2020</date></dates>';
    expect(errors(xmlOf('kernel-4', dates))).toEqual([]);
    expect(found(xmlOf('kernel-4', dates), 'draft')).toContainEqual(
      expect.stringMatching(/^warning: .*date/),
    );
  });
});

describe('XML as the service reads it (service.md, S9)', () => {
  const check = (text: string, target: Target = 'findable') =>
    checkRecord({ doi: '10.5072/abc', url: 'https://example.org', xml: base64(text) }, target).map(
      findingText,
    );
  const whole = (attributes: string, inner: string) =>
    `<resource xmlns="http://datacite.org/schema/kernel-4" ${attributes}><identifier identifierType="DOI">10.5072/ABC</identifier>${COMPLETE_XML}${inner}</resource>`;

  it('is nothing without the namespace of a kernel', () => {
    const text = `<resource>${COMPLETE_XML}</resource>`;
    expect(check(text)).toEqual([
      expect.stringMatching(/^error: xml: is not a resource in the namespace/),
    ]);
    expect(check(text, 'draft').filter((one) => one.startsWith('error'))).toEqual([]);
    expect(check('<?xml version="1.0"?><crossref_result/>')).toEqual([]);
  });

  it('names the place of its schema with any prefix', () => {
    const instance =
      'xmlns:ns1="http://www.w3.org/2001/XMLSchema-instance" ns1:schemaLocation="a b"';
    expect(check(whole(instance, ''))).toEqual([]);
    expect(
      check(whole('xmlns:ns1="https://example.org" ns1:schemaLocation="a b"', '')),
    ).toHaveLength(1);
    expect(check(whole('xsi:schemaLocation="a b"', ''))).toHaveLength(1);
    const inner = (attribute: string) => check(whole(instance, `<geoLocations ${attribute}="x"/>`));
    expect(inner('ns1:schemaLocation')).toEqual([]);
    expect(inner('ns1:noNamespaceSchemaLocation')).toEqual([]);
    expect(inner('ns1:nil')).toHaveLength(1);
    expect(inner('ns1:foo')).toEqual([expect.stringContaining('/@foo: is not allowed')]);
  });

  it('has no tags of HTML but br, which are texts only in a Draft', () => {
    const described = (text: string) =>
      whole(
        '',
        `<descriptions><description descriptionType="Abstract">${text}</description></descriptions>`,
      );
    expect(check(described('A<br/>B'))).toEqual([]);
    const [wrong] = check(described('H<sub>2</sub>O'));
    expect(wrong).toContain('description[1]/sub: is not expected; expected is ( br )');
    expect(check(described('<i>x</i>'), 'draft')).toEqual([expect.stringMatching(/^warning/)]);
  });
});

describe('a value of the draft of Schema 4.8', () => {
  const OF_48 = 'is of Metadata Schema 4.8, which the service may not take yet';

  it.each<[string, object]>([
    ['types.resourceTypeGeneral', { types: { resourceTypeGeneral: 'BlogPost' } }],
    [
      'contributors[0].contributorType',
      { contributors: [{ name: 'A', contributorType: 'Reviewer' }] },
    ],
    [
      'relatedIdentifiers[0].relatedIdentifierType',
      related({ relatedIdentifierType: 'PatentNumber' }),
    ],
    ['relatedIdentifiers[0].relationType', related({ relationType: 'HasOutput' })],
    ['relatedIdentifiers[0].relationType', related({ relationType: 'IsOutputOf' })],
  ])('is a warning: %s', (path, attributes) => {
    expect(texts(attributes)).toEqual([expect.stringMatching(/^warning: /)]);
    expect(texts(attributes)[0]).toContain(`${path}: `);
    expect(texts(attributes)[0]).toContain(OF_48);
  });

  it('is an error in another list', () => {
    expect(texts({ types: { resourceTypeGeneral: 'Reviewer' } })).toEqual([
      expect.stringContaining('error: types.resourceTypeGeneral: "Reviewer" is not in the'),
    ]);
  });
});

describe('a record of an older schema', () => {
  it.each(['4.4', '4.5', '4.6'])(
    'kernel-%s has an error where it uses what 4.7 added',
    (kernel) => {
      const schemaVersion = `http://datacite.org/schema/kernel-${kernel}`;
      const errorsOf = (more: object) =>
        texts({ schemaVersion, ...more }).filter((text) => text.startsWith('error'));
      expect(errorsOf({})).toEqual([]);
      expect(errorsOf({ types: { resourceTypeGeneral: 'Project' } })).toEqual([]);
      expect(errorsOf({ types: { resourceTypeGeneral: 'Poster' } })).toEqual([
        expect.stringContaining(
          'types.resourceTypeGeneral: "Poster" is not in the controlled list',
        ),
      ]);
      expect(
        errorsOf(related({ relationType: 'Other', relationTypeInformation: 'x' })),
      ).toHaveLength(2);
      expect(errorsOf(related({ relatedIdentifierType: 'RAiD' }))).toHaveLength(1);
      expect(errorsOf(related({ relatedIdentifierType: 'CSTR' }))).toEqual([]);
    },
  );
});

describe('a record that was read', () => {
  const read = {
    created: '2016-01-01T00:00:00Z',
    updated: '2016-01-01T00:00:00Z',
    metadataVersion: 3,
  };
  it('may have a DOI that could not be created today', () => {
    expect(texts({ ...read, doi: '10.5072/a+b' })).toEqual([]);
    expect(checkRecord({ doi: '10.5072/a+b', version: '2' }, 'update')).toEqual([]);
  });
  it('may keep its XML, whatever is in it', () => {
    expect(texts({ ...read, xml: xmlOf('kernel-4', ''), contributors: null })).toEqual([]);
  });
});

describe('xml alone', () => {
  it.each(['4.0', '4.3', '4.5', '4.7', '5'])(
    'of kernel-%s is refused (service.md, S6)',
    async (kernel) => {
      const { url, doi } = WHOLE;
      const attributes = { url, doi, xml: xmlOf(`kernel-${kernel}`, COMPLETE_XML) };
      expect(checkRecord(attributes, 'findable')).toEqual([
        expect.objectContaining({
          severity: 'error',
          message: expect.stringContaining('the service refuses'),
        }),
      ]);
      const emulator = await emulate();
      const argv = ['dois', 'create', '--file', '-', '--event', 'publish', '--no-validate'];
      const { code, stderr } = await emulator.run(argv, { stdin: JSON.stringify(attributes) });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/422|invalid|declaration/i)]);
    },
  );

  it.each([
    ['<publisher>', '<publisher xml:lang="en_US">', 'resource/publisher/@xml:lang'],
    ['<publicationYear>', '<publicationYear xml:lang="en">', 'resource/publicationYear/@xml:lang'],
    ['<publicationYear>2026', '<publicationYear> ', 'resource/publicationYear'],
    ['<titles>', '<titles xml:lang="en">', 'resource/titles/@xml:lang'],
  ])('with %s as %s is refused', (from, to, path) => {
    const xml = `<identifier identifierType="DOI">10.5072/abc</identifier>${COMPLETE_XML}`;
    const found = (inner: string) => {
      const { url, doi } = WHOLE;
      const all = checkRecord({ url, doi, xml: xmlOf('kernel-4', inner) }, 'findable');
      return all.filter(({ severity }) => severity === 'error').map((finding) => finding.path);
    };
    expect(found(xml)).toEqual([]);
    expect(found(xml.replace(from, to))).toEqual([path]);
  });
});

describe('xml next to attributes', () => {
  it('undoes a null, which is said', () => {
    expect(texts({ xml: xmlOf('kernel-4', COMPLETE_XML), contributors: null })).toEqual([
      'warning: contributors: null removes nothing, because the xml next to it wins',
    ]);
  });
  it('of an old kernel may stay in a Draft', () => {
    expect(texts({ xml: xmlOf('kernel-3', COMPLETE_XML) }, 'draft')).toEqual([
      expect.stringMatching(/^warning: xml: is of http:\/\/datacite\.org\/schema\/kernel-3, /),
    ]);
  });
});
