import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { run } from '../../helpers/run.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { COMPLETE, harvest, newDirectory, send } from '../copy-on-disk.ts';

const FINDABLE = ['--state', 'findable'];
const TABLES = ['--include', '*.csv.gz', '--include', 'MANIFEST*', '--include', 'STATUS.json'];

async function downloaded(emulator: TestEmulator, ...more: string[]): Promise<string> {
  const dir = temporaryDirectory();
  const { code, stderr } = await emulator.run(['datafile', 'download', '--dir', dir, ...more]);
  expect(code, stderr).toBe(0);
  return dir;
}

/** A data file that has only a table of this month. */
function tableOf(month: string, text: string): string {
  const dir = temporaryDirectory();
  const path = join(dir, 'dois', `updated_${month}`, `${month}.csv.gz`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, gzipSync(text));
  return dir;
}

const verify = (dir: string, from: string, ...more: string[]) =>
  run(['dois', 'harvest', 'verify', '--dir', dir, '--from', from, ...more]);

/** The table `removed` of a copy. */
async function removedIn(dir: string): Promise<unknown[]> {
  const out = join(dir, '..', 'tables');
  const { code, stderr } = await run(['dois', 'harvest', 'export', '--dir', dir, '--out', out]);
  expect(code, stderr).toBe(0);
  const { buffer, byteOffset, length } = readFileSync(join(out, 'removed', 'removed.parquet'));
  const file = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
  return (await parquetReadObjects({ file })).map(({ doi }) => doi).sort();
}

describe('dois harvest verify --from', () => {
  it('finds hidden DOIs in the tables of a data file, without a request (service.md, D6)', async () => {
    const emulator = await emulate({ records: 250 });
    const first = await emulator.anonymous(harvest(newDirectory()));
    expect(first.code, first.stderr).toBe(0);
    for (const name of ['hidden', 'back', 'kept'])
      await send(emulator, 'PUT', `10.5072/${name}`, COMPLETE);
    const dir = newDirectory();
    expect(await emulator.anonymous(harvest(dir, ...FINDABLE))).toMatchObject({ code: 0 });
    for (const name of ['hidden', 'back'])
      await send(emulator, 'PUT', `10.5072/${name}`, { event: 'hide' });
    const from = await downloaded(emulator, ...TABLES);
    await send(emulator, 'PUT', '10.5072/kept', { event: 'hide' });
    const requests = (await emulator.log()).length;

    const text = await verify(dir, from);
    const both = 'surplus 10.5072/back\nsurplus 10.5072/hidden\n';
    expect([text.code, text.stdout]).toEqual([3, both]);
    expect(text.stderr).toMatch(/^error: \d+ DOIs here, 2 of them Registered in the data file\n/m);
    const json = JSON.parse((await verify(dir, from, '--format', 'json')).stdout);
    const surplus = ['10.5072/back', '10.5072/hidden'];
    expect(json).toEqual({ same: false, here: expect.any(Number), surplus });
    expect((await emulator.log()).length).toBe(requests);
    expect(await removedIn(dir)).toEqual(surplus);

    // A data file knows fewer DOIs than the service: what verify has found stays.
    await emulator.anonymous(harvest(dir).toSpliced(2, 0, 'verify'));
    expect(await removedIn(dir)).toEqual([...surplus, '10.5072/kept']);
    await verify(dir, from);
    expect(await removedIn(dir)).toEqual([...surplus, '10.5072/kept']);

    await send(emulator, 'PUT', '10.5072/back', { event: 'publish' });
    expect(await emulator.anonymous(harvest(dir))).toMatchObject({ code: 0 });
    expect(await removedIn(dir)).toEqual(['10.5072/hidden', '10.5072/kept']);
    rmSync(join(dir, '_harvest', 'removed.ndjson'));
    // The table still has it as Registered; the copy has its later record.
    const compact = await run(['dois', 'harvest', 'compact', '--dir', dir]);
    expect(compact.code, compact.stderr).toBe(0);
    await verify(dir, from);
    const later = await removedIn(dir);
    expect(later).toContain('10.5072/hidden');
    expect(later).not.toContain('10.5072/kept');
  });

  it('takes the latest row of a DOI (service.md, D7)', async () => {
    const emulator = await emulate({ records: 0 });
    for (const name of ['a', 'b(c)'])
      await send(emulator, 'PUT', `10.5072/${encodeURIComponent(name)}`, COMPLETE);
    const dir = newDirectory();
    expect(await emulator.anonymous(harvest(dir, ...FINDABLE))).toMatchObject({ code: 0 });
    const head = 'doi,state,client_id,updated\r\n';
    const row = (doi: string, state: string) =>
      `${doi},${state},demo.repo,2999-01-02T00:00:00Z\r\n`;
    const quoted = row('"10.5072/b(c)"', 'registered');
    const from = tableOf('2999-01', `${head}${row('10.5072/a', 'registered')}${quoted}`);
    expect((await verify(dir, from)).stdout).toBe('surplus 10.5072/a\nsurplus 10.5072/b(c)\n');
    const path = join(from, 'dois', 'updated_2999-02', '2999-02.csv.gz');
    mkdirSync(dirname(path));
    writeFileSync(path, gzipSync(head + row('10.5072/a', 'findable')));
    expect((await verify(dir, from)).stdout).toBe('surplus 10.5072/b(c)\n');
    writeFileSync(
      path,
      gzipSync(head + row('10.5072/a', 'findable') + row('"10.5072/b(c)"', 'findable')),
    );
    expect(await verify(dir, from)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '2 DOIs here, none of them Registered in the data file\n',
    });
  });

  it('is refused for other copies, and for tables that are damaged or missing', async () => {
    const emulator = await emulate({ records: 60 });
    const [all, dir] = [newDirectory(), newDirectory()];
    await emulator.run(harvest(all));
    await emulator.run(harvest(dir, ...FINDABLE));
    // Tables of earlier months than the copy are not read.
    await send(emulator, 'PUT', '10.5072/new', COMPLETE);
    const from = await downloaded(emulator, ...TABLES);
    const refusal = async (copy: string, folder: string, ...more: string[]) => {
      const { code, stdout, stderr } = await verify(copy, folder, ...more);
      expect([code, stdout], stderr).toEqual([2, '']);
      return stderr;
    };
    expect(await refusal(all, from)).toMatch(/also has Registered DOIs: .*\nhint: run the same/);
    expect(await refusal(dir, temporaryDirectory())).toMatch(
      /contains no table of a data file\nhint: doi-cli datafile download --dir /,
    );
    expect(await refusal(dir, from, '--jobs', '2')).toContain("cannot be used with option '--jobs");
    const manifest = JSON.parse(readFileSync(join(from, 'MANIFEST.json'), 'utf8')) as {
      filename: string;
    }[];
    const tables = manifest.filter(({ filename }) => filename.endsWith('.csv.gz'));
    const path = join(from, tables.at(-1)?.filename ?? '');
    const bytes = readFileSync(path);
    expect(gunzipSync(bytes).toString()).toMatch(/^doi,state,client_id,updated\n10\./);
    writeFileSync(path, bytes.with(bytes.length - 12, (bytes.at(-12) ?? 0) ^ 1));
    expect(await refusal(dir, from)).toMatch(/hint: download the data file again, with --check/);
    rmSync(path);
    expect(await refusal(dir, from)).toMatch(/lacks dois\/updated_\S+ of the data file/);
    expect(existsSync(join(dir, '_harvest', 'removed.ndjson'))).toBe(false);
    const odd = tableOf('2999-01', 'doi,client_id\n10.1/a,b\n');
    expect(await refusal(dir, odd)).toContain('lacks one of the columns doi, state, updated');
  });
});
