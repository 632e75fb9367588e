import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Attributes,
  Editing,
  edit,
  type Format,
  LAKE,
  rowsOf,
  type Values,
  writeRows,
} from '../../../helpers/editing.ts';

const FORMATS: readonly Format[] = ['csv', 'ndjson', 'get'];
const [MINE, THEIRS] = ['https://example.org/mine', 'https://example.org/theirs'];

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

const url = async (doi: string) => (await editing.stored(doi))['url'];

/**
 * Records that were exported, whose first one was edited and sent, and then changed by a colleague.
 */
async function sentBefore(format: Format, theirs: string, fields?: string) {
  const dois = await editing.create(LAKE, ...(format === 'get' ? [] : [LAKE]));
  const path = await editing.exported(dois, format, { fields });
  const [doi = ''] = dois;
  edit(path, doi, { url: MINE });
  expect(await editing.update(path)).toMatchObject({ code: 0, puts: [{ url: MINE }] });
  await editing.theirs(doi, { url: theirs });
  return { doi, path, again: () => editing.exported(dois, format, { fields, path }) };
}

describe.each(FORMATS)('a new export into the same file begins anew, as %s', (format) => {
  it.each([
    ['what a colleague has set', THEIRS],
    ['what it was at first', LAKE.url],
  ])('and the same edit is sent again over %s', async (_, theirs) => {
    const { doi, path, again } = await sentBefore(format, theirs);
    await again();
    edit(path, doi, { url: MINE });
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [{ url: MINE }] });
    expect(await url(doi)).toBe(MINE);
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
  });

  it('and what was edited before, and is not now, is not sent', async () => {
    const { doi, path, again } = await sentBefore(format, THEIRS);
    await again();
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    edit(path, doi, { version: '2' });
    const { code, puts } = await editing.update(path);
    expect([code, puts.map((put) => [put['version'], 'url' in put])]).toEqual([0, [['2', false]]]);
    expect(await url(doi)).toBe(THEIRS);
  });
});

describe('a new export of some attributes begins anew', () => {
  const format = 'csv';
  it.each(['url', 'url,updated'])('those of --fields %s', async (fields) => {
    for (const theirs of [THEIRS, LAKE.url]) {
      const { doi, path, again } = await sentBefore(format, theirs, fields);
      await again();
      edit(path, doi, { url: MINE });
      expect(await editing.update(path), theirs).toMatchObject({
        code: 0,
        puts: [{ url: MINE }],
      });
      expect(await url(doi)).toBe(MINE);
    }
  });
});

it('a new export whose rows are in another order begins anew', async () => {
  const { doi, path, again } = await sentBefore('csv', THEIRS);
  await again();
  edit(path, doi, { url: MINE });
  writeRows(path, rowsOf(path).reverse());
  expect(await editing.update(path)).toMatchObject({ code: 0, puts: [{ doi, url: MINE }] });
  expect(await url(doi)).toBe(MINE);
});

const [jane, rick, pat] = LAKE.creators;
/**
 * What is edited of a record of its own, then sent, then edited in the same file; and what the
 * record holds then.
 */
const ROUNDS: readonly (readonly [
  name: string,
  first: Values,
  second: Values,
  held: Attributes,
])[] = [
  ['a value', { url: MINE }, { url: `${MINE}/2` }, { url: `${MINE}/2` }],
  ['a value that is taken back', { url: MINE }, { url: LAKE.url }, { url: LAKE.url }],
  ['a value that was taken away', { version: null }, { version: '2' }, { version: '2' }],
  ['one value, then another one', { url: MINE }, { version: '2' }, { url: MINE, version: '2' }],
  [
    'the name of an item, twice',
    { 'creators[1].name': 'Roe, R.' },
    { 'creators[1].name': 'Roe, Richard' },
    { creators: [jane, { ...rick, name: 'Roe, Richard' }, pat] },
  ],
  [
    'the name of an item, then a member of it',
    { 'creators[1].name': 'Roe, R.' },
    { 'creators[1].givenName': 'R.' },
    { creators: [jane, { ...rick, name: 'Roe, R.', givenName: 'R.' }, pat] },
  ],
  [
    'a new item, then a member of it',
    { 'subjects[2].subject': 'snow' },
    { 'subjects[2].subjectScheme': 'LCSH' },
    { subjects: [...LAKE.subjects, { subject: 'snow', subjectScheme: 'LCSH' }] },
  ],
  [
    'an item, then the next one',
    { 'subjects[0].subject': 'Water' },
    { 'subjects[1].subject': null },
    { subjects: [{ subject: 'Water' }] },
  ],
];

/** Edits of rows alone: in JSON, what is taken away moves the rest of its list. */
const ROUNDS_OF_ROWS: typeof ROUNDS = [
  [
    'an item that is taken away, then a member of the next one',
    { 'creators[1].name': null },
    { 'creators[2].givenName': 'Pat' },
    { creators: [jane, { ...pat, givenName: 'Pat' }] },
  ],
  [
    'an item that is taken away, then the first one',
    { 'creators[1].name': null },
    { 'creators[0].name': 'Doe, J.' },
    { creators: [{ ...jane, name: 'Doe, J.' }, pat] },
  ],
  [
    'an item that is taken away, then another one',
    { 'creators[0].name': null },
    { 'creators[2].name': null },
    { creators: [rick] },
  ],
  [
    'an item that is taken away, then is back',
    { 'creators[1].name': null },
    { 'creators[1].name': 'Roe, Rick' },
    { creators: [jane, rick, pat] },
  ],
  [
    'a subject that is taken away, then the scheme of the next one',
    { 'subjects[0].subject': null },
    { 'subjects[1].subjectScheme': 'LCSH' },
    { subjects: [{ subject: 'ice', subjectScheme: 'LCSH' }] },
  ],
];

describe.each(['csv', 'json'] as const)('the same %s edited again', (format) => {
  it('continues, and nothing is in conflict with what it has sent itself', async () => {
    const rounds = [...ROUNDS, ...(format.endsWith('sv') ? ROUNDS_OF_ROWS : [])];
    const dois = await editing.create(...rounds.map(() => LAKE));
    const path = await editing.exported(dois, format);
    for (const round of [1, 2] as const) {
      for (const [place, edits] of rounds.entries()) edit(path, dois[place], edits[round]);
      const { results, puts } = await editing.update(path);
      const told = new Map(results.map(({ doi, outcome, errors }) => [doi, [outcome, errors]]));
      for (const [place, [name]] of rounds.entries())
        expect(told.get(dois[place] ?? ''), name).toEqual(['updated', []]);
      expect(puts).toHaveLength(rounds.length);
      expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    }
    for (const [place, [name, , , held]] of rounds.entries())
      expect(await editing.stored(dois[place] ?? ''), name).toMatchObject({ ...held });
  });

  it('keeps what a colleague has changed between its rounds, and names a conflict', async () => {
    const dois = await editing.create(LAKE, LAKE, LAKE);
    const path = await editing.exported(dois, format);
    for (const doi of dois) edit(path, doi, { 'titles[0].title': 'Mine' });
    expect(await editing.update(path)).toMatchObject({ code: 0 });
    for (const doi of dois) await editing.theirs(doi, { url: THEIRS });
    edit(path, dois[0], { version: '2' });
    edit(path, dois[1], { url: MINE });
    const { code, puts, results } = await editing.update(path);
    const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ doi }) => doi);
    if (format.endsWith('sv')) {
      expect([code, failed, puts]).toEqual([1, [dois[1]], [{ doi: dois[0], version: '2' }]]);
    } else {
      // The file tells only the time of the last change. A line that is as it was sent is not sent
      // again.
      expect([code, failed.sort(), puts]).toEqual([1, dois.slice(0, 2), []]);
    }
    for (const doi of dois) expect(await editing.stored(doi)).toMatchObject({ url: THEIRS });
  });
});
