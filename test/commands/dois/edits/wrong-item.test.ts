import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Attributes,
  Editing,
  edit,
  editRows,
  LAKE,
  type Values,
} from '../../../helpers/editing.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

type Item = Attributes;
type Move = (list: readonly Item[], place: number) => readonly Item[];

const [ORCID, OTHER_ORCID] = [
  'https://orcid.org/0000-0002-1825-0097',
  'https://orcid.org/0000-0001-5109-3700',
];
const ROR = 'https://ror.org/01ggx4157';
const orgs = (...names: string[]) => names.map((name) => ({ name }));
const people = (count: number, more: Item): Item[] =>
  Array.from({ length: count }, (_, place) => ({ name: `Person, ${place}`, ...more }));
const RECORD = {
  ...LAKE,
  creators: people(8, { nameType: 'Personal', affiliation: orgs('One', 'Two', 'Three') }),
  contributors: people(4, { contributorType: 'Editor', affiliation: orgs('One') }),
  subjects: Array.from({ length: 8 }, (_, place) => ({ subject: `subject ${place}` })),
};

/** A cell of an item: its column, what is typed into it, and the list and the place of the item. */
type CellOfItem = readonly [
  column: string,
  value: string,
  list: 'creators' | 'contributors' | 'subjects',
  at: number,
];
const CELLS: readonly CellOfItem[] = [
  ['creators[0].affiliation[1+]', '[{"name":"Two"},{"name":"Four"}]', 'creators', 0],
  ['creators[1].affiliation[0].name', 'Another', 'creators', 1],
  ['creators[2].affiliation[0].ror', ROR, 'creators', 2],
  ['creators[3].orcid', ORCID, 'creators', 3],
  ['creators[4].givenName', 'E.', 'creators', 4],
  ['contributors[0].affiliation[1+]', '[{"name":"Two"}]', 'contributors', 0],
  ['contributors[1].orcid', ORCID, 'contributors', 1],
  ['subjects[1].valueUri', 'https://example.org/subject', 'subjects', 1],
];
/**
 * Cells of columns that an export does not have: they stand in the place of those of further items.
 */
const OWN_CELLS: readonly CellOfItem[] = [
  ['creators[7].orcid', ORCID, 'creators', 7],
  ['creators[6].affiliation[0].ror', ROR, 'creators', 6],
  ['creators[5].affiliation[1+]', '[{"name":"Four"}]', 'creators', 5],
  ['contributors[3].givenName', 'D.', 'contributors', 3],
  ['subjects[7].valueUri', 'https://example.org/subject', 'subjects', 7],
];
const FURTHER = ['creators[5+]', 'contributors[2+]', 'subjects[5+]'];

const MOVES: readonly (readonly [name: string, move: Move])[] = [
  ['is turned round', (list) => list.toReversed()],
  [
    'gets a new first item',
    ([first, ...list]) => [{ ...first, name: 'New', subject: 'new' }, first ?? {}, ...list],
  ],
  ['has its first item at its end', ([first, ...others]) => [...others, first ?? {}]],
  ['loses another item', (list, place) => list.filter((_, at) => at !== (place === 0 ? 1 : 0))],
];

const listOf = async (doi: string, list: string) => (await editing.stored(doi))[list] as Item[];

describe.each(MOVES)('an item whose list meanwhile %s', (_, move) => {
  it('is a conflict of the cell that edits it, and the list stays as it is', async () => {
    const format = 'csv';
    const cells = [...CELLS, ...OWN_CELLS];
    const dois = await editing.create(...cells.map(() => RECORD));
    const path = await editing.exported(dois, format);
    editRows(path, (row) => {
      const kept = Object.entries(row).filter(([head]) => !FURTHER.includes(head));
      return Object.fromEntries([...OWN_CELLS.map(([column]) => [column, '']), ...kept]);
    });
    for (const [place, [column, value, list, at]] of cells.entries()) {
      const doi = dois[place] ?? '';
      edit(path, doi, { [column]: value });
      await editing.theirs(doi, { [list]: move(RECORD[list], at) });
    }
    const { code, puts, results } = await editing.update(path);
    expect([code, puts]).toEqual([1, []]);
    for (const [place, [column]] of cells.entries()) {
      const { errors = [] } = results.find(({ doi }) => doi === dois[place]) ?? {};
      expect(errors.map(({ path: at }) => at)).toEqual([column]);
    }
  });
});

const twins = [{ name: 'Doe, Jane' }, { name: 'Doe, Jane' }, { name: 'Roe, Rick' }];
/**
 * What is edited of an item, and what a colleague has made of its list, so that it is not known
 * whose edit it is.
 */
const CONFLICTS: readonly (readonly [
  name: string,
  of: Attributes,
  edited: Values,
  theirs: Attributes,
])[] = [
  [
    'another person is in the place of the edited one',
    {},
    { 'creators[0].orcid': ORCID },
    { creators: [{ name: 'New, Ned' }, ...LAKE.creators.slice(1)] },
  ],
  [
    'the edited person got another name',
    {},
    { 'creators[1].affiliation[1+]': '[{"name":"Two"}]' },
    { creators: [LAKE.creators[0], { name: 'Roe, Richard' }, LAKE.creators[2]] },
  ],
  [
    'the edited person was taken away',
    {},
    { 'creators[2].givenName': 'Pat' },
    { creators: LAKE.creators.slice(0, 2) },
  ],
  [
    'of two equal people the other one was changed',
    { creators: twins },
    { 'creators[0].givenName': 'J.' },
    { creators: [twins[0], { ...twins[1], givenName: 'Jane' }, twins[2]] },
  ],
  [
    'the edited date is of another kind',
    {},
    { 'dates[0].dateInformation': 'about' },
    { dates: [{ date: '2024-03-04', dateType: 'Created' }] },
  ],
  [
    'the edited person got another ORCID iD',
    {},
    { 'creators[0].orcid': ORCID },
    {
      creators: [
        {
          ...LAKE.creators[0],
          nameIdentifiers: [
            {
              nameIdentifier: OTHER_ORCID,
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
        ...LAKE.creators.slice(1),
      ],
    },
  ],
];

it('an edit is a conflict, and nothing is sent, where it is not known whose it is', async () => {
  const dois = await editing.create(...CONFLICTS.map(([, of]) => ({ ...LAKE, ...of })));
  const path = await editing.exported(dois, 'csv');
  for (const [place, [, , edited, theirs]] of CONFLICTS.entries()) {
    const doi = dois[place] ?? '';
    edit(path, doi, edited);
    await editing.theirs(doi, theirs);
  }
  const { code, puts, results } = await editing.update(path);
  expect([code, puts]).toEqual([1, []]);
  for (const [place, [name, , edited]] of CONFLICTS.entries()) {
    const { outcome, errors = [] } = results.find(({ doi }) => doi === dois[place]) ?? {};
    expect([outcome, errors.map(({ path: at }) => at)], name).toEqual([
      'failed',
      Object.keys(edited),
    ]);
  }
});

/** A whole item that is replaced by another one, and what the list holds then. */
const REPLACED: readonly (readonly [
  name: string,
  of: Attributes,
  edited: Values,
  held: Attributes,
])[] = [
  [
    'a creator',
    {
      creators: [
        {
          name: 'Doe, Jane',
          nameType: 'Personal',
          givenName: 'Jane',
          familyName: 'Doe',
          affiliation: orgs('CERN'),
        },
        { name: 'Roe, Rick' },
      ],
    },
    {
      'creators[0].name': 'Poe, Pat',
      'creators[0].givenName': 'Pat',
      'creators[0].familyName': 'Poe',
      'creators[0].affiliation[0].name': 'ETH',
    },
    {
      creators: [
        {
          name: 'Poe, Pat',
          givenName: 'Pat',
          familyName: 'Poe',
          nameType: 'Personal',
          affiliation: orgs('ETH'),
        },
        { name: 'Roe, Rick' },
      ],
    },
  ],
  [
    'a creator with an ORCID iD',
    {
      creators: [
        {
          name: 'Doe, Jane',
          nameType: 'Personal',
          nameIdentifiers: [
            {
              nameIdentifier: ORCID,
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
      ],
    },
    { 'creators[0].name': 'Poe, Pat', 'creators[0].orcid': OTHER_ORCID },
    {
      creators: [
        {
          name: 'Poe, Pat',
          nameType: 'Personal',
          nameIdentifiers: [{ nameIdentifier: OTHER_ORCID }],
        },
      ],
    },
  ],
  [
    'a contributor',
    { contributors: [{ name: 'Doe, Jane', contributorType: 'Editor', givenName: 'Jane' }] },
    {
      'contributors[0].name': 'Poe, Pat',
      'contributors[0].contributorType': 'Sponsor',
      'contributors[0].givenName': 'Pat',
    },
    { contributors: [{ name: 'Poe, Pat', contributorType: 'Sponsor', givenName: 'Pat' }] },
  ],
  [
    'a title with its kind and language',
    {
      titles: [
        { title: 'Lake', lang: 'en' },
        { title: 'See', titleType: 'TranslatedTitle', lang: 'de' },
      ],
    },
    { 'titles[1].title': 'Lac', 'titles[1].titleType': 'AlternativeTitle', 'titles[1].lang': 'fr' },
    {
      titles: [
        { title: 'Lake', lang: 'en' },
        { title: 'Lac', titleType: 'AlternativeTitle', lang: 'fr' },
      ],
    },
  ],
];

describe('an item of which each column is filled anew', () => {
  const format = 'csv';
  it('is replaced', async () => {
    const dois = await editing.create(...REPLACED.map(([, of]) => ({ ...LAKE, ...of })));
    const path = await editing.exported(dois, format);
    for (const [place, [, , edited]] of REPLACED.entries()) edit(path, dois[place], edited);
    const { code, stderr, puts } = await editing.update(path);
    expect([code, puts.length], stderr).toEqual([0, REPLACED.length]);
    for (const [place, [name, of, , held]] of REPLACED.entries()) {
      const [list = ''] = Object.keys(of);
      const now = await listOf(dois[place] ?? '', list);
      expect({ [list]: now }, name).toMatchObject(held);
    }
  });
});

it("an edit of one of two namesakes is that one's, and is refused where it is nearer to the other", async () => {
  const [cern, eth] = ['CERN', 'ETH'].map((name) => ({
    name: 'Doe, Jane',
    affiliation: orgs(name),
  }));
  const dois = await editing.create(
    ...[0, 1, 2, 3].map(() => ({ ...LAKE, creators: [cern, eth] })),
  );
  const path = await editing.exported(dois, 'csv');
  edit(path, dois[0], { 'creators[1].orcid': ORCID });
  edit(path, dois[1], { 'creators[1].orcid': ORCID });
  await editing.theirs(dois[1] ?? '', { creators: [eth, cern] });
  edit(path, dois[2], { 'creators[0].affiliation[0].name': 'ETH', 'creators[0].orcid': ORCID });
  const { code, results, puts } = await editing.update(path);
  expect([code, puts.length]).toEqual([1, 1]);
  const of = async (doi: string) =>
    (await listOf(doi, 'creators')).map(({ nameIdentifiers }) => nameIdentifiers);
  const own = [expect.objectContaining({ nameIdentifier: ORCID })];
  expect(await of(dois[0] ?? '')).toEqual([[], own]);
  expect(await of(dois[1] ?? '')).toEqual([[], []]);
  const exchanged = results.find(({ doi }) => doi === dois[1]);
  expect(exchanged?.errors.map(({ path: at }) => at)).toEqual(['creators[1].orcid']);
  const refused = results.find(({ doi }) => doi === dois[2]);
  expect(refused?.errors).toMatchObject([
    { path: 'creators[0].name', message: expect.stringMatching(/belongs to another item/) },
  ]);
});
