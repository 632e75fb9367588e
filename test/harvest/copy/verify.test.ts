import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { COMPLETE, harvest, partsIn, send } from '../copy-on-disk.ts';

const verify = (dir: string, ...more: string[]) => harvest(dir, ...more).toSpliced(2, 0, 'verify');

async function copied(emulator: TestEmulator, ...more: string[]): Promise<string> {
  const dir = temporaryDirectory();
  const { code, stderr } = await emulator.run(harvest(dir, ...more));
  expect(code, stderr).toBe(0);
  return dir;
}

describe('dois harvest verify', () => {
  it.each([[['--gzip']], [['--mine', '--page-size', '10']]])(
    'names what is missing and what is surplus, over several generations (%j)',
    async (options) => {
      const emulator = await emulate({ records: 300 });
      await send(emulator, 'PUT', '10.5072/gone', {});
      const dir = await copied(emulator, '--jobs', '3', ...options);
      await send(emulator, 'PUT', '10.5072/second', COMPLETE);
      await send(emulator, 'PUT', '10.5072/gone-too', {});
      await emulator.run(harvest(dir, ...options));
      const same = await emulator.run(verify(dir));
      expect([same.code, same.stdout]).toEqual([0, '']);
      expect(same.stderr).toMatch(
        /^[\d,]+ DOIs here, [\d,]+ at the service; none missing, none surplus\n$/m,
      );

      for (const doi of ['10.5072/gone', '10.5072/gone-too']) await send(emulator, 'DELETE', doi);
      await send(emulator, 'PUT', '10.5072/third', COMPLETE);
      const text = await emulator.run(verify(dir));
      expect([text.code, text.stdout]).toEqual([
        3,
        'missing 10.5072/third\nsurplus 10.5072/gone\nsurplus 10.5072/gone-too\n',
      ]);
      expect(text.stderr).toMatch(/: 1 missing, 2 surplus$/m);
      const lines = await emulator.run(verify(dir, '--format', 'ndjson'));
      expect(
        lines.stdout
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
      ).toEqual([
        { doi: '10.5072/third', what: 'missing' },
        { doi: '10.5072/gone', what: 'surplus' },
        { doi: '10.5072/gone-too', what: 'surplus' },
      ]);
      expect(JSON.parse(lines.stderr)).toMatchObject({ error: { kind: 'incomplete' } });
      const one = await emulator.run(verify(dir, '--format', 'json'));
      const { here, atService } = JSON.parse(one.stdout) as { here: number; atService: number };
      expect(JSON.parse(one.stdout)).toMatchObject({ same: false, missing: ['10.5072/third'] });
      expect(atService).toBe(here - 1);
    },
  );

  it('finds what was hidden from an anonymous reader, and asks for identifiers only', async () => {
    const emulator = await emulate();
    await send(emulator, 'PUT', '10.5072/x', COMPLETE);
    const dir = temporaryDirectory();
    await emulator.anonymous(harvest(dir, '--query', 'prefix:10.5072', '--detail'));
    await send(emulator, 'PUT', '10.5072/x', { event: 'hide' });
    const before = (await emulator.log()).length;
    const { code, stdout } = await emulator.anonymous(verify(dir));
    expect([code, stdout]).toEqual([3, 'surplus 10.5072/x\n']);
    const asked = (await emulator.log())
      .slice(before)
      .map(({ path }) => new URLSearchParams(path.split('?')[1]));
    expect(asked.length).toBeGreaterThan(0);
    for (const params of asked) {
      expect(params.get('page[size]') === '0' || params.get('fields[dois]') === 'id').toBe(true);
      expect(params.get('query')).toContain('prefix:10.5072');
    }
  });

  it('finds a DOI in any window: created again, or without its time of creation', async () => {
    const emulator = await emulate({ records: 300 });
    const oldest = async (state: string) => {
      const list = ['dois', 'list', '--mine', '--state', state, '--fields', 'doi', '--limit', '1'];
      return (JSON.parse((await emulator.run(list)).stdout) as { id: string }).id;
    };
    const [doi, old] = [await oldest('draft'), await oldest('findable')];
    for (const fields of [[], ['--fields', 'doi,url']]) {
      const dir = await copied(emulator, '--page-size', '40', '--jobs', '3', ...fields);
      expect(partsIn(dir).length).toBeGreaterThan(1);
      expect(await send(emulator, 'DELETE', doi)).toBe(204);
      expect(await send(emulator, 'PUT', doi, {})).toBe(201);
      // Until an update, the copy has it in the window of its first creation.
      expect(await emulator.run(verify(dir))).toMatchObject({ code: 0, stdout: '' });
      // A record without `created` cannot be put into its old window.
      expect(await send(emulator, 'PUT', old, { url: 'https://example.org/new' })).toBe(200);
      await emulator.run(harvest(dir, '--page-size', '40', ...fields));
      const { code, stdout, stderr } = await emulator.run(verify(dir));
      expect([code, stdout], stderr).toEqual([0, '']);
      await emulator.run(['dois', 'harvest', 'compact', '--dir', dir]);
      expect((await emulator.run(verify(dir))).code).toBe(0);
    }
  });

  it('holds against faults on the way', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = await copied(emulator, '--page-size', '40', '--jobs', '3');
    const faults = [
      'lose@4,9',
      'duplicate@6',
      'empty-page@8',
      '502@12',
      'truncate@14',
      'repeat-cursor@16',
    ];
    await emulator.control('faults', { faults });
    const { code, stdout, stderr } = await emulator.run(verify(dir));
    expect([code, stdout], stderr).toEqual([0, '']);
    await emulator.control('faults', { faults: ['lose'] });
    const lost = await emulator.run(verify(dir));
    expect([lost.code, lost.stdout]).toEqual([3, '']);
    expect(lost.stderr).toMatch(/the service counts \d+ DOIs of a window, and lists \d+/);
    await emulator.control('faults', { faults: ['anonymous'] });
    expect((await emulator.run(verify(dir))).code).toBe(4);
  });

  it('names what the part files lack, and a part file that is damaged', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = await copied(emulator, '--page-size', '40', '--jobs', '3');
    const path = join(dir, '_harvest', 'ledger.json');
    const ledger = JSON.parse(readFileSync(path, 'utf8'));
    const [window] = ledger.generations[0].windows;
    const text = readFileSync(join(dir, 'data', partsIn(dir)[0] ?? ''), 'utf8');
    const first = JSON.parse(text.slice(0, text.indexOf('\n'))) as { id: string };
    // As after a crash: the file holds more than is known good. That window is not done then.
    writeFileSync(
      path,
      JSON.stringify({
        ...ledger,
        generations: [
          {
            ...ledger.generations[0],
            windows: [
              { ...window, bytes: 0, done: false },
              ...ledger.generations[0].windows.slice(1),
            ],
          },
        ],
      }),
    );
    const { code, stdout } = await emulator.run(verify(dir));
    expect(code).toBe(3);
    expect(stdout).toContain(`missing ${first.id}\n`);
    expect(stdout.split('\n')).toHaveLength(window.records + 1);
    writeFileSync(path, JSON.stringify(ledger));
    rmSync(join(dir, 'data', partsIn(dir)[0] ?? ''));
    expect(await emulator.run(verify(dir))).toMatchObject({
      code: 3,
      stdout: '',
      stderr: /is missing/,
    });
  });

  it('reads the ledgers of all shards, and counts what no shard has begun as missing', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = temporaryDirectory();
    const options = ['--page-size', '10', '--jobs', '3'];
    await emulator.run(harvest(dir, '--plan', ...options));
    expect((await emulator.run(harvest(dir, '--shard', '1/2', ...options))).code).toBe(0);
    const half = await emulator.run(verify(dir));
    expect(half.code).toBe(3);
    expect(half.stdout).not.toContain('surplus');
    expect((await emulator.run(harvest(dir, '--shard', '2/2', ...options))).code).toBe(0);
    await send(emulator, 'PUT', '10.5072/new', COMPLETE);
    for (const shard of ['1/2', '2/2'])
      await emulator.run(harvest(dir, '--shard', shard, ...options));
    expect(await emulator.run(verify(dir))).toMatchObject({ code: 0, stdout: '' });
    const names = readdirSync(join(dir, 'data'));
    expect(half.stdout.split('\n').length).toBeGreaterThan(100);
    expect(await emulator.run(['dois', 'harvest', 'compact', '--dir', dir])).toMatchObject({
      code: 0,
    });
    expect(await emulator.run(verify(dir))).toMatchObject({ code: 0, stdout: '' });
    expect(partsIn(dir).filter((name) => names.includes(name))).toEqual([]);
  });

  it('compares only with the same account, the same service and the recorded query', async () => {
    const emulator = await emulate({
      accounts: [
        { id: 'DEMO.REPO', password: 'correct horse' },
        { id: 'OTHER.REPO', password: 'two' },
      ],
    });
    const { key } = await emulator.newKey('k');
    const dir = await copied(emulator, '--mine');
    expect((await emulator.anonymous(verify(dir), { env: { DOI_CLI_API_KEY: key } })).code).toBe(0);
    const other = { DOI_CLI_REPOSITORY: 'OTHER.REPO', DOI_CLI_PASSWORD: 'two' };
    expect(await emulator.run(verify(dir), { env: other })).toMatchObject({
      code: 2,
      stderr: /holds what demo\.repo sees, not what other\.repo sees/,
    });
    expect(await emulator.anonymous(verify(dir))).toMatchObject({
      code: 2,
      stderr: /an anonymous reader/,
    });
    const elsewhere = { DOI_CLI_BASE_URL: 'https://api.example.org' };
    const requests = (await emulator.log()).length;
    expect(await emulator.run(verify(dir), { env: elsewhere })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`add --base-url ${emulator.baseUrl}`),
    });
    for (const option of [['--prefix', '10.5072'], ['--mine'], ['--fresh'], ['--gzip']]) {
      expect(await emulator.run(verify(dir, ...option))).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`unknown option '${option[0]}'`),
      });
    }
    expect(await emulator.run(verify(temporaryDirectory()))).toMatchObject({
      code: 2,
      stderr: /there is no harvest in/,
    });
    expect((await emulator.log()).length).toBe(requests);
  });
});
