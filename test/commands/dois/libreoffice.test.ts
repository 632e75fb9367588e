import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Cell, columnNamed, columnsFor } from '../../../src/metadata/columns/column.ts';
import { rowChanges } from '../../../src/metadata/columns/row.ts';
import { cellIn } from '../../../src/metadata/columns/value.ts';
import { csvLine } from '../../../src/text/csv.ts';
import { readCsv } from '../../../src/text/csv-reader.ts';
import { lacks } from '../../helpers/platform.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

/** Texts that spreadsheets like to change. */
const ODD = [
  ...[
    ...'1.0 1.10 007 1e5 1E+05 9783161484100 12,5'.split(' '),
    '1 000',
    '50 %',
    '5 €',
    '$5',
    '(2024)',
    '-0',
  ],
  ...[...'2024-05-01 2024-05 01.05.2024 5/1/2024 2024-05-01T10:00:00 12:30 3/4'.split(' '), '1 1/2', '2.0.1'],
  ...[
    'March 5',
    'March 5, 2024',
    '5 May',
    '5. Mai 2024',
    'SEP2',
    'May 2020',
    'Monday, 5 May 2025',
    ...'TRUE false null'.split(' '),
  ],
  ...[
    '=1+1',
    '+49 30',
    '-x',
    '@a',
    "'quoted",
    "''=x",
    '"quoted"',
    'a;b',
    'a,b',
    'a\tb',
    'a\nb',
    'a\r\nb',
    ' spaces ',
    '中文 😀',
  ],
  ...[...'0000-0002-1825-0097 978-3-16-148410-0 10-11 e Infinity NaN #1 .5 5. 1_000'.split(' '), "1'000"],
];

const examples = readFileSync('test/fixtures/examples/kernel-4.ndjson', 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { attributes: Record<string, unknown> }).attributes);

const records = [
  ...examples,
  ...ODD.map((text, index) => ({
    doi: `10.5072/odd-${index}`,
    titles: [{ title: text }],
    version: text,
    subjects: Array.from({ length: 8 }, () => ({ subject: text })),
    dates: [{ date: text, dateType: 'Issued' }],
    creators: [{ name: text, affiliation: [{ name: text }, { name: text }] }],
  })),
];

function convert(folder: string, from: string, to: string, ...more: readonly string[]): string {
  const out = join(folder, to);
  mkdirSync(out);
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;
  const { status, stderr } = spawnSync('soffice', ['--headless', profile, ...more, '--outdir', out, from], {
    encoding: 'utf8',
    timeout: 100_000,
    env: { ...process.env, HOME: folder },
  });
  if (status !== 0) throw new Error(`soffice: ${stderr}`);
  return out;
}

async function cellsOf(bytes: Buffer): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const { cells } of readCsv(Readable.from([bytes]) as AsyncIterable<Buffer>, 'dois.csv'))
    rows.push(cells);
  return rows;
}

describe.skipIf(lacks('libreOffice'))('a round trip through LibreOffice', () => {
  it.each([
    ['xlsx', '44'],
    ['ods', '59'],
  ])('as %s changes nothing', async (format, delimiter) => {
    const folder = temporaryDirectory();
    const columns = columnsFor(undefined);
    const rows = records.map((record) => csvLine(columns.map((column) => cellIn(record, column))));
    writeFileSync(join(folder, 'dois.csv'), csvLine(columns.map(({ name }) => name)) + rows.join(''));
    // As the import dialog offers it: commas, quotes, UTF-8.
    const sheet = convert(
      folder,
      join(folder, 'dois.csv'),
      'sheet',
      '--infilter=CSV:44,34,76,1',
      '--convert-to',
      format,
    );
    const filter = `csv:Text - txt - csv (StarCalc):${delimiter},34,76,1,,0,false,true,false`;
    const back = convert(folder, join(sheet, `dois.${format}`), 'back', '--convert-to', filter);
    const bytes = readFileSync(join(back, 'dois.csv'));
    const [heads = [], ...read] = await cellsOf(bytes);
    expect(read).toHaveLength(records.length);
    const changed = read.map((cells, index) => {
      const own = heads.flatMap((head, at): Cell[] => {
        const column = columnNamed(head);
        return column === undefined ? [] : [{ column, cell: cells[at] ?? '' }];
      });
      const { attributes, findings } = rowChanges(own, records[index]);
      return { attributes, findings: findings.map(({ path, message, value }) => ({ path, message, value })) };
    });
    expect(changed.filter((one) => JSON.stringify(one) !== '{"attributes":{},"findings":[]}')).toEqual([]);
  });
});
