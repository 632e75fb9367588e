import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Editing,
  editJson,
  editRows,
  LAKE,
  type Row,
  rowsOf,
  writeRows,
} from '../../../helpers/editing.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

/** Some records, each created in a second of its own, with a title and an address of its own. */
async function exported(format: 'csv' | 'tsv' | 'ndjson' | 'json', fields?: string) {
  const dois: string[] = [];
  for (const place of [0, 1, 2, 3]) {
    const record = {
      ...LAKE,
      titles: [{ title: `Lake ${place}` }],
      url: `https://example.org/${place}`,
    };
    dois.push(...(await editing.create(record)));
    await editing.later();
  }
  const path = await editing.exported(dois, format, { fields });
  const before = await Promise.all(dois.map((doi) => editing.stored(doi)));
  const expectUntouched = async () =>
    expect(await Promise.all(dois.map((doi) => editing.stored(doi)))).toEqual(before);
  return { path, expectUntouched };
}

/** Moves the cells of some columns down by one row, those of the last row to the top. */
function moveDown(path: string, isMoved: (head: string) => boolean): void {
  const rows = rowsOf(path);
  const moved = rows.map((row, place): Row => {
    const above = rows.at(place - 1) ?? {};
    return Object.fromEntries(
      Object.keys(row).map((head) => [head, (isMoved(head) ? above : row)[head] ?? '']),
    );
  });
  writeRows(path, moved);
}

const READING = ['created', 'updated', 'registered', 'client'];

const spelled = (
  row: Row,
  as: (day: string, month: string, year: string, time: string) => string,
): Row => ({
  ...row,
  created: (row['created'] ?? '').replace(
    /^(\d{4})-(\d\d)-(\d\d)T(.*)Z$/,
    (_, year: string, month: string, day: string, time: string) => as(day, month, year, time),
  ),
});

describe('rows whose cells were moved', () => {
  const format = 'csv';
  it.each<[string, (head: string) => boolean]>([
    ['all but the DOIs and what was exported', (head) => head !== 'doi' && head !== 'exported'],
    ['all but the DOIs', (head) => head !== 'doi'],
    ['the DOIs', (head) => head === 'doi'],
    ['what was exported', (head) => head === 'exported'],
    ['the columns for reading', (head) => READING.includes(head)],
    ['the last columns', (head) => head >= 'a' && [...READING, 'relatedItems'].includes(head)],
  ])('are refused before anything is sent: %s', async (_, isMoved) => {
    const { path, expectUntouched } = await exported(format);
    moveDown(path, isMoved);
    for (const more of [[], ['--overwrite'], ['--dry-run'], ['--no-validate']]) {
      const { code, puts, requests, stderr } = await editing.update(path, ...more);
      expect([code, puts, requests], stderr).toEqual([2, [], 0]);
      expect(stderr).toMatch(/, row 2: .*columns were (?:sorted|moved) separately/);
    }
    await expectUntouched();
  });

  it('are refused where the rows are moved of one record only', async () => {
    const { path, expectUntouched } = await exported(format);
    const rows = rowsOf(path);
    const [first = {}, second = {}] = rows;
    const { doi = '', exported: cell = '' } = second;
    writeRows(path, [first, { ...first, doi, exported: cell }, ...rows.slice(2)]);
    expect(await editing.update(path)).toMatchObject({ code: 2, puts: [], requests: 0 });
    await expectUntouched();
  });

  it('are refused where they belong to another repository account', async () => {
    const { path, expectUntouched } = await exported(format);
    editRows(path, (row) => ({ ...row, client: 'other.repo' }));
    const { code, requests, stderr } = await editing.update(path);
    expect([code, requests, stderr]).toEqual([
      2,
      0,
      expect.stringMatching(/client is .*other\.repo/),
    ]);
    await expectUntouched();
  });

  it.each<[string, (row: Row) => Row]>([
    ['all columns were sorted together', (row) => row],
    [
      'the columns for reading were emptied',
      (row) => ({ ...row, created: '', client: '', updated: '' }),
    ],
    [
      'the columns for reading were left out',
      ({ created: _, client: __, updated: ___, ...row }) => row,
    ],
    [
      'the account is in capitals',
      (row) => ({ ...row, client: String(row['client']).toUpperCase() }),
    ],
    [
      'times are spelled as in Germany',
      (row) => spelled(row, (d, m, y, time) => `${d}.${m}.${y} ${time}`),
    ],
    [
      'times are spelled as in the USA',
      (row) => spelled(row, (d, m, y) => `${Number(m)}/${Number(d)}/${y}`),
    ],
    [
      'times have milliseconds',
      (row) => spelled(row, (d, m, y, time) => `${y}-${m}-${d}T${time}.000Z`),
    ],
    [
      'times have a blank for the T',
      (row) => spelled(row, (d, m, y, time) => `${y}-${m}-${d} ${time}`),
    ],
  ])('are no edits where %s', async (_, change) => {
    const { path, expectUntouched } = await exported(format);
    writeRows(path, rowsOf(path).map(change).reverse());
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    await expectUntouched();
  });
});

it('rows of some attributes whose DOIs were moved are refused', async () => {
  const { path, expectUntouched } = await exported('csv', 'titles,url');
  moveDown(path, (head) => head === 'doi');
  expect(await editing.update(path)).toMatchObject({ code: 2, puts: [], requests: 0 });
  await expectUntouched();
});

it('rows of some attributes that were moved are refused where the time of creation is among them', async () => {
  const { path, expectUntouched } = await exported('csv', 'titles,url,created');
  moveDown(path, (head) => head !== 'doi' && head !== 'exported');
  expect(await editing.update(path)).toMatchObject({ code: 2, puts: [], requests: 0 });
  await expectUntouched();
});

describe('records whose values were moved to another record', () => {
  it('are errors, as rows that only hold the time of their last change', async () => {
    const { path, expectUntouched } = await exported('csv');
    editRows(path, ({ exported: _, ...row }) => row);
    moveDown(path, (head) => head !== 'doi');
    const { code, puts, results } = await editing.update(path);
    expect([code, puts, results.length]).toEqual([1, [], 4]);
    for (const { outcome } of results) expect(outcome).toBe('failed');
    await expectUntouched();
  });

  it.each(['ndjson', 'json'] as const)('are errors, in %s', async (format) => {
    const { path, expectUntouched } = await exported(format);
    const all: { id: string; attributes: Record<string, unknown> }[] = [];
    editJson(path, (record) => void all.push(structuredClone(record)));
    let place = 0;
    editJson(path, (record) => {
      const above = all.at(place - 1);
      place += 1;
      Object.assign(record.attributes, above?.attributes, { doi: record.id });
    });
    const { code, puts, results } = await editing.update(path);
    expect([code, puts, results.length]).toEqual([1, [], 4]);
    await expectUntouched();
    // Without the check of the moved time, the DOI alone would say whose record it is.
    editJson(path, (record) => Object.assign(record.attributes, { doi: all[0]?.id }));
    expect(await editing.update(path)).toMatchObject({ code: 2, puts: [], requests: 0 });
    await expectUntouched();
  });
});
