import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { TABLES } from '../../../../src/metadata/tables/tables.ts';
import { emulate } from '../../../helpers/emulator.ts';
import { jsonLines } from '../../../helpers/json-lines.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const list = (...more: string[]) => ['dois', 'list', ...more];

/** The rows of a Parquet file. */
async function rowsOf(path: string): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const rows = await parquetReadObjects({ file });
  // The reader has undefined for null in a column without any list.
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell ?? null])),
  );
}

describe('dois list --out dois.parquet', () => {
  it('has the rows of the table dois, in the order of the list', async () => {
    const { run } = await emulate({ records: 120 });
    const folder = temporaryDirectory();
    const path = join(folder, 'dois.parquet');
    for (const argv of [
      ['--all'],
      ['--state', 'draft,findable', '--limit', '30'],
      ['--all', '--limit', '7'],
    ]) {
      const { code, stdout, stderr } = await run(list(...argv, '--out', path));
      expect([code, stdout], stderr).toEqual([0, '']);
      const lines = await run(list(...argv, '--format', 'ndjson'));
      const expected = jsonLines(lines.stdout).map((record) =>
        Object.fromEntries(
          Object.entries(TABLES.dois.columns).map(([name, column]) => [name, column.cell(record)]),
        ),
      );
      expect(await rowsOf(path)).toEqual(expected);
      expect(expected.length).toBeGreaterThan(5);
    }
    expect((await run(list('--all', '--query', 'doi:none', '--out', path))).code).toBe(0);
    expect(await rowsOf(path)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['dois.parquet']);
  });

  it.each([
    [['--format', 'parquet'], /add --out dois\.parquet/],
    [['--out', 'dois.parquet.gz'], /compressed already/],
    [['--out', 'dois.parquet', '--fields', 'titles'], /leave columns of the table empty/],
  ])('refuses %j before it asks', async (argv, message) => {
    const { run, log } = await emulate();
    expect(await run(list(...argv))).toMatchObject({ code: 2, stderr: message });
    expect(await log()).toEqual([]);
  });
});
