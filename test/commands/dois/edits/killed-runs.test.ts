import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Attributes,
  Editing,
  edit,
  editRows,
  isTable,
  type Kill,
  LAKE,
  type Values,
} from '../../../helpers/editing.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

const twin = { name: 'Doe, Jane', nameType: 'Personal' };
const RECORD = {
  ...LAKE,
  titles: [...LAKE.titles, { title: 'See', titleType: 'TranslatedTitle', lang: 'de' }],
  creators: [twin, twin, { name: 'Roe, Rick', affiliation: [{ name: 'CERN' }] }],
};

/** Edits that the service stores as they are, and those that it stores in a form of its own. */
const EDITS: readonly Values[] = [
  { url: 'https://example.org/mine' },
  { 'titles[1].title': null },
  { 'titles[0].title': 'A <i>lake</i> & more', 'titles[0].lang': 'en' },
  { 'descriptions[0].description': 'Deep', 'descriptions[0].descriptionType': 'Abstract' },
  { 'creators[0].name': null },
  { 'creators[1].name': null },
  { 'creators[1].givenName': 'J.' },
  { 'creators[2].name': 'Roe, R.' },
  { 'creators[3].name': 'Poe, Pat' },
  { 'subjects[2].subject': 'snow' },
  { 'subjects[0].subject': null, 'subjects[1].valueUri': 'https://example.org/ice' },
  { version: null },
  { 'types.resourceTypeGeneral': 'Text', 'types.resourceType': 'Table' },
  { 'dates[0].date': '2020' },
  { 'dates[0].dateType': 'Created' },
  { publicationYear: '2020' },
  { language: 'deu' },
  { language: 'German' },
  { 'rightsList[0].rightsIdentifier': 'cc-by-4.0' },
  {
    'geoLocations[0].geoLocationPoint.pointLatitude': '5.10',
    'geoLocations[0].geoLocationPoint.pointLongitude': '6',
  },
  {
    'relatedIdentifiers[0].relatedIdentifier': 'https://doi.org/10.5072/ABC',
    'relatedIdentifiers[0].relatedIdentifierType': 'DOI',
    'relatedIdentifiers[0].relationType': 'Cites',
  },
  { 'contributors[0].name': 'Poe, Pat', 'contributors[0].contributorType': 'Editor' },
  { event: 'register' },
];
/** Edits of organizations, which are names in a list as JSON. */
const EDITS_OF_ROWS: readonly Values[] = [
  { 'creators[2].name': 'Roe, R.', 'creators[2].affiliation[0].name': 'ETH' },
  { 'publisher.name': 'ETH' },
  { 'creators[2].orcid': '0000-0002-1825-0097' },
  { 'creators[2].affiliation[0].ror': '01ggx4157' },
  { 'creators[2].affiliation[0].name': null },
  { 'publisher.ror': '01ggx4157', 'publisher.name': 'European Organization' },
];

/** The attributes of a record that do not depend on its DOI and its times. */
async function held(doi: string): Promise<Attributes> {
  const renewed = /^(doi|suffix|created|updated|registered|metadataVersion|xml|.+OverTime)$/;
  return Object.fromEntries(
    Object.entries(await editing.stored(doi)).filter(([name]) => !renewed.test(name)),
  );
}

type Format = 'csv' | 'json';
const FORMATS: readonly Format[] = ['csv', 'json'];
/** Formats, and whether an update was carried out before the kill. */
const ENDS: readonly (readonly [format: Format, isCarriedOut: boolean])[] = [
  ['csv', true],
  ['json', false],
];

/** Records of which each has an edit of its own in one file. */
async function edited(format: Format, edits: readonly Values[]) {
  const dois = await editing.create(...edits.map(() => RECORD));
  const path = await editing.exported(dois, format);
  if (isTable(path)) editRows(path, (row) => ({ event: '', ...row }));
  for (const [place, values] of edits.entries()) edit(path, dois[place], values);
  return { dois, path };
}

it.each(ENDS)(
  'a run of %s that is killed again and again ends as one that was not (updates carried out: %s)',
  async (format, isCarriedOut) => {
    const edits = [...EDITS, ...(format.endsWith('sv') ? EDITS_OF_ROWS : [])];
    const { dois, path } = await edited(format, edits);
    const twins = await edited(format, edits);
    expect(await editing.update(twins.path)).toMatchObject({ code: 0 });
    const sent: unknown[] = [];
    for (const _ of dois) {
      const { code, puts } = await editing.killed(path, { at: 8, isCarriedOut, method: 'PUT' });
      sent.push(...puts.map(({ doi }) => doi));
      if (code === 0) break;
    }
    const { code, stderr, results, puts } = await editing.update(path);
    const failed = results.filter(({ errors }) => errors.length > 0);
    expect([code, puts, failed], stderr).toEqual([0, [], []]);
    expect(sent.sort(), 'each is sent once').toEqual([...dois].sort());
    for (const [place, doi] of dois.entries()) {
      expect(await held(doi), JSON.stringify(edits[place])).toEqual(
        await held(twins.dois[place] ?? ''),
      );
    }
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
  },
);

describe.each(FORMATS)('a run of %s that is killed again and again', (format) => {
  it('keeps what a colleague has changed before, and between the kill and the end', async () => {
    const edits: readonly Values[] = [
      { 'titles[1].title': null },
      { 'creators[0].name': null },
      { 'creators[2].name': 'Roe, R.' },
      { 'creators[3].name': 'Poe, Pat' },
      { 'rightsList[0].rightsIdentifier': 'cc-by-4.0' },
      { version: '2' },
    ];
    const { dois, path } = await edited(format, edits);
    if (format.endsWith('sv'))
      for (const doi of dois) await editing.theirs(doi, { language: 'en' });
    for (const doi of dois) {
      const { code } = await editing.killed(
        path,
        { at: 1, isCarriedOut: true, method: 'PUT' },
        '--jobs',
        '1',
      );
      expect(code).not.toBe(0);
      if (format.endsWith('sv')) await editing.theirs(doi, { url: 'https://example.org/theirs' });
    }
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    for (const doi of dois) {
      if (format.endsWith('sv'))
        expect(await held(doi)).toMatchObject({
          url: 'https://example.org/theirs',
          language: 'en',
        });
      expect((await held(doi))['creators']).not.toEqual([]);
    }
  });
});

describe('a run of csv', () => {
  const format = 'csv';
  it('continues wherever it is killed', async () => {
    // A read and a write.
    const kills = [1, 2].flatMap((at): Kill[] => [
      { at, isCarriedOut: false },
      { at, isCarriedOut: true },
    ]);
    for (const kill of kills) {
      const { dois, path } = await edited(format, [
        { url: 'https://example.org/mine' },
        { 'creators[0].name': null },
      ]);
      await editing.killed(path, kill, '--jobs', '1');
      const { code, results } = await editing.update(path);
      expect([code, results.length], JSON.stringify(kill)).toEqual([0, 2]);
      expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
      expect(await held(dois[0] ?? '')).toMatchObject({ url: 'https://example.org/mine' });
      expect((await held(dois[1] ?? ''))['creators']).toMatchObject([twin, { name: 'Roe, Rick' }]);
      expect(existsSync(`${path}.update-ledger`)).toBe(true);
    }
  });

  it('continues whatever the answers were', async () => {
    for (const fault of ['lost-answer', '500']) {
      const { dois, path } = await edited(format, [
        { 'titles[1].title': null },
        { 'creators[0].name': null },
      ]);
      await editing.emulator.control('faults', { faults: [`${fault}@2+`] });
      const first = await editing.update(path, '--retries', '0');
      await editing.emulator.control('faults', { faults: [] });
      expect(first.code, fault).not.toBe(2);
      expect(await editing.update(path), fault).toMatchObject({ code: 0 });
      expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
      expect((await held(dois[0] ?? ''))['titles']).toEqual(LAKE.titles);
      expect((await held(dois[1] ?? ''))['creators']).toMatchObject([twin, { name: 'Roe, Rick' }]);
    }
  });
});

it.each(EDITS.filter((_, place) => place % 8 === 1))(
  'the update of one record in a file of its own changes nothing a second time: %j',
  async (values) => {
    const dois = await editing.create(RECORD);
    const path = await editing.exported(dois, 'get');
    edit(path, dois[0], values);
    await editing.killed(path, { at: 1, isCarriedOut: true, method: 'PUT' });
    const before = await editing.stored(dois[0] ?? '');
    for (const _ of [1, 2]) expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    expect(await editing.stored(dois[0] ?? '')).toEqual(before);
  },
);
