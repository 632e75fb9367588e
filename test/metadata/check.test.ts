import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRecord, findingText, withLines } from '../../src/metadata/check.ts';
import { FORMATS } from '../../src/metadata/formats.ts';
import { storedLanguage } from '../../src/metadata/language.ts';
import { prepareXml } from '../../src/metadata/libxml2.ts';
import schema from '../../src/metadata/schema/datacite-4.7.json' with { type: 'json' };
import { parsePlaced } from '../../src/text/json.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';
import { runs } from '../helpers/runs.ts';

const WHOLE = { doi: '10.5072/abc', ...COMPLETE_RECORD };
const recorded = [
  ...['test/fixtures/dois-2024.json', 'test/fixtures/dois-page-1-2020.json'].flatMap(
    (file) =>
      (JSON.parse(readFileSync(file, 'utf8')) as { data: { id: string; attributes: object }[] })
        .data,
  ),
  ...readFileSync('bench/records.ndjson', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; attributes: object }),
];
const texts = (attributes: object, target: Parameters<typeof checkRecord>[1] = 'findable') =>
  checkRecord({ ...WHOLE, ...attributes }, target).map(findingText);

const PUBLISHER = {
  name: 'A',
  publisherIdentifier: 'https://ror.org/04wxnsj81',
  publisherIdentifierScheme: 'ROR',
  schemeUri: 'https://ror.org/',
  lang: 'en',
};
const BOX = {
  westBoundLongitude: 1,
  eastBoundLongitude: 2,
  southBoundLatitude: 1,
  northBoundLatitude: 2,
};
const point = (pointLatitude: number | string, pointLongitude: number | string) => ({
  pointLatitude,
  pointLongitude,
});
const polygon = (...corners: number[]) => corners.map((at) => ({ polygonPoint: point(at, at) }));

describe('the schema', () => {
  it('is a schema of the draft that it names, and uses no formats but its own', () => {
    const ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      formats: {},
    });
    for (const name of Object.keys(FORMATS)) ajv.addFormat(name, true);
    expect(() => ajv.compile(schema)).not.toThrow();
  });
  it('takes a document, its resource object and the attributes alone, and knows what an event asks for', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile(schema);
    for (const attributes of [WHOLE, { ...WHOLE, event: 'publish' }, { prefix: '10.5072' }]) {
      const resource = { type: 'dois', attributes };
      for (const form of [{ data: resource }, resource, attributes])
        expect(validate(form)).toBe(true);
    }
    const bad = { prefix: '10.5072', event: 'publish' };
    for (const form of [{ data: { type: 'dois', attributes: bad } }, bad])
      expect(validate(form)).toBe(false);
  });
});

describe('a recorded record', () => {
  it.each(recorded.map(({ id, attributes }) => [id, attributes] as const))(
    '%s has no errors',
    (_, attributes) => {
      expect(
        checkRecord(attributes, 'findable').filter(({ severity }) => severity === 'error'),
      ).toEqual([]);
    },
  );
});

describe('a record', () => {
  it('that has all it needs is right', () => {
    for (const target of ['draft', 'registered', 'findable', 'update'] as const) {
      expect(checkRecord(WHOLE, target)).toEqual([]);
    }
  });
  it.each([
    ['creators', 'creators'],
    ['titles', 'titles'],
    ['publisher', 'publisher'],
    ['publicationYear', 'publicationYear'],
    ['types', 'types.resourceTypeGeneral'],
    ['url', 'url'],
  ])('without %s cannot be registered, but be a Draft', (name, path) => {
    for (const value of [undefined, null, '']) {
      const attributes = { ...WHOLE, [name]: value };
      const found = checkRecord(attributes, 'findable');
      expect(found[0]).toMatchObject({
        severity: 'error',
        path,
        message: /is missing: a Findable/,
      });
      expect(checkRecord(attributes, 'registered')[0]).toMatchObject({ message: /Registered/ });
    }
    const { [name as 'url']: _, ...rest } = WHOLE;
    expect(checkRecord(rest, 'draft')).toEqual([]);
    expect(checkRecord(rest, 'update')).toEqual([]);
  });
  it('with DataCite XML needs an address besides', async () => {
    await prepareXml();
    const text = `<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI"/><creators><creator><creatorName>A</creatorName></creator></creators><titles><title>T</title></titles><publisher>P</publisher><publicationYear>2026</publicationYear><resourceType resourceTypeGeneral="Dataset"/></resource>`;
    const xml = Buffer.from(text).toString('base64');
    expect(checkRecord({ prefix: '10.5072', xml }, 'findable')).toMatchObject([{ path: 'url' }]);
  });
  it('may hold a publisher as an object, and affiliations too', () => {
    const affiliation = [
      { name: 'B', affiliationIdentifier: '05f0yaq80', affiliationIdentifierScheme: 'ROR' },
    ];
    expect(texts({ publisher: PUBLISHER, creators: [{ name: 'D', affiliation }] })).toEqual([]);
  });
  it('may hold what no official example has', () => {
    const item = { relatedItemIdentifier: '1234-5678', relatedItemIdentifierType: 'ISSN' };
    const rest = {
      contributors: [{ name: 'C', contributorType: 'Translator', givenName: null }],
      dates: [{ date: '2026/2027', dateType: 'Coverage' }],
      alternateIdentifiers: [{ alternateIdentifier: '1', alternateIdentifierType: 'Local' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: '10.5072/b',
          relatedIdentifierType: 'DOI',
          relationType: 'HasTranslation',
          resourceTypeGeneral: 'Award',
        },
      ],
      relatedItems: [
        {
          relatedItemType: 'Journal',
          relationType: 'IsPublishedIn',
          relatedItemIdentifier: { ...item, schemeURI: 'https://e.org' },
          titles: [{ title: 'J' }],
        },
      ],
      descriptions: [{ description: 'D', descriptionType: 'TechnicalInfo', lang: 'de' }],
      geoLocations: [
        { geoLocationPoint: point(1, '2.5') },
        { geoLocationBox: { ...BOX, westBoundLongitude: 170, eastBoundLongitude: -170 } },
        { geoLocationPolygon: [...polygon(1, 2, 3, 1), { inPolygonPoint: point(1, '2.5') }] },
      ],
      contentUrl: ['https://e.org/data'],
    };
    expect(texts(rest)).toEqual([]);
  });
});

describe('what is wrong', () => {
  // The service takes what is a warning here: it checks no identifier, no date and no tag of a
  // language, and it drops properties that it does not know (service.md, S1, S4, S7).
  it.each([
    [
      { types: { resourceTypeGeneral: 'dataset' } },
      /^error: types\.resourceTypeGeneral: "dataset" is not in the controlled list; did you mean Dataset\?$/,
    ],
    [
      { titles: [{ title: 'A', titleType: 'Sub' }] },
      'error: titles[0].titleType: "Sub" is not in the controlled list; allowed: AlternativeTitle, Subtitle, TranslatedTitle, Other',
    ],
    [
      { creater: [] },
      'warning: the service would drop this: creater: is not a property of the schema; did you mean creators?',
    ],
    [
      { language: 'TBD' },
      'warning: language: "TBD" is probably a placeholder: leave the language out',
    ],
    [{ url: 'https://example.org/a\0b' }, /^error: url: .* holds a control character$/],
    [
      { titles: [{ title: 'A', language: 'en' }] },
      'warning: the service would drop this: titles[0].language: is not a property of the schema',
    ],
    [
      { subjects: [{ subject: 'A', schemeURI: 'https://e.org' }] },
      'warning: the service would drop this: subjects[0].schemeURI: is not a property of the schema; did you mean schemeUri?',
    ],
    [
      { geoLocations: [{ geoLocationPlace: '1e2', geoLocationPoint: point('5e-05', '1.5e1') }] },
      'warning: geoLocations[0].geoLocationPoint.pointLatitude: "5e-05" would be stored as 5: write it as a number',
    ],
    [{ client: 'a.b' }, 'error: client: "a.b" makes the service fail: leave it out'],
    [{ titles: 'A title' }, 'error: titles: "A title" must be a list'],
    [
      { creators: ['Doe, Jane', { name: 'A' }] },
      'warning: the service would drop this: creators[0]: "Doe, Jane" must be an object',
    ],
    [{ publicationYear: 26 }, 'error: publicationYear: 26 must be at least 1000'],
    [
      { publicationYear: 'this year' },
      'error: publicationYear: "this year" is not a year of four digits',
    ],
    [{ titles: [{ title: ' ' }] }, 'warning: titles[0].title: " " must not be blank'],
    [{ contributors: [{ name: 'A' }] }, 'error: contributors[0].contributorType: is missing'],
    [
      { url: 'example.org' },
      'error: url: "example.org" is not an address such as https://example.org/ (http, https or ftp)',
    ],
    [
      { rightsList: [{ rightsUri: 'e.org' }] },
      'warning: rightsList[0].rightsUri: "e.org" is not a URI such as https://example.org/',
    ],
    [
      { publisher: { ...PUBLISHER, publisherIdentifier: 'https://ror.org/04wxnsj82' } },
      /^warning: publisher\.publisherIdentifier: .*81$/,
    ],
    [
      { dates: [{ date: '2026-02-30', dateType: 'Issued' }] },
      'warning: dates[0].date: "2026-02-30" has an invalid day',
    ],
    [
      // The service takes numbers for texts (service.md, S4); it was thought to refuse them.
      { dates: [{ date: 2026, dateType: 'Issued' }] },
      'warning: dates[0].date: 2026 must be text',
    ],
    [{ language: 'klingonese' }, /^error: language: "klingonese" is not a language tag/],
    [
      { geoLocations: [{ geoLocationPoint: point(91, 1) }] },
      'error: geoLocations[0].geoLocationPoint.pointLatitude: 91 must be at most 90',
    ],
    [
      { geoLocations: [{ geoLocationPoint: point(1, '-181') }] },
      /pointLongitude: "-181" is not a number of degrees/,
    ],
    [
      { geoLocations: [{ geoLocationBox: { ...BOX, southBoundLatitude: 3 } }] },
      /southBoundLatitude: 3 is north of/,
    ],
    [
      { geoLocations: [{ geoLocationPolygon: polygon(1, 2, 3, 4) }] },
      /^warning: geoLocations\[0\]\.geoLocationPolygon: is not closed/,
    ],
    [{ geoLocations: [{}] }, 'warning: geoLocations[0]: must not be empty'],
    [
      { doi: 'https://doi.org/10.5072/a' },
      'error: doi: "https://doi.org/10.5072/a" is not a bare DOI; did you mean 10.5072/a?',
    ],
    [
      {
        relatedIdentifiers: [
          { relatedIdentifier: 'x', relatedIdentifierType: 'DOI', relationType: 'Cites' },
        ],
      },
      /^warning: relatedIdentifiers\[0\]\.relatedIdentifier: "x" is not a DOI/,
    ],
    [
      // A transfer (service.md, W19).
      { mode: 'transfer' },
      'error: mode: "transfer" gives the DOI to another repository, and all other attributes would be ignored',
    ],
    [
      { event: 'go' },
      'error: event: "go" is not in the controlled list; allowed: publish, register, hide, show',
    ],
  ])('%j is named with its path, its value and what is allowed', (attributes, text) => {
    const found = texts(attributes);
    expect(found).toHaveLength(1);
    expect(found[0]).toEqual(text instanceof RegExp ? expect.stringMatching(text) : text);
  });
  it('comes with all that is allowed', () => {
    const [found] = checkRecord(
      { contributors: [{ name: 'A', contributorType: 'Painter' }] },
      'update',
    );
    expect(found).toMatchObject({
      value: 'Painter',
      steps: ['contributors', 0, 'contributorType'],
    });
    expect(found?.allowed).toHaveLength(22);
    expect(findingText(found ?? expect.fail())).toMatch(
      /; allowed: ContactPerson, DataCollector, .*Other$/,
    );
  });
  it('is no suffix or prefix that stands next to the DOI, or in an update (service.md, W2)', () => {
    expect(texts({ suffix: 'other', prefix: '10.9999' })).toEqual([]);
    expect(checkRecord({ suffix: 'abc', version: '2' }, 'update')).toEqual([]);
  });
  it('in the parts of a Draft may be left for later', () => {
    expect(checkRecord({ prefix: '10.5072', titles: [{}] }, 'draft')).toMatchObject([
      { severity: 'warning', path: 'titles[0].title' },
    ]);
  });
  it('is the record itself, where it is no object', () => {
    for (const value of [null, [], 'text', 7]) {
      expect(checkRecord(value, 'draft')).toMatchObject([
        { path: '', message: 'must be an object' },
      ]);
    }
  });
  it('is told of anything at all, on one line, with a place that is there', () => {
    const names = Object.keys(schema.$defs.attributes.properties);
    const value = fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.dictionary(
          fc.constantFrom(...Object.keys(schema.$defs.creator.properties)),
          fc.jsonValue(),
        ),
      ),
      fc.array(fc.record({ geoLocationPolygon: fc.jsonValue(), geoLocationBox: fc.jsonValue() })),
    );
    const record = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value));
    fc.assert(
      fc.property(record, fc.constantFrom('draft', 'findable', 'update'), (attributes, target) => {
        const text = JSON.stringify(attributes, undefined, 1);
        const found = checkRecord(attributes, target);
        for (const finding of withLines(found, {
          json: { text, root: parsePlaced(text).root, at: [] },
          line: 1,
        })) {
          expect(findingText(finding)).not.toMatch(/[\p{Cc}\u2028]/u);
          expect(finding.line).toBeLessThanOrEqual(text.split('\n').length);
        }
      }),
      { numRuns: runs(100) },
    );
  });
  it.each(['__proto__', 'constructor', { toString: 1 }])(
    'is told where JavaScript has a meaning for %j',
    (value) => {
      const item = { relatedIdentifier: 'x', relatedIdentifierType: value, relationType: value };
      const paths = checkRecord({ relatedIdentifiers: [item] }, 'update').map(({ path }) => path);
      expect(paths.toSorted()).toEqual([
        'relatedIdentifiers[0].relatedIdentifierType',
        'relatedIdentifiers[0].relationType',
      ]);
    },
  );
  it('has a line, of the value or of what it is missing from', () => {
    const text =
      '{"data": {"attributes": {\n"titles": [\n{"title": 7},\n{\n"lang": "en"}\n],\n"x": 1}}}';
    const { data } = JSON.parse(text) as { data: { attributes: object } };
    const found = withLines(checkRecord(data.attributes, 'findable'), {
      json: { text, root: parsePlaced(text).root, at: ['data', 'attributes'] },
      line: 10,
    });
    const lines = Object.fromEntries(found.map(({ path, line }) => [path, line]));
    expect(lines).toMatchObject({ 'titles[0].title': 12, 'titles[1].title': 13, x: 16, url: 10 });
  });
});

it('knows what the service makes of a language (service.md, S7)', () => {
  const codes = ['deu', 'ger', 'de-AT', 'German', 'zho-Hans', 'grc', 'cmn', 'swh-KE', 'tgl', 'twi'];
  const stored = ['de', 'de', 'de', 'de', 'zh', 'grc', 'cmn', 'swh-KE', 'tl', 'tw'];
  expect(codes.map(storedLanguage)).toEqual(stored);
});
