// The recipes of docs/pipelines.md that keep a database equal to a copy, and join citations.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute, PROGRAM, shell } from '../e2e/program.ts';
import { all, COMPLETE, harvest, latest, send } from '../harvest/copy-on-disk.ts';
import { built } from '../helpers/built.ts';
import { emulate, type TestEmulator } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { blocks } from '../helpers/recipes.ts';
import { runs } from '../helpers/runs.ts';
import { sharedDirectory, temporaryDirectory } from '../helpers/temporary.ts';

const DUCKDB = fileURLToPath(new URL('duckdb.mjs', import.meta.url));
const text = readFileSync('docs/pipelines.md', 'utf8');
const section = (title: string, document = text) => document.split(`\n## ${title}\n`)[1] ?? '';

const RECORDS = 400;
const KILLS = runs(3);

interface Row {
  readonly record: string;
}

/** The part of node:sqlite that is used here: the types of Node 20 lack it. */
interface SqliteModule {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    prepare(sql: string): { all(): Row[] };
    close(): void;
  };
}

const sqlite = (database: string): Promise<readonly Row[]> => {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as SqliteModule;
  const db = new DatabaseSync(database);
  const rows = db.prepare('SELECT record FROM dois').all();
  db.close();
  return Promise.resolve(rows);
};
const duckdb = async (database: string): Promise<readonly Row[]> => {
  const stdin = `ATTACH '${database}' AS mirror; SELECT record FROM mirror.dois`;
  return JSON.parse((await execute(process.execPath, [DUCKDB], { stdin })).stdout) as Row[];
};

describe.each([
  { title: 'SQLite', name: 'mirror.db', needs: 'sqlite', read: sqlite },
  { title: 'DuckDB', name: 'mirror.duckdb', needs: 'ciPackages', read: duckdb },
] as const)('the recipe for $title', ({ name, needs, read }) => {
  const isSkipped = lacks(needs);
  const folder = sharedDirectory();
  let emulator: TestEmulator;

  /** Merges the copy into a database; the script kills itself at a record. */
  const merge = (database: string, killAt?: number) => {
    const code = blocks(section('SQLite'), 'js').find((block) => block.includes(name)) ?? '';
    const script = join(folder, `${database}.mjs`);
    const paths = code
      .replaceAll("'caltech'", JSON.stringify(join(folder, 'caltech')))
      .replace(`'${name}'`, JSON.stringify(join(folder, database)))
      .replace('% 10_000', '% 50');
    const kill = `if (count === ${killAt}) process.kill(process.pid, 'SIGKILL');`;
    writeFileSync(script, paths.replace('count += 1;', `$& ${kill}`));
    return execute(process.execPath, [script]);
  };
  const rowsIn = async (database: string): Promise<string[]> =>
    (await read(join(folder, database))).map(({ record }) => String(record)).sort();
  const update = async () => {
    const dir = join(folder, 'caltech');
    expect((await emulator.run(harvest(dir))).code).toBe(0);
    return dir;
  };

  beforeAll(async () => {
    if (isSkipped) return;
    emulator = await emulate({ records: RECORDS }, afterAll);
    const home = join(folder, 'node_modules', 'doi-cli');
    cpSync(built('dist'), join(home, 'dist'), { recursive: true });
    cpSync('package.json', join(home, 'package.json'));
    const packages = fileURLToPath(new URL('../../.ci/packages/node_modules', import.meta.url));
    if (needs === 'ciPackages')
      symlinkSync(join(packages, '@duckdb'), join(folder, 'node_modules', '@duckdb'), 'junction');
    await update();
  });

  it.skipIf(isSkipped)('is equal to a new one after kills, updates and compact', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const killed = await merge('killed.db', Math.floor(((kill + 0.5) * RECORDS) / KILLS));
      expect(killed.signal, killed.stderr).toBe('SIGKILL');
      if (kill !== 1) continue;
      for (const line of (await all(emulator, '--mine')).slice(0, 20)) {
        await send(emulator, 'PUT', (JSON.parse(line) as { id: string }).id, COMPLETE);
      }
      await update();
    }
    const last = await merge('killed.db');
    expect(last.code, last.stderr).toBe(0);
    const dir = await update();
    expect((await merge('killed.db')).stdout).toMatch(/^\d+ records merged/);
    expect((await merge('new.db')).code).toBe(0);
    expect(await rowsIn('killed.db')).toEqual(latest(dir));
    expect(await rowsIn('killed.db')).toEqual(await rowsIn('new.db'));
    await execute(process.execPath, [PROGRAM, 'dois', 'harvest', 'compact', '--dir', dir]);
    expect((await merge('killed.db')).code).toBe(0);
    expect(await rowsIn('killed.db')).toEqual(latest(dir));
    expect((await merge('killed.db')).stdout).toMatch(/^0 records/);
  });
});

describe.skipIf(lacks('ciPackages', 'posixShell'))('the recipe for citations', () => {
  it('joins events and the table of repositories with the tables', async () => {
    const folder = temporaryDirectory();
    const { run, env } = await emulate({ records: 300 });
    const dir = join(folder, 'caltech');
    expect((await run(harvest(dir))).code).toBe(0);
    const copy = ['--dir', dir, '--out', join(folder, 'tables')];
    expect((await run(['dois', 'harvest', 'export', ...copy])).code).toBe(0);
    const names = section('The names of repositories', readFileSync('docs/export.md', 'utf8'));
    const citations = section('Citations');
    const [commands, sql] = ['sh', 'sql'].map((language) =>
      [names, citations].map((each) => blocks(each.split('\n## ')[0] ?? '', language)),
    );
    const sent = await shell(`cd '${folder}'\n${commands?.flat().join('\n')}`, { env });
    expect(sent.code, sent.stderr).toBe(0);
    const answers: Record<string, unknown>[][] = [];
    for (const statement of sql?.flat() ?? []) {
      const stdin = statement.replace(
        /'(tables|citations|clients|repositories)(?=[/.])/g,
        (_, name) => `'${join(folder, name)}`,
      );
      const { code, stdout, stderr } = await execute(process.execPath, [DUCKDB], { stdin });
      expect(code, stderr).toBe(0);
      answers.push(JSON.parse(stdout));
    }
    const [, works = [], cited = [], citing] = answers;

    const records = latest(dir).map((line) => JSON.parse(line) as CopiedRecord);
    const clientOf = new Map(
      records.map(({ id, relationships: { client } }) => [id, client.data.id]),
    );
    const linesOf = (name: string) =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const nameOf = new Map(
      linesOf('clients.ndjson').map(({ id, attributes: { name } }) => [id, name]),
    );
    expect(works.length).toBeGreaterThan(1);
    for (const { client, repository, provider, dois } of works) {
      const own = records.filter(({ id }) => clientOf.get(id) === client);
      expect([dois, repository]).toEqual([String(own.length), nameOf.get(client)]);
      expect(client).toMatch(new RegExp(`^${provider}\\.`));
    }
    const sources = new Map<string, Set<string>>();
    for (const { attributes } of linesOf('citations.ndjson')) {
      const { sourceDoi, targetDoi } = attributes as Record<string, string>;
      if (targetDoi === undefined || sourceDoi === undefined || !clientOf.has(targetDoi)) continue;
      sources.set(targetDoi, (sources.get(targetDoi) ?? new Set()).add(sourceDoi));
    }
    expect(cited.length).toBeGreaterThan(1);
    expect(cited).toHaveLength(Math.min(20, sources.size));
    const most = Math.max(...[...sources.values()].map(({ size }) => size));
    expect(cited[0]).toMatchObject({ citations: String(most) });
    for (const { doi, citations: count, repository } of cited) {
      const expected = [
        sources.get(String(doi))?.size,
        nameOf.get(clientOf.get(String(doi)) ?? ''),
      ];
      expect([Number(count), repository]).toEqual(expected);
    }
    expect(Array.isArray(citing)).toBe(true);
  });
});

interface CopiedRecord {
  readonly id: string;
  readonly relationships: { readonly client: { readonly data: { readonly id: string } } };
}
