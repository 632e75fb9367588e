import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { exportCopy } from '../../../src/harvest/export/export.ts';
import { EXPORTED, TABLES, type TableName } from '../../../src/metadata/tables/tables.ts';
import type { Row } from '../../../src/metadata/tables/values.ts';
import { emulate } from '../../helpers/emulator.ts';
import { run } from '../../helpers/run.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import {
  all,
  COMPLETE,
  harvest,
  latest,
  ledgerIn,
  PLAIN,
  partsIn,
  send,
  threeGenerations,
} from '../copy-on-disk.ts';

const NAMES = Object.keys(TABLES) as TableName[];
const REMOVED = 'removed';
const tables = (dir: string, out: string, ...more: string[]) => [
  ...['dois', 'harvest', 'export', '--dir', dir, '--out', out, ...more],
];

function bytesOf(path: string): ArrayBuffer {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

/** All rows of a table, each as JSON, sorted; read by the sister of the library that wrote them. */
async function rowsIn(out: string, name: TableName): Promise<string[]> {
  const rows: string[] = [];
  for (const file of readdirSync(join(out, name))) {
    const objects = await parquetReadObjects({
      file: bytesOf(join(out, name, file)),
    });
    // The reader has undefined for null in a column without any list.
    rows.push(...objects.map((row) => JSON.stringify(row, (_, value) => value ?? null)));
  }
  return rows.sort();
}

/** The same of the current lines of a copy. */
function rowsOf(dir: string, name: TableName): string[] {
  const { rows, columns } = EXPORTED[name];
  return latest(dir)
    .flatMap((line) => rows(JSON.parse(line) as Row, Buffer.from(line)))
    .map((row) =>
      Object.fromEntries(Object.entries(columns).map(([column, own]) => [column, own.cell(row)])),
    )
    .map((row) => JSON.stringify(row))
    .sort();
}

async function expectTables(
  dir: string,
  out: string,
  names: readonly TableName[] = NAMES,
): Promise<void> {
  for (const name of names) {
    expect((await rowsIn(out, name)).join('\n') === rowsOf(dir, name).join('\n'), name).toBe(true);
  }
  expect(readdirSync(out).sort()).toEqual(['_export.json', REMOVED, ...names].sort());
  expect(JSON.parse(readFileSync(join(out, '_export.json'), 'utf8'))).toMatchObject({
    complete: true,
    staged: {},
  });
}

/** The files of a directory and when they were written. */
const filesIn = (out: string) =>
  Object.fromEntries(
    NAMES.flatMap((name) => readdirSync(join(out, name)).map((file) => join(name, file))).map(
      (file) => [file, statSync(join(out, file)).mtimeMs],
    ),
  );

describe('dois harvest export', () => {
  it('writes the current records of a copy as tables', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = await threeGenerations(emulator, '--gzip');
    const out = join(temporaryDirectory(), 'new', 'tables');
    const { code, stderr, stdout } = await run(tables(dir, out));
    expect([code, stdout, stderr]).toEqual([
      0,
      '',
      /: 302 DOIs, 3 files per table \(3 written\), in \d+ s\n$/,
    ]);
    expect(stderr).not.toMatch(/warning|error/);
    await expectTables(dir, out);
    expect(await rowsIn(out, 'dois')).toHaveLength(302);
    expect((await rowsIn(out, 'creators')).some((row) => row.includes('"ror":"0'))).toBe(true);

    const again = await run(tables(dir, out));
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('(0 written)')]);
  });

  it('has a file of each table for a copy without records, until there are some', async () => {
    const emulator = await emulate({ records: 60 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    const query = ['--query', 'titles.title:second'];
    await emulator.run(harvest(dir, '--mine', ...query));
    for (const file of ['1 written', '0 written']) {
      const { code, stderr } = await run(tables(dir, out));
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(`0 DOIs, 1 file per table (${file}`),
      ]);
      for (const name of NAMES) expect(readdirSync(join(out, name))).toHaveLength(1);
      await expectTables(dir, out);
    }
    await send(emulator, 'PUT', '10.5072/one', { ...COMPLETE, titles: [{ title: 'second' }] });
    await emulator.run(harvest(dir));
    await run(tables(dir, out));
    await expectTables(dir, out);
    expect(await rowsIn(out, 'dois')).toHaveLength(1);
  });

  it('says in each file where its rows come from', async () => {
    const emulator = await emulate({ records: 60 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir));
    await run(tables(dir, out));
    const [part = ''] = partsIn(dir);
    const metadata = parquetMetadata(
      bytesOf(join(out, 'creators', part.replace('.ndjson', '.parquet'))),
    );
    const facts = metadata.key_value_metadata?.map(({ key, value }) => [key, value]);
    expect(Object.fromEntries(facts ?? [])).toEqual({
      'doi-cli.table': 'creators',
      'doi-cli.tables_version': '3',
      'doi-cli.source': part,
      'doi-cli.source_sha256': createHash('sha256')
        .update(readFileSync(join(dir, 'data', part)))
        .digest('hex'),
    });
    expect(metadata.created_by).toMatch(/^doi-cli version \d/);
  });

  it('warns of a copy without ROR ids, and of one with few attributes', async () => {
    const emulator = await emulate({ records: 60 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir, '--filter', 'affiliation=false'));
    expect((await run(tables(dir, out))).stderr).toMatch(
      /^warning: .*affiliations as names: creators\.ror is empty.*\n.*60 DOIs/,
    );
    const [few, half] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(few, '--fields', 'titles,created'));
    expect((await run(tables(few, half))).stderr).toMatch(
      /^warning: .*only some attributes.*\n.*60 DOIs/,
    );
  });
});

describe('an update of the tables', () => {
  it('writes only the parts that changed, and removes those that are gone', async () => {
    const emulator = await emulate({ records: 300 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir, ...PLAIN));
    await run(tables(dir, out));
    const before = filesIn(out);
    const [doi = ''] = (await all(emulator, '--mine')).map(
      (line) => (JSON.parse(line) as { id: string }).id,
    );
    expect(await send(emulator, 'PUT', doi, COMPLETE)).toBe(200);
    await emulator.run(harvest(dir, ...PLAIN));

    const { code, stderr } = await run(tables(dir, out));
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 files per table (2 written)')]);
    await expectTables(dir, out);
    const after = filesIn(out);
    const changed = Object.keys(after).filter((file) => before[file] !== after[file]);
    expect(changed).toHaveLength(2 * NAMES.length);

    expect((await run(['dois', 'harvest', 'compact', '--dir', dir])).code).toBe(0);
    expect((await run(tables(dir, out))).stderr).toMatch(/\d+ written, \d+ removed\)/);
    await expectTables(dir, out);
    expect(Object.keys(filesIn(out)).every((file) => file.includes('g0003-'))).toBe(true);
  });

  it('writes again what is missing or damaged', async () => {
    const emulator = await emulate({ records: 300 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir, ...PLAIN));
    await run(tables(dir, out));
    const [first = '', second = ''] = Object.keys(filesIn(out));
    rmSync(join(out, first));
    expect((await run(tables(dir, out))).stderr).toContain('(1 written)');
    const bytes = readFileSync(join(out, second));
    writeFileSync(join(out, second), bytes.fill(0, 100, 110));
    expect((await run(tables(dir, out))).stderr).toContain('(1 written)');
    await expectTables(dir, out);
  });

  it('does not read files with tables again: these are right, even if a file was damaged since', async () => {
    const emulator = await emulate({ records: 300 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir, ...PLAIN));
    await run(tables(dir, out));
    const [part = ''] = partsIn(dir);
    const path = join(dir, 'data', part);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.with(bytes.indexOf('"state"') + 1, 'S'.charCodeAt(0)));
    const { code, stderr } = await run(tables(dir, out));
    expect([code, stderr]).toEqual([0, expect.stringContaining('(0 written)')]);
    expect((await run(['dois', 'harvest', 'status', '--dir', dir, '--check'])).code).toBe(3);
    // Where a table is missing, the file has to be read.
    const [first = ''] = Object.keys(filesIn(out));
    const aside = join(temporaryDirectory(), 'table');
    renameSync(join(out, first), aside);
    expect(await run(tables(dir, out))).toMatchObject({ code: 3 });
    renameSync(aside, join(out, first));
    writeFileSync(path, bytes);
    expect((await run(tables(dir, out))).stderr).toContain('(0 written)');
    await expectTables(dir, out);
  });

  it('adds whole records on request, and keeps them', async () => {
    const emulator = await emulate({ records: 60 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir));
    await run(tables(dir, out));
    for (const [options, written] of [
      [['--records'], 1],
      [[], 0],
    ] as const) {
      expect((await run(tables(dir, out, ...options))).stderr).toContain(`(${written} written)`);
      await expectTables(dir, out, [...NAMES, 'records']);
    }
  });

  it.each([2, 4])('are refused where version %i has written them', async (version) => {
    const emulator = await emulate({ records: 60 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir));
    await run(tables(dir, out));
    const path = join(out, '_export.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    for (const part of Object.values<object>(manifest.parts))
      Object.assign(part, { tablesVersion: version });
    writeFileSync(path, JSON.stringify(manifest));
    expect(await run(tables(dir, out))).toMatchObject({
      code: 2,
      stderr: /by another version of this program\nhint: /,
    });
  });

  it('lists the DOIs that verify has missed, until they are back', async () => {
    const emulator = await emulate({ records: 600 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    const query = ['--state', 'findable'];
    // An update then starts, by the service's clock, before the verify that precedes it.
    const now = () => Date.now() + 60_000;
    const done = async (argv: readonly string[]) =>
      expect(await emulator.run(argv, { now })).toMatchObject({ code: 0 });
    await done(harvest(dir, ...query));
    const [first = '', second = ''] = (await all(emulator, '--mine', ...query)).map(
      (line) => (JSON.parse(line) as { id: string }).id,
    );
    const verified = async () => {
      await emulator.run(['dois', 'harvest', 'verify', '--dir', dir], { now });
      await run(tables(dir, out));
      return (await rowsIn(out, REMOVED)).map((row) => JSON.parse(row) as Record<string, string>);
    };
    expect(await verified()).toEqual([]);
    await done(['dois', 'hide', first]);
    const [row] = await verified();
    expect(row).toEqual({ doi: first, found: /^\d{4}-.*Z$/ });
    await done(['dois', 'hide', second]);
    expect(await verified()).toEqual(
      [row, { doi: second, found: expect.any(String) }].sort((a, b) =>
        String(a?.['doi']) < String(b?.['doi']) ? -1 : 1,
      ),
    );
    await run(['dois', 'harvest', 'compact', '--dir', dir]);
    await run(tables(dir, out));
    expect(await rowsIn(out, REMOVED)).toHaveLength(2);
    await done(['dois', 'publish', first]);
    await done(harvest(dir, ...query));
    await run(tables(dir, out));
    expect((await rowsIn(out, REMOVED)).join()).not.toContain(first);
    expect(await rowsIn(out, REMOVED)).toHaveLength(1);
    await done(harvest(dir, ...query, '--fresh', '--yes'));
    await run(tables(dir, out));
    expect(await rowsIn(out, REMOVED)).toEqual([]);
  });
});

describe('an export that is stopped', () => {
  /** Exports, and stops after this number of parts. */
  async function stopped(dir: string, out: string, parts: number): Promise<void> {
    const stop = new AbortController();
    let left = parts;
    const progress = () => {
      left -= 1;
      if (left === 0) stop.abort(new Error('stopped'));
    };
    const host = { signal: stop.signal, now: Date.now, note: () => undefined, progress };
    const options = { jobs: 1, threads: undefined, batch: 1 };
    await expect(exportCopy(host, dir, out, options)).rejects.toThrow('stopped');
  }

  /** A copy with an update after its tables were written. */
  async function outdated() {
    const emulator = await emulate({ records: 200 });
    const [dir, out, old] = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir, ...PLAIN));
    cpSync(dir, old, { recursive: true });
    await run(tables(dir, out));
    for (const line of (await all(emulator, '--mine')).slice(0, 9)) {
      await send(emulator, 'PUT', (JSON.parse(line) as { id: string }).id, COMPLETE);
    }
    await emulator.run(harvest(dir, ...PLAIN));
    return { dir, out, old };
  }

  it('leaves the tables as they were after each part, and the next run goes on', async () => {
    const { dir, out, old } = await outdated();
    const parts = partsIn(dir).length;
    for (const done of [1, Math.ceil(parts / 2), parts]) {
      await stopped(dir, out, done);
      for (const name of NAMES) expect(await rowsIn(out, name)).toEqual(rowsOf(old, name));
    }
    expect((await run(tables(dir, out))).code).toBe(0);
    await expectTables(dir, out);
  });

  it('is completed when files were moved in part', async () => {
    const { dir, out } = await outdated();
    await stopped(dir, out, partsIn(dir).length);
    const staged = NAMES.flatMap((name) =>
      readdirSync(join(out, '_staging', name)).map((file) => join(name, file)),
    );
    expect(staged.length).toBeGreaterThan(NAMES.length);
    for (const file of staged.filter((_, index) => index % 2 === 0)) {
      renameSync(join(out, '_staging', file), join(out, file));
    }
    expect((await run(tables(dir, out))).code).toBe(0);
    await expectTables(dir, out);
  });

  it('names what it left out of the staging folder again', async () => {
    const { dir, out } = await outdated();
    await stopped(dir, out, partsIn(dir).length);
    rmSync(join(out, '_staging'), { recursive: true });
    expect((await run(tables(dir, out))).code).toBe(0);
    await expectTables(dir, out);
  });
});

describe('an export refuses', () => {
  /** A copy of 60 records, and a directory for its tables. */
  async function copy(...options: string[]) {
    const emulator = await emulate({ records: 60 });
    const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
    await emulator.run(harvest(dir, ...options));
    return { emulator, dir, out };
  }

  it('a directory that holds something else, and leaves it as it is', async () => {
    const { dir, out } = await copy();
    mkdirSync(join(out, 'dois'));
    writeFileSync(join(out, 'dois', 'mine.parquet'), 'mine');
    const { code, stderr } = await run(tables(dir, out));
    expect([code, stderr]).toEqual([2, /holds no export: dois\nhint: name a directory/]);
    expect(readdirSync(out)).toEqual(['dois']);
    expect(readdirSync(join(out, 'dois'))).toEqual(['mine.parquet']);
    expect((await run(tables(dir, dir))).code).toBe(2);
    expect((await run(tables(dir, join(out, 'dois', 'mine.parquet')))).code).toBe(2);
  });

  it('the name of a file, and leaves nothing there', async () => {
    const { dir, out } = await copy();
    for (const name of ['x.parquet', 'x.csv.gz']) {
      expect(await run(tables(dir, join(out, name)))).toMatchObject({
        code: 2,
        stderr: /a folder for each table, not a file\nhint: .*tables/,
      });
    }
    expect(readdirSync(out)).toEqual([]);
  });

  it('the tables of another query, and a manifest that is none', async () => {
    const { emulator, dir, out } = await copy();
    await run(tables(dir, out));
    const other = temporaryDirectory();
    await emulator.run(harvest(other, '--state', 'findable'));
    const before = filesIn(out);
    expect(await run(tables(other, out))).toMatchObject({ code: 2, stderr: /another query/ });
    expect(filesIn(out)).toEqual(before);
    writeFileSync(join(out, '_export.json'), '{}');
    expect(await run(tables(dir, out))).toMatchObject({ code: 2, stderr: /not the manifest/ });
  });

  it('a copy that is none, not complete or damaged', async () => {
    const { dir, out } = await copy();
    expect((await run(tables(out, dir))).code).toBe(2);
    const [part = ''] = partsIn(dir);
    const path = join(dir, 'data', part);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, -1));
    expect(await run(tables(dir, out))).toMatchObject({ code: 3, stderr: /damaged/ });
    bytes[bytes.indexOf('"state"') + 1] = 'S'.charCodeAt(0);
    writeFileSync(path, bytes);
    expect(await run(tables(dir, out))).toMatchObject({ code: 3, stderr: /other contents/ });
    expect(Object.keys(filesIn(out))).toEqual([]);

    const cut = await emulate({ records: 600, faults: ['504@30+'] });
    const half = temporaryDirectory();
    expect((await cut.run(harvest(half, ...PLAIN, '--retries', '0'))).code).not.toBe(0);
    expect(await run(tables(half, out))).toMatchObject({ code: 3, stderr: /not complete/ });
  });

  /** Puts other lines into the only part of a copy, as if it had been harvested like this. */
  function withLines(dir: string, edit: (line: string, index: number) => string): void {
    const [part = ''] = partsIn(dir);
    const lines = readFileSync(join(dir, 'data', part), 'utf8')
      .split('\n')
      .slice(0, -1);
    const text = lines.map((line, index) => `${edit(line, index)}\n`).join('');
    writeFileSync(join(dir, 'data', part), text);
    const ledger = ledgerIn(dir);
    const window = ledger.generations[0]?.windows[0];
    if (window === undefined) throw new Error('no window');
    window.sha256 = createHash('sha256').update(text).digest('hex');
    window.bytes = Buffer.byteLength(text);
    writeFileSync(join(dir, '_harvest', 'ledger.json'), JSON.stringify(ledger));
  }

  it('a record that cannot be read', async () => {
    const { dir, out } = await copy();
    withLines(dir, (line, index) =>
      index === 7 ? line.replace('"attributes":', '"attributes"') : line,
    );
    expect(await run(tables(dir, out))).toMatchObject({
      code: 3,
      stderr: /holds a line that cannot be read\nhint: the same harvest with --check/,
    });
    expect(Object.keys(filesIn(out))).toEqual([]);
  });

  it('nothing for a value of another type, but says it', async () => {
    const { dir, out } = await copy();
    withLines(dir, (line, index) =>
      index < 3 ? line.replace(/"publicationYear":[^,]*/, '"publicationYear":"soon"') : line,
    );
    for (const written of [1, 0]) {
      const { code, stderr } = await run(tables(dir, out));
      const warning =
        'warning: dois.year: 3 values are not of its type and became null, such as that of 10\\.';
      expect([code, stderr]).toEqual([0, new RegExp(`^${warning}[^]*${written} written`)]);
    }
    expect(
      (await rowsIn(out, 'dois')).filter((row) => row.includes('"year":null')).length,
    ).toBeGreaterThan(2);
  });
});

it('an export of a copy with gaps ends with exit code 3 and has all else', async () => {
  const emulator = await emulate({ records: 60, faults: ['poison-cursor:7:0'] });
  const [dir, out] = [temporaryDirectory(), temporaryDirectory()];
  expect((await emulator.run(harvest(dir))).code).toBe(3);
  const { code, stderr } = await run(tables(dir, out));
  expect([code, stderr]).toEqual([3, /the tables lack what the copy lacks: 2 records/]);
  expect(await rowsIn(out, 'dois')).toHaveLength(58);
});

describe('the manifest of an export', () => {
  const exported = async () => {
    const emulator = await emulate({ records: 40 });
    const [dir, out] = [join(temporaryDirectory(), 'copy'), join(temporaryDirectory(), 'tables')];
    expect(await emulator.run(harvest(dir))).toMatchObject({ code: 0 });
    const again = () => run(tables(dir, out));
    expect(await again()).toMatchObject({ code: 0 });
    const manifest = JSON.parse(readFileSync(join(out, '_export.json'), 'utf8'));
    const save = () => writeFileSync(join(out, '_export.json'), JSON.stringify(manifest));
    return { out, manifest, save, again };
  };

  it('names files that a killed run has moved, of parts that are gone since', async () => {
    const { out, manifest, save, again } = await exported();
    const [[name, files] = []] = Object.entries(manifest.parts);
    manifest.staged['g0009-w00000'] = files;
    save();
    cpSync(join(out, 'dois', `${name}.parquet`), join(out, 'dois', 'g0009-w00000.parquet'));
    expect(await again()).toMatchObject({ code: 0 });
    expect(readdirSync(join(out, 'dois'))).toEqual([`${name}.parquet`]);
  });

  it.each([
    [
      'leads out of the directory',
      (parts: Record<string, unknown>) => ({ '../../x': Object.values(parts)[0] }),
    ],
    [
      'lacks what is known of its files',
      () => ({ 'g0001-w00000': { source: 'x', tablesVersion: 1 } }),
    ],
  ])('is refused where a part %s', async (_, changed) => {
    const { out, manifest, save, again } = await exported();
    const kept = join(out, '..', 'x.parquet');
    writeFileSync(kept, 'keep');
    manifest.parts = changed(manifest.parts);
    save();
    expect(await again()).toMatchObject({
      code: 2,
      stderr: /_export\.json is not the manifest of an export by this version\nhint: /,
    });
    expect(readFileSync(kept, 'utf8')).toBe('keep');
  });
});
