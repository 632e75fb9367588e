import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpawnResult, shell } from '../e2e/program.ts';
import { partsIn, sortedLines } from '../harvest/copy-on-disk.ts';
import { emulate, PASSWORD } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { blocks } from '../helpers/recipes.ts';
import { sharedDirectory } from '../helpers/temporary.ts';
import { syntaxErrors } from './syntax.ts';

const text = readFileSync('docs/pipelines.md', 'utf8');

/** The only code block of a section, or the one at a place. */
function recipe(section: string, language: string, at = 0): string {
  const body = text.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? '';
  const block = blocks(body, language)[at];
  if (block === undefined) throw new Error(`no recipe ${at} in ${language} under ${section}`);
  return block;
}

/** The programs of the recipes, and what GNU parallel itself runs. */
const ENGINES = ['jq', 'clickhouse', 'parallel', 'perl', 'pwsh'];

/** The Python of this machine, behind what may choose between several. */
const python3 = () =>
  execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();

interface Attributes {
  readonly state: string;
  readonly publicationYear: number | null;
  readonly titles: readonly { readonly title: string }[];
  readonly updated: string;
}

/** A record as the recipes tell it; `updated` in milliseconds. */
interface Row {
  readonly doi: string;
  readonly state: string;
  readonly year: number | null;
  readonly title: string | null;
  readonly updated: number;
}

const csv = (file: string): Record<string, string>[] =>
  parse<Record<string, string>>(readFileSync(file), { columns: true, bom: true });

const byDoi = (rows: readonly Row[]) => [...rows].sort((a, b) => (a.doi < b.doi ? -1 : 1));

/** What a list says, by `JSON.parse` alone. */
const rowsOf = (lines: readonly string[]): Row[] =>
  byDoi(
    lines.map((line) => {
      const { id, attributes } = JSON.parse(line) as { id: string; attributes: Attributes };
      const { state, publicationYear, titles, updated } = attributes;
      const title = titles[0]?.title ?? null;
      return { doi: id, state, year: publicationYear, title, updated: Date.parse(updated) };
    }),
  );

describe.skipIf(lacks('posixShell')).each([{ gzip: ['--gzip'] }, { gzip: [] }])(
  'a copy with $gzip read by',
  ({ gzip }) => {
    const folder = sharedDirectory();
    let run: (line: string) => Promise<SpawnResult>;
    let list: readonly string[];
    let remove: (doi: string) => Promise<unknown>;
    let current: () => Promise<readonly string[]>;

    beforeAll(async () => {
      const accounts = [{ id: 'CALTECH.LIBRARY', password: PASSWORD }];
      const emulator = await emulate({ records: 9000, accounts }, afterAll);
      const env = { ...emulator.env, DOI_CLI_REPOSITORY: 'CALTECH.LIBRARY' };
      const doiCli = async (...argv: string[]) => {
        const { code, stdout, stderr } = await emulator.run(argv, { env });
        expect(code, stderr).toBe(0);
        return stdout;
      };
      run = (line) => shell(`set -eo pipefail; cd '${folder}'\n${line}`, { env, uses: ENGINES });
      remove = (doi) => doiCli('dois', 'delete', doi, '--yes');
      current = async () =>
        sortedLines(await doiCli('dois', 'list', '--all', '--provider-id', 'caltech'));

      // Several files in the first generation, and two updates.
      const query = ['--provider-id', 'caltech', '--page-size', '20', '--jobs', '3', ...gzip];
      await doiCli('dois', 'harvest', '--dir', join(folder, 'caltech'), ...query);
      const mine = sortedLines(
        await doiCli('dois', 'list', '--all', '--mine', '--page-size', '100'),
      );
      const dois = mine.map((line) => (JSON.parse(line) as { id: string }).id);
      const findable = rowsOf(mine).filter(({ state }) => state === 'findable');
      const again = recipe('# Reading records with other tools', 'sh');
      const edits = { 'Neu "中" 🧬 \\n \\ , \'': 9, 'Newer still': 5 };
      for (const [title, count] of Object.entries(edits)) {
        for (const doi of dois.slice(0, count)) {
          await doiCli('dois', 'update', doi, '--set', `titles[0].title=${title}`);
        }
        for (const { doi } of findable.slice(0, count)) await doiCli('dois', 'hide', doi);
        // A draft may lack all that others have.
        await doiCli('dois', 'create', '--doi', `10.5072/bare-${count}`);
        const { code, stderr } = await run(gzip.length > 0 ? again : again.replace(' --gzip', ''));
        expect(code, stderr).toBe(0);
      }
      expect(partsIn(join(folder, 'caltech')).length).toBeGreaterThan(4);
      list = await current();
      expect(list.length).toBeGreaterThan(150);
    });

    /** Runs a recipe, which must end well. */
    async function cook(line: string): Promise<string> {
      const { code, stdout, stderr } = await run(line);
      expect(code, stderr).toBe(0);
      return stdout;
    }
    const duckdb = async (sql: string): Promise<Record<string, string | number | null>[]> => {
      writeFileSync(join(folder, 'query.sql'), sql);
      const script = fileURLToPath(new URL('duckdb.mjs', import.meta.url));
      return JSON.parse(await cook(`node '${script}' < query.sql`));
    };
    const python = (code: string) => {
      writeFileSync(join(folder, 'recipe.py'), code);
      return cook(`'${python3()}' recipe.py`);
    };
    const parquet = async (file: string): Promise<Row[]> => {
      const columns =
        'doi, state, year::INTEGER AS year, title, epoch_ms(updated)::DOUBLE AS updated';
      return byDoi((await duckdb(`SELECT ${columns} FROM '${file}'`)) as unknown as Row[]);
    };
    const linesIn = (file: string) => sortedLines(readFileSync(join(folder, file), 'utf8'));
    const isTheList = (lines: readonly string[]) =>
      expect(lines.join('\n') === list.join('\n')).toBe(true);

    it.skipIf(lacks('ciPackages'))('DuckDB', async () => {
      await cook(recipe('Parquet, with DuckDB', 'sh'));
      expect(await parquet('tables/dois/*.parquet')).toEqual(rowsOf(list));
      const states = await duckdb(recipe('Parquet, with DuckDB', 'sql'));
      expect(states.reduce((sum, { dois }) => sum + Number(dois), 0)).toBe(list.length);
      const count = await duckdb(recipe('Parquet, with DuckDB', 'sql', 1));
      expect(Number(count[0]?.['dois'])).toBe(list.length);
      expect(Number(count[0]?.['lines'])).toBeGreaterThan(list.length);
    });

    it.skipIf(lacks('polars', 'ciPackages'))('Polars', async () => {
      await python(recipe('Polars', 'python'));
      expect(await parquet('polars.parquet')).toEqual(rowsOf(list));
    });

    it.skipIf(lacks('pandas'))('pandas', async () => {
      await python(recipe('pandas', 'python'));
      const rows = csv(join(folder, 'pandas.csv'));
      const found = rows.map(({ doi = '', state = '', year, title, updated = '' }) => ({
        doi,
        state,
        year: year === '' ? null : Number(year),
        title: title === '' || title === undefined ? null : title,
        updated: Date.parse(updated),
      }));
      expect(byDoi(found)).toEqual(rowsOf(list));
    });

    it.skipIf(lacks('clickHouse'))('ClickHouse', async () => {
      await cook(recipe('ClickHouse', 'sh'));
      isTheList(linesIn('latest.ndjson'));
    });

    it('a shell', async () => {
      expect(Number(await cook(recipe('Shell', 'sh')))).toBeGreaterThan(list.length);
      isTheList(linesIn('latest.ndjson'));
    });

    it.skipIf(lacks('parallel', 'jq'))('GNU parallel', async () => {
      await cook(recipe('GNU parallel', 'sh'));
      expect(linesIn('states.tsv')).toEqual(
        rowsOf(list).map(({ doi, state }) => `${doi}\t${state}`),
      );
      await cook(recipe('GNU parallel', 'sh', 1));
      expect(linesIn('years.tsv')).toEqual(
        rowsOf(list).map(({ doi, year }) => `${doi}\t${year ?? ''}`),
      );
    });

    it.skipIf(lacks('powerShell'))('PowerShell', async () => {
      writeFileSync(join(folder, 'recipe.ps1'), recipe('PowerShell', 'powershell'));
      await cook('pwsh -NoProfile -File recipe.ps1');
      isTheList(linesIn('dois.ndjson'));
      const rows = csv(join(folder, 'powershell.csv'));
      expect(rows.sort((a, b) => (String(a['doi']) < String(b['doi']) ? -1 : 1))).toEqual(
        rowsOf(list).map(({ doi, state, year, title }) => ({
          doi,
          state,
          year: String(year ?? ''),
          title: title ?? '',
        })),
      );
    });

    it.skipIf(lacks('ciPackages'))('DuckDB, without records that are gone', async () => {
      const gone = list.find((line) => line.includes('10.5072/bare-'));
      await remove((JSON.parse(gone ?? '') as { id: string }).id);
      await cook(recipe('Deleted and hidden DOIs', 'sh'));
      await duckdb(recipe('Deleted and hidden DOIs', 'sql'));
      expect(await parquet('tables/dois/*.parquet')).toHaveLength(list.length);
      expect(await parquet('current.parquet')).toEqual(rowsOf(await current()));
    });
  },
);

describe('the recipe for PowerShell', () => {
  it.skipIf(lacks('ciPackages'))('has no syntax error', async () => {
    expect(await syntaxErrors(recipe('PowerShell', 'powershell'), 'powershell')).toEqual([]);
    expect(await syntaxErrors('Get-Content a | ForEach-Object { $_ ', 'powershell')).not.toEqual(
      [],
    );
  });
});

it('has a test for each section', () => {
  const sections = [...text.matchAll(/^## (.*)/gm)].map(([, title]) => title);
  expect(sections).toEqual([
    'Parquet, with DuckDB',
    'Deleted and hidden DOIs',
    // test/pipelines/merge.test.ts has these.
    'SQLite',
    'Citations',
    'Polars',
    'pandas',
    'ClickHouse',
    // .ci/engines/run.sh has it.
    'Dask',
    'Shell',
    'GNU parallel',
    'PowerShell',
  ]);
});
