import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { emulate } from '../../../helpers/emulator.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const COLUMNS = 'doi,title,creators,year,type,publisher,url';
const list = (...more: string[]) => ['dois', 'list', '--columns', COLUMNS, ...more];

describe('dois list --columns', () => {
  it('has the named columns, as CSV in a pipe and in files', async () => {
    const { run } = await emulate();
    const path = join(temporaryDirectory(), 'dois.csv');
    const { code, stdout, stderr } = await run(list('--limit', '20'));
    expect(code, stderr).toBe(0);
    const rows = parse<Record<string, string>>(stdout, { columns: true });
    const lines = (await run(['dois', 'list', '--limit', '20'])).stdout.split('\n').filter(Boolean);
    const records = lines.map((line) => JSON.parse(line));
    expect(rows.map(({ doi }) => doi)).toEqual(records.map(({ id }) => id));
    expect(Object.keys(rows[0] ?? {}).join()).toBe(COLUMNS);
    expect(rows.map(({ creators }) => creators)).toEqual(
      records.map(({ attributes }) =>
        (attributes.creators ?? []).map(({ name }: { name: string }) => name).join('; '),
      ),
    );
    expect((await run(list('--all', '--out', path))).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`^${COLUMNS}\n10\\.`));
    const { stdout: table } = await run([...list('--limit', '2', '--format', 'table')]);
    expect(table).toMatch(/^DOI +TITLE +CREATORS/i);
  });

  it.each(['csv', 'tsv'])('keeps the characters of texts in %s', async (format) => {
    const { run } = await emulate({ records: 0 });
    const title = 'خانه\u200c\u200fها\tand\nanother "line"';
    const stdin = `${JSON.stringify({ doi: '10.5072/lines', titles: [{ title }] })}\n`;
    expect((await run(['dois', 'create', '--file', '-', '--no-validate'], { stdin })).code).toBe(0);
    const argv = ['dois', 'list', '--mine', '--columns', 'title', '--format', format];
    const delimiter = format === 'csv' ? ',' : '\t';
    expect(parse((await run(argv)).stdout, { delimiter })).toEqual([['title'], [title]]);
  });

  it.each([
    [
      ['--columns', 'doi,titel'],
      /'titel' is not a column; did you mean 'title'\?\nhint: .*creators/,
    ],
    [['--columns', ''], /empty/],
    [list('--format', 'json').slice(2), /--columns is for table, csv, tsv, not for json/],
    [list('--out', 'x.parquet').slice(2), /Parquet has all columns/],
    [list('--fields', 'titles').slice(2), /cannot be used with/],
  ])('refuses %j before it asks', async (argv, message) => {
    const { run, log } = await emulate();
    expect(await run(['dois', 'list', ...argv])).toMatchObject({ code: 2, stderr: message });
    expect(await log()).toEqual([]);
  });
});
