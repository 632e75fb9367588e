import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Editing,
  edit,
  editJson,
  editRows,
  type Format,
  isTable,
  LAKE,
} from '../../../helpers/editing.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

const THEIRS = 'https://example.org/theirs';

interface Case {
  readonly name: string;
  readonly format: Format;
  readonly without?: (path: string) => void;
  readonly fields?: string;
}

/**
 * Three records as a file that does not say from which version it is; the first is edited, and a
 * colleague changes the second.
 */
async function withoutBase({ format, without, fields }: Case) {
  const dois = await editing.create(...(format === 'get' ? [LAKE] : [LAKE, LAKE, LAKE]));
  const path = await editing.exported(dois, format, { fields });
  without?.(path);
  edit(path, dois[0], { 'titles[0].title': 'Mine' });
  const other = dois[1] ?? dois[0] ?? '';
  await editing.theirs(other, { url: THEIRS });
  return { dois, path, other };
}

const withoutTime = (path: string) => {
  if (isTable(path)) editRows(path, ({ exported: _, updated: __, ...row }) => row);
  else editJson(path, ({ attributes }) => void delete attributes['updated']);
};
const CASES: readonly Case[] = [
  { name: 'NDJSON of some attributes', format: 'ndjson', fields: 'titles,url' },
  { name: 'a JSON list of some attributes', format: 'json', fields: 'titles,url' },
  { name: 'NDJSON without the time of the last update', format: 'ndjson', without: withoutTime },
  { name: 'a JSON list without it', format: 'json', without: withoutTime },
  { name: 'one record without it', format: 'get', without: withoutTime },
  {
    name: 'NDJSON whose time is no time',
    format: 'ndjson',
    without: (path) =>
      editJson(path, ({ attributes }) => Object.assign(attributes, { updated: 'yesterday' })),
  },
  { name: 'CSV without both columns', format: 'csv', without: withoutTime },
  { name: 'TSV without both columns', format: 'tsv', without: withoutTime },
  {
    name: 'CSV of some attributes without the column exported',
    format: 'csv',
    without: (path) => editRows(path, ({ exported: _, ...row }) => row),
    fields: 'titles,url,created',
  },
  {
    name: 'CSV whose column exported is empty',
    format: 'csv',
    without: (path) => editRows(path, (row) => ({ ...row, exported: '', updated: '' })),
  },
];

describe.each(CASES)('an export that cannot say its base: $name', (one) => {
  it('is refused before anything is sent, and --overwrite sends it', async () => {
    const { dois, path, other } = await withoutBase(one);
    for (const more of [[], ['--no-validate']]) {
      const { code, requests, puts, stderr } = await editing.update(path, ...more);
      expect([code, requests, puts], stderr).toEqual([2, 0, []]);
      expect(stderr).toMatch(/do(?:es)? not say what was exported.*(?:export again|--overwrite)/s);
    }
    expect(await editing.stored(other)).toMatchObject({ url: THEIRS });
    const dry = await editing.update(path, '--dry-run');
    expect([dry.puts, dry.stderr]).toEqual([
      [],
      expect.stringMatching(/not say what was exported.*--overwrite/),
    ]);
    expect((await editing.update(path, '--overwrite')).code).toBe(0);
    expect(await editing.stored(dois[0] ?? '')).toMatchObject({ titles: [{ title: 'Mine' }] });
  });
});

it.each(['csv', 'ndjson'] as const)(
  'one record of %s without its base stops the others, too',
  async (format) => {
    const dois = await editing.create(LAKE, LAKE);
    const path = await editing.exported(dois, format);
    for (const doi of dois) edit(path, doi, { version: '2' });
    if (isTable(path))
      editRows(path, (row) =>
        row['doi'] === dois[1] ? { ...row, exported: '', updated: '' } : row,
      );
    else
      editJson(path, ({ id, attributes }) => void (id === dois[1] && delete attributes['updated']));
    const { code, puts, stderr } = await editing.update(path);
    expect([code, puts, stderr]).toEqual([
      2,
      [],
      expect.stringMatching(/1 record of .* does not say what was exported/),
    ]);
  },
);

it.each(['ndjson', 'csv'] as const)(
  'an export of some attributes as %s with the time of the last update is one of a known version',
  async (format) => {
    const dois = await editing.create(LAKE, LAKE);
    const path = await editing.exported(dois, format, { fields: 'titles,url,updated' });
    if (isTable(path)) editRows(path, ({ exported: _, ...row }) => row);
    await editing.theirs(dois[1] ?? '', { version: '9' });
    for (const doi of dois) edit(path, doi, { 'titles[0].title': 'Mine' });
    const { code, puts, results } = await editing.update(path);
    expect([code, puts.map(({ doi }) => doi)]).toEqual([1, [dois[0]]]);
    const failed = results.find(({ doi }) => doi === dois[1]);
    expect(failed?.errors.map(({ path: at }) => at)).toEqual(['titles[0].title']);
  },
);

describe('a file that was written by hand', () => {
  it.each([
    [
      'ndjson',
      (dois: string[]) =>
        dois.map((doi) => `${JSON.stringify({ doi, url: 'https://example.org/2' })}\n`).join(''),
    ],
    [
      'json',
      (dois: string[]) =>
        JSON.stringify(dois.map((doi) => ({ doi, url: 'https://example.org/2' }))),
    ],
    [
      'csv',
      (dois: string[]) =>
        `doi,url\n${dois.map((doi) => `${doi},https://example.org/2\n`).join('')}`,
    ],
    [
      'tsv',
      (dois: string[]) =>
        `doi\turl\n${dois.map((doi) => `${doi}\thttps://example.org/2\n`).join('')}`,
    ],
  ])('as %s edits the records as they are now, and a note says so', async (ending, text) => {
    const dois = await editing.create(LAKE, { ...LAKE, url: 'https://example.org/2' });
    const path = join(temporaryDirectory(), `own.${ending}`);
    writeFileSync(path, text(dois));
    await editing.theirs(dois[0] ?? '', { version: '9' });
    const { code, puts, stderr } = await editing.update(path);
    expect([code, puts]).toEqual([0, [{ doi: dois[0], url: 'https://example.org/2' }]]);
    expect(stderr).toMatch(
      /does not say what was exported: each value that differs from its record replaces it/,
    );
    expect(await editing.stored(dois[0] ?? '')).toMatchObject({
      version: '9',
      titles: LAKE.titles,
    });
    expect((await editing.update(path)).puts).toEqual([]);
  });
});

describe('a column of its own next to an export of some attributes', () => {
  const format = 'csv';
  const FIELDS = 'titles,url';
  /** Records whose export lacks a version, and the file with a column for it. */
  async function withVersions(versions: readonly string[]) {
    const dois = await editing.create(...versions.map(() => LAKE));
    const path = await editing.exported(dois, format, { fields: FIELDS });
    const own = new Map(dois.map((doi, place) => [doi, versions[place] ?? '']));
    editRows(path, (row) => ({ version: own.get(row['doi'] ?? '') ?? '', ...row }));
    return { dois, path };
  }

  it('is compared with the record as it is, and is no conflict', async () => {
    const { dois, path } = await withVersions(['2', '1', '', 'null']);
    await editing.theirs(dois[0] ?? '', { url: THEIRS });
    const { code, puts, stderr } = await editing.update(path);
    expect(code, stderr).toBe(0);
    expect(puts).toHaveLength(2);
    expect(puts).toEqual(
      expect.arrayContaining([
        { doi: dois[0], version: '2' },
        { doi: dois[3], version: null },
      ]),
    );
    expect(await editing.stored(dois[0] ?? '')).toMatchObject({ url: THEIRS, version: '2' });
    expect((await editing.update(path)).puts).toEqual([]);
  });

  it('is no conflict where a colleague has changed its value since', async () => {
    const { dois, path } = await withVersions(['2', '2', '2']);
    await editing.theirs(dois[0] ?? '', { version: '8' });
    await editing.theirs(dois[1] ?? '', { version: '2' });
    edit(path, dois[2], { url: 'https://example.org/mine' });
    const { code, puts, stderr } = await editing.update(path);
    expect(code, stderr).toBe(0);
    expect(puts).toHaveLength(2);
    expect(puts).toEqual(
      expect.arrayContaining([
        { doi: dois[0], version: '2' },
        { doi: dois[2], version: '2', url: 'https://example.org/mine' },
      ]),
    );
  });

  it('leaves a conflict in an exported column what it is', async () => {
    const { dois, path } = await withVersions(['2', '2']);
    edit(path, dois[0], { url: 'https://example.org/mine' });
    await editing.theirs(dois[0] ?? '', { url: THEIRS });
    const { code, puts, results } = await editing.update(path);
    expect([code, puts]).toEqual([1, [{ doi: dois[1], version: '2' }]]);
    const failed = results.find(({ doi }) => doi === dois[0]);
    expect(failed?.errors.map(({ path: at }) => at)).toEqual(['url']);
  });

  it('of a list is put into the list as it is', async () => {
    const [doi = ''] = await editing.create(LAKE);
    const path = await editing.exported([doi], format, { fields: FIELDS });
    editRows(path, (row) => ({ 'creators[1].givenName': 'Rick', ...row }));
    const { code, puts } = await editing.update(path);
    expect([code, puts.length]).toEqual([0, 1]);
    expect(await editing.stored(doi)).toMatchObject({
      creators: [LAKE.creators[0], { ...LAKE.creators[1], givenName: 'Rick' }, LAKE.creators[2]],
    });
  });
});

it('an unedited export of any format sends nothing over what a colleague has changed', async () => {
  for (const format of ['csv', 'tsv', 'ndjson', 'json', 'get'] as const) {
    const dois = await editing.create(...(format === 'get' ? [LAKE] : [LAKE, LAKE]));
    const path = await editing.exported(dois, format);
    await editing.theirs(dois[0] ?? '', { url: THEIRS });
    const before = readFileSync(path, 'utf8');
    const { code, puts, results, stderr } = await editing.update(path);
    // JSON tells only the time of the last update.
    const isKnown = isTable(path);
    expect([code, puts], `${format}: ${stderr}`).toEqual([isKnown ? 0 : 1, []]);
    if (!isKnown && results.length > 0)
      expect(results.filter(({ outcome }) => outcome === 'failed').map(({ doi }) => doi)).toEqual([
        dois[0],
      ]);
    expect(await editing.stored(dois[0] ?? '')).toMatchObject({ url: THEIRS });
    expect(readFileSync(path, 'utf8')).toBe(before);
  }
});
