// The afternoon of an analyst, as docs/export.md has it: the answers of DuckDB to its five
// questions, next to those of a plain script over the lines. `ANALYST_RECORDS=200000 npx vitest run
// test/pipelines/export.test.ts` is the full size.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPORTED } from '../../src/metadata/tables/tables.ts';
import { execute, PROGRAM, type SpawnResult } from '../e2e/program.ts';
import { COMPLETE, latest, partsIn, send } from '../harvest/copy-on-disk.ts';
import { emulate, type TestEmulator } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { blocks } from '../helpers/recipes.ts';
import { sharedDirectory } from '../helpers/temporary.ts';

const text = readFileSync('docs/export.md', 'utf8');
const RECORDS = Number(process.env['ANALYST_RECORDS'] ?? 1000);
const LIMIT_MS = RECORDS > 10_000 ? 1_500_000 : 600_000;
const MOST_BYTES = 300 * 1024 * 1024;
const HOOK = new URL('../hostile/peak-memory.mjs', import.meta.url).href;
const DUCKDB = fileURLToPath(new URL('duckdb.mjs', import.meta.url));

describe('docs/columns.md', () => {
  it('has all columns, with their types', () => {
    const tables = Object.entries(EXPORTED).map(([name, { about, columns }]) => {
      const rows = Object.entries(columns).map(
        ([column, { type, about }]) => `| \`${column}\` | ${type} | ${about} |`,
      );
      const head = '| column | type | value |\n|---|---|---|';
      return `## ${name}\n\nA row is ${about}.\n\n${head}\n${rows.join('\n')}\n`;
    });
    expect(readFileSync('docs/columns.md', 'utf8')).toContain(tables.join('\n'));
  });
});

interface Right {
  readonly rightsIdentifier?: string;
  readonly rightsIdentifierScheme?: string;
}
interface Creator {
  readonly nameIdentifiers?: readonly { nameIdentifier: string; nameIdentifierScheme: string }[];
  readonly affiliation?: readonly {
    affiliationIdentifier?: string;
    affiliationIdentifierScheme?: string;
  }[];
}
interface RecordLine {
  readonly id: string;
  readonly attributes: {
    readonly publicationYear: number | null;
    readonly types: { readonly resourceTypeGeneral?: string } | null;
    readonly creators: readonly Creator[] | null;
    readonly publisher: { readonly name: string } | null;
    readonly rightsList: readonly Right[] | null;
    readonly fundingReferences: readonly { readonly funderName: string }[] | null;
  };
}

type Answer = readonly (readonly unknown[])[];

/** Counts texts; the most frequent first, and then in the order of their texts. */
function counted(keys: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
}

/** The answers to the five questions, by `JSON.parse` alone. */
function answersOf(lines: readonly string[]): Readonly<Record<string, Answer>> {
  const records = lines.map((line) => (JSON.parse(line) as RecordLine).attributes);
  const year = (record: (typeof records)[number]) => record.publicationYear;
  const rors = ({ creators }: (typeof records)[number]) =>
    new Set(
      (creators ?? [])
        .flatMap(({ affiliation }) => affiliation ?? [])
        .flatMap(({ affiliationIdentifier: id, affiliationIdentifierScheme: scheme }) =>
          scheme === 'ROR' && id !== undefined ? [id.replace('https://ror.org/', '')] : [],
        ),
    );
  const hasOrcid = ({ creators }: (typeof records)[number]) =>
    (creators ?? []).some(({ nameIdentifiers = [] }) =>
      nameIdentifiers.some(
        ({ nameIdentifier, nameIdentifierScheme }) =>
          nameIdentifierScheme === 'ORCID' && /\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/.test(nameIdentifier),
      ),
    );
  const license = ({ rightsList }: (typeof records)[number]) =>
    (rightsList ?? []).find(({ rightsIdentifierScheme: scheme }) => scheme === 'SPDX')
      ?.rightsIdentifier ?? 'none';
  const years = [...new Set(records.map(year))].sort((a, b) => Number(b) - Number(a));
  return {
    'Works by year and type': counted(
      records.map((record) =>
        JSON.stringify([year(record), record.types?.resourceTypeGeneral ?? null]),
      ),
    ).map(([key, count]) => [...JSON.parse(key), count]),
    'The ten institutions with the most works': counted(
      records.flatMap((record) => [...rors(record)]),
    ).slice(0, 10),
    'The share of works with an ORCID iD, by year': years.map((one) => {
      const own = records.filter((record) => year(record) === one);
      return [one, Math.round((1000 * own.filter(hasOrcid).length) / own.length) / 10];
    }),
    'Licenses by publisher': counted(
      records.map((record) => JSON.stringify([record.publisher?.name ?? null, license(record)])),
    ).map(([key, count]) => [...JSON.parse(key), count]),
    'The funders of datasets': counted(
      records
        .filter(({ types }) => types?.resourceTypeGeneral === 'Dataset')
        .flatMap(({ fundingReferences }) => [
          ...new Set((fundingReferences ?? []).map(({ funderName }) => funderName)),
        ]),
    ).slice(0, 10),
  };
}

describe(`an afternoon with ${RECORDS} records`, () => {
  const folder = sharedDirectory();
  const [copy, tables] = [join(folder, 'caltech'), join(folder, 'tables')];
  let emulator: TestEmulator;

  /** Runs a program, which must end well, in at most 300 MB. */
  async function within(
    file: string,
    argv: readonly string[],
    stdin?: string,
  ): Promise<SpawnResult> {
    const peak = join(folder, 'peak');
    const env = { ...emulator.env, NODE_OPTIONS: `--import ${HOOK}`, PEAK_FILE: peak };
    const ran = await execute(process.execPath, [file, ...argv], {
      env,
      ...(stdin === undefined ? {} : { stdin }),
    });
    expect(ran.code, ran.stderr).toBe(0);
    const bytes = Number(readFileSync(peak, 'utf8'));
    if (RECORDS > 10_000) process.stderr.write(`${argv.slice(0, 3).join(' ')} ${bytes} bytes\n`);
    expect(bytes).toBeLessThan(MOST_BYTES);
    return ran;
  }

  const update = async () => {
    await within(PROGRAM, ['dois', 'harvest', '--dir', copy, '--gzip', '--rate', '100000/s']);
    await within(PROGRAM, ['dois', 'harvest', 'export', '--dir', copy, '--out', tables]);
  };

  /** The rows of the statement below a heading of the document. */
  async function answer(question: string): Promise<Answer> {
    const section = text.split(`\n${question}:\n`)[1] ?? '';
    const [sql = ''] = blocks(section, 'sql');
    const limits = "SET memory_limit = '150MB'; SET threads = 2;";
    const { stdout } = await within(DUCKDB, [], limits + sql.replaceAll("'tables/", `'${tables}/`));
    return (JSON.parse(stdout) as Record<string, unknown>[]).map(Object.values);
  }

  async function expectAnswers(): Promise<void> {
    for (const [question, expected] of Object.entries(answersOf(latest(copy)))) {
      const found = await answer(question);
      expect(found.length, question).toBeGreaterThan(0);
      const plain = (rows: Answer) =>
        rows.map((row) => JSON.stringify(row.map((value) => String(value))));
      // DuckDB names an institution by one of its affiliations, and the script does not.
      const columns = found[0]?.length === 3 && expected[0]?.length === 2 ? [0, 2] : undefined;
      const own = columns ? found.map((row) => columns.map((column) => row[column])) : found;
      const isPart = own.length < expected.length;
      expect(plain(own).sort(), question).toEqual(
        plain(isPart ? expected.slice(0, own.length) : expected).sort(),
      );
    }
  }

  beforeAll(async () => {
    emulator = await emulate({ records: RECORDS }, afterAll);
    await update();
  }, LIMIT_MS);

  it.skipIf(lacks('ciPackages'))(
    'answers five questions, and the same a week later',
    async () => {
      await expectAnswers();
      const mine = (await emulator.run(['dois', 'list', '--mine', '--limit', '40'])).stdout.split(
        '\n',
      );
      for (const line of mine.filter(Boolean)) {
        const { id } = JSON.parse(line) as { id: string };
        await send(emulator, 'PUT', id, {
          ...COMPLETE,
          publicationYear: 1999,
          publisher: 'A week later',
        });
      }
      await update();
      await expectAnswers();
      const found = await answer('Works by year and type');
      expect(found.find(([year, type]) => year === 1999 && type === 'Dataset')?.[2]).toBeDefined();
    },
    LIMIT_MS,
  );

  const filesIn = (out: string) =>
    Object.fromEntries(
      (readdirSync(out, { recursive: true, encoding: 'utf8' }) as string[])
        .filter((name) => name.endsWith('.parquet'))
        .map((name) => [
          name,
          createHash('sha256')
            .update(readFileSync(join(out, name)))
            .digest('hex'),
        ]),
    );
  const exported = (out: string, ...more: string[]) => [
    'dois',
    'harvest',
    'export',
    '--dir',
    copy,
    '--out',
    out,
    ...more,
  ];

  it.each([1, 3])('has the same tables with %i jobs', async (jobs) => {
    const out = join(folder, `jobs-${jobs}`);
    await within(PROGRAM, exported(out, '--jobs', String(jobs)));
    expect(filesIn(out)).toEqual(filesIn(tables));
  });

  it.skipIf(lacks('signals'))('has the same tables after it was killed', async () => {
    const out = join(folder, 'killed');
    for (const files of [1, 2]) {
      const isThere = () =>
        existsSync(join(out, '_staging', 'dois')) &&
        readdirSync(join(out, '_staging', 'dois')).length >= files;
      const { signal } = await execute(process.execPath, [PROGRAM, ...exported(out)], {
        during: (child) => {
          const timer = setInterval(() => isThere() && child.kill('SIGKILL'), 5);
          child.once('exit', () => clearInterval(timer));
        },
      });
      expect(signal).toBe('SIGKILL');
      expect(filesIn(join(out, 'dois'))).toEqual({});
    }
    await within(PROGRAM, exported(out));
    expect(filesIn(out)).toEqual(filesIn(tables));
    expect(existsSync(join(out, '_staging'))).toBe(false);
  });

  it.skipIf(lacks('ciPackages'))('joins the CSV of a list', async () => {
    const csv = join(folder, 'mine.csv');
    const query = ['--all', '--provider-id', 'caltech', '--out', csv];
    expect(await emulator.run(['dois', 'list', ...query])).toMatchObject({ code: 0 });
    const [sql = ''] = blocks(text.split('To join both')[1] ?? '', 'sql');
    const { stdout } = await within(
      DUCKDB,
      [],
      sql.replaceAll("'tables/", `'${tables}/`).replace("'mine.csv'", `'${csv}'`),
    );
    const rows = JSON.parse(stdout) as { doi: string }[];
    expect(rows.length).toBeGreaterThan(0);
  });

  it('names the damaged part that a thread has found', async () => {
    const [part = ''] = partsIn(copy);
    const path = join(copy, 'data', part);
    const bytes = readFileSync(path);
    const out = join(folder, 'damaged');
    writeFileSync(
      path,
      Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]),
    );
    const { code, stderr } = await execute(process.execPath, [PROGRAM, ...exported(out)]);
    writeFileSync(path, bytes);
    expect([code, stderr]).toEqual([3, new RegExp(`${part} .*\nhint: .*--check`)]);
    expect(filesIn(join(out, 'dois'))).toEqual({});
  });
});
