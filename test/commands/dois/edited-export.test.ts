import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delimitedLine } from '../../../src/text/csv.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

type Row = Record<string, string>;
interface Result {
  doi: string;
  outcome: string;
  errors: { path: string; message: string; conflict?: Row }[];
}

let emulator: TestEmulator;
let count = 0;
/** The requests that passed a forwarder in front of the emulator, with what they sent. */
let sent: { method: string; path: string; attributes: unknown }[] = [];
let url: string;
beforeAll(async () => {
  emulator = await emulate({ records: 0 }, afterAll);
  const forwarder = createServer((asked, answer) => {
    const chunks: Buffer[] = [];
    const { method = '', url: path = '', headers } = asked;
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    asked.on('end', () => {
      const body = Buffer.concat(chunks);
      const attributes = body.length > 0 ? JSON.parse(body.toString()).data.attributes : undefined;
      sent.push({ method, path, attributes });
      request(new URL(path, emulator.baseUrl), { method, headers }, (from) => {
        answer.writeHead(from.statusCode ?? 500, from.headers);
        from.pipe(answer);
      }).end(body);
    });
  });
  await new Promise<void>((resolve) => void forwarder.listen(0, '127.0.0.1', resolve));
  afterAll(() => void forwarder.close());
  url = `http://127.0.0.1:${(forwarder.address() as AddressInfo).port}`;
});

const person = (name: string) => ({ name, nameType: 'Personal' });
const RECORD = {
  url: 'https://example.org/1',
  titles: [{ title: 'Lake' }],
  creators: [person('Doe, Jane'), person('Roe, Rick')],
  publisher: { name: 'CERN' },
  publicationYear: 2024,
  types: { resourceTypeGeneral: 'Dataset' },
  dates: [{ date: '2024-03-04', dateType: 'Issued' }],
};

/** Makes some records of a prefix of their own; gives their DOIs. */
async function records(many: number): Promise<string[]> {
  count += 1;
  const dois = Array.from({ length: many }, (_, place) => `10.5072/edit-${count}-${place}`);
  const stdin = dois.map((doi) => `${JSON.stringify({ doi, ...RECORD })}\n`).join('');
  expect((await emulator.run(['dois', 'create', '--file', '-'], { stdin })).code).toBe(0);
  return dois;
}

const set = (doi: string, ...values: string[]) =>
  emulator.run(['dois', 'update', doi, ...values.flatMap((value) => ['--set', value])]);

/** The records of some DOIs as the file of a format. */
async function exported(dois: readonly string[], format: string): Promise<string> {
  const path = join(temporaryDirectory(), `${dois[0]?.replace('/', '-')}.${format}`);
  const ids = ['--filter', `ids=${dois.join()}`, '--sort', 'created', '--page-size', '100'];
  const { code, stderr } = await emulator.run(['dois', 'list', ...ids, '--out', path]);
  expect(code, stderr).toBe(0);
  return path;
}

const rowsOf = (path: string): Row[] =>
  parse(readFileSync(path), { columns: true, delimiter: path.endsWith('tsv') ? '\t' : ',' });
const written = (rows: readonly Row[], heads = Object.keys(rows[0] ?? {})) =>
  [heads, ...rows.map((row) => heads.map((head) => row[head] ?? ''))]
    .map((row) => delimitedLine(row))
    .join('');

/** Edits the rows of a file, as somebody with a spreadsheet does. */
function edit(path: string, change: (row: Row, index: number) => Row, heads?: string[]): void {
  writeFileSync(path, written(rowsOf(path).map(change), heads));
}

async function update(path: string, ...more: string[]) {
  sent = [];
  const argv = ['dois', 'update', '--file', path, '--format', 'ndjson', ...more];
  const { code, stdout, stderr } = await emulator.run(argv, { env: { DOI_CLI_BASE_URL: url } });
  const lines = stdout.split('\n').filter((line) => line !== '');
  const puts = sent.filter(({ method }) => method === 'PUT').map(({ attributes: own }) => own);
  const reads = sent.filter(
    ({ method, path: to }) => method === 'GET' && to.startsWith('/dois'),
  ).length;
  return { code, stderr, results: lines.map((line) => JSON.parse(line) as Result), puts, reads };
}
const outcomes = (results: readonly Result[]) => results.map(({ outcome }) => outcome);

describe('an export that comes back', () => {
  it.each<[string, Row, string[], string | undefined]>([
    [
      'the ORCID of a creator in whose place is another',
      { 'creators[0].orcid': '0000-0002-1825-0097' },
      ['creators[0].name=Poe, Pat'],
      'creators[0].orcid',
    ],
    [
      'a creator, where another one got a family name',
      { 'creators[0].givenName': 'J.' },
      ['creators[1].familyName=Roe'],
      undefined,
    ],
    [
      'a creator to remove who got a family name',
      { 'creators[1].name': 'null' },
      ['creators[1].familyName=Roe'],
      'creators[1].name',
    ],
    [
      'a creator in a place that somebody has filled',
      { 'creators[2].name': 'Poe, Pat' },
      ['creators[]={"name":"New, Ned"}'],
      undefined,
    ],
    [
      'a date whose type is another one',
      { 'dates[0].date': '2020-01-01' },
      ['dates[0].dateType=Created'],
      'dates[0].date',
    ],
    [
      'the same as somebody else',
      { url: 'https://example.org/2' },
      ['url=https://example.org/2'],
      undefined,
    ],
    [
      'a year, where the title is another one',
      { publicationYear: '2020' },
      ['titles[0].title=Theirs'],
      undefined,
    ],
    [
      'the list of further items',
      { 'creators[5+]': '[{"name":"X"}]' },
      ['creators=[{"name":"A"},{"name":"B"},{"name":"C"},{"name":"D"},{"name":"E"},{"name":"F"}]'],
      undefined,
    ],
  ])('of which %s was edited', async (_, cells, theirs, conflict) => {
    const [doi = ''] = await records(1);
    const path = await exported([doi], 'csv');
    expect((await set(doi, ...theirs)).code).toBe(0);
    edit(path, (row) => ({ ...row, ...cells }));
    const { results } = await update(path);
    expect(results[0]?.errors.map(({ path: at }) => at)).toEqual(
      conflict === undefined ? [] : [conflict],
    );
  });

  it.each<[string, (path: string) => void]>([
    [
      'other quotes, semicolons and a byte order mark',
      (path) => {
        const rows = rowsOf(path);
        const heads = Object.keys(rows[0] ?? {});
        const line = (cells: readonly string[]) =>
          `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')}\r\n`;
        writeFileSync(
          path,
          `\ufeff${[heads, ...rows.map((row) => heads.map((head) => row[head] ?? ''))].map(line).join('')}`,
        );
      },
    ],
    [
      'rows and columns in another order',
      (path) => {
        const rows = rowsOf(path).reverse();
        writeFileSync(path, written(rows, Object.keys(rows[0] ?? {}).reverse()));
      },
    ],
    ['few columns', (path) => edit(path, (row) => row, ['doi', 'titles[0].title', 'exported'])],
    [
      'heads in other words',
      (path) =>
        writeFileSync(path, readFileSync(path, 'utf8').replace(/^doi,state,url/, 'DOI,State,URL')),
    ],
    [
      'dates in another form',
      (path) =>
        edit(path, (row) => ({
          ...row,
          'dates[0].date': '4.3.2024',
          created: (row['created'] ?? '').replace(/^(\d{4})-(\d\d)-(\d\d).*/, '$3.$2.$1 10:00'),
          updated: '',
        })),
    ],
    [
      'numbers in another form',
      (path) => edit(path, (row) => ({ ...row, publicationYear: '2.024' })),
    ],
    ['blanks around', (path) => edit(path, (row) => ({ ...row, url: ` ${row['url']} ` }))],
    [
      'UTF-16',
      (path) => writeFileSync(path, Buffer.from(`\ufeff${readFileSync(path, 'utf8')}`, 'utf16le')),
    ],
  ])('with %s has no edits', async (_, habit) => {
    const dois = await records(3);
    const path = await exported(dois, 'csv');
    await set(
      dois[0] ?? '',
      'titles[0].title=Theirs',
      'dates[0].date=2021-01-01',
      'publicationYear=2021',
      'url=https://example.org/t',
    );
    habit(path);
    const { code, results, puts, reads, stderr } = await update(path);
    expect([code, outcomes(results), puts], stderr).toEqual([
      0,
      ['unchanged', 'unchanged', 'unchanged'],
      [],
    ]);
    expect(reads, 'but who sends').toBeLessThanOrEqual(1);
  });

  it('warns of cells that were emptied, and of dates that may be others', async () => {
    const [doi = ''] = await records(1);
    const path = await exported([doi], 'csv');
    edit(path, (row) => ({ ...row, 'titles[0].title': '', 'dates[0].date': '3/4/2024' }));
    const { code, puts, stderr } = await update(path);
    expect([code, puts]).toEqual([0, []]);
    expect(stderr).toMatch(
      /titles\[0\]\.title: is empty, and was "Lake" in the export: the value stays; null removes it/,
    );
    expect(stderr).toMatch(
      /dates\[0\]\.date: is taken as 2024-03-04, as in the export, and not as 2024-04-03/,
    );
  });

  it.each<[string, (row: Row) => Row]>([
    ['was taken away', ({ exported: _, updated: __, ...row }) => row],
    [
      'was cut',
      ({ updated: _, ...row }) => ({ ...row, exported: row['exported']?.slice(0, -9) ?? '' }),
    ],
    ['is empty', ({ updated: _, ...row }) => ({ ...row, exported: '' })],
  ])('that cannot tell, because the column %s, needs a decision', async (_, change) => {
    const [doi = ''] = await records(1);
    const path = await exported([doi], 'csv');
    await set(doi, 'url=https://example.org/theirs');
    edit(path, (row) => change({ ...row, 'titles[0].title': 'Mine' }));
    const refused = await update(path);
    expect([refused.code, refused.reads, refused.stderr]).toEqual([
      2,
      0,
      expect.stringMatching(/does not say what was exported.*--overwrite/s),
    ]);
    expect((await update(path, '--overwrite')).puts).toHaveLength(1);
  });

  it('whose last row was cut with the file is not sent', async () => {
    const path = await exported(await records(3), 'csv');
    const text = readFileSync(path, 'utf8');
    const end = text.lastIndexOf('https://example.org/1') + 'https://example.org/'.length;
    writeFileSync(path, text.slice(0, end));
    const { code, puts, stderr } = await update(path);
    expect([code, puts, stderr]).toEqual([
      2,
      [],
      expect.stringMatching(/does not say what was exported/),
    ]);
  });

  it('as NDJSON is checked where it was edited, and not where it was stored', async () => {
    const funderIdentifier = 'https://ror.org/00k4n6c32';
    const fundingReferences = [
      { funderName: 'EC', funderIdentifier, funderIdentifierType: 'Register' },
    ];
    const [doi = ''] = await records(1);
    const draft = JSON.stringify({
      doi: `${doi}-draft`,
      titles: [{ title: 'A' }],
      fundingReferences,
    });
    const create = ['dois', 'create', '--file', '-', '--no-validate'];
    expect((await emulator.run(create, { stdin: draft })).code).toBe(0);
    const path = await exported([`${doi}-draft`], 'ndjson');
    expect(await update(path)).toMatchObject({ code: 0, puts: [] });
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('"funderName":"EC"', '"funderName":"EU"'),
    );
    const { code, puts, results } = await update(path);
    expect([code, puts]).toEqual([1, []]);
    expect(results[0]?.errors[0]?.path).toBe('fundingReferences[0].funderIdentifierType');
  });
});
