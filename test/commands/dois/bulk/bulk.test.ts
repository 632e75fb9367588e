import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LineResult } from '../../../../src/writing/ledger/entry.ts';
import { emulate, type TestEmulator } from '../../../helpers/emulator.ts';
import { lacks } from '../../../helpers/platform.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { remove, sharedDirectory } from '../../../helpers/temporary.ts';

const folder = sharedDirectory();

let files = 0;
function file(lines: readonly unknown[] | string): string {
  files += 1;
  const path = join(folder, `${files}.ndjson`);
  writeFileSync(path, spelled(lines));
  return path;
}
const spelled = (lines: readonly unknown[] | string) =>
  typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const record = (title: string, more: object = {}) => ({
  prefix: '10.5072',
  titles: [{ title }],
  ...more,
});
const many = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, place) => record(`number ${place + 1}`, more));

const results = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LineResult);

async function titles({ control, run }: TestEmulator): Promise<string[]> {
  await control('faults', { faults: [] });
  const { stdout } = await run(['dois', 'list', '--all', '--mine', '--prefix', '10.5072']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { attributes: { titles: { title: string }[] } }).attributes)
    .map((attributes) => attributes.titles[0]?.title ?? '');
}

const posts = async ({ log }: TestEmulator) =>
  (await log()).filter(({ method }) => method === 'POST').length;
const create = (path: string, ...more: string[]) => ['dois', 'create', '--file', path, ...more];
const ledgerOf = (path: string) => `${path}.create-ledger`;

describe('dois create with a file of records', () => {
  it('never creates one twice, whatever answers are lost', async () => {
    const emulator = await emulate({
      records: 0,
      faults: 'lost-answer:0.2 500:0.1 504:0.1 403:0.05 429:0.05 reset:0.05 truncate:0.05'.split(
        ' ',
      ),
    });
    const path = file(many(150));
    const { code, stdout, stderr } = await emulator.run(create(path, '--jobs', '8'));
    expect(code, stderr).toBe(0);
    expect(results(stdout).map(({ line }) => line)).toEqual(
      Array.from({ length: 150 }, (_, n) => n + 1),
    );
    expect(new Set(results(stdout).map(({ doi }) => doi)).size).toBe(150);
    const expected = many(150).map(({ titles }) => titles[0]?.title ?? '');
    expect((await titles(emulator)).sort()).toEqual(expected.sort());
  });

  it.skipIf(lacks('links'))('knows a file and its ledger by their links too', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(many(2));
    const [link, ledgerLink] = [join(folder, 'link.ndjson'), join(folder, 'link.ledger')];
    symlinkSync(path, link);
    symlinkSync(ledgerOf(path), ledgerLink);
    expect((await emulator.run(create(link))).stderr).toContain('2 created');
    for (const argv of [create(path), create(link), create(path, '--ledger', ledgerLink)]) {
      expect((await emulator.run(argv)).stderr).toContain('2 done before');
    }
    expect(existsSync(ledgerOf(link))).toBe(false);
    expect(await titles(emulator)).toHaveLength(2);
  });

  it('takes a DOI for records without one from the prefix of the settings', async () => {
    const emulator = await emulate({ records: 0 });
    const env = { DOI_CLI_CONFIG_DIR: join(folder, 'config') };
    await emulator.run(['config', 'set', 'prefix', '10.5072'], { env });
    expect((await emulator.run(create(file([{}, {}])), { env })).code).toBe(0);
    const one = ['dois', 'create', '--title', 'alone', '--format', 'json'];
    expect(JSON.parse((await emulator.run(one, { env })).stdout)).toMatchObject({
      id: expect.stringMatching(/^10\.5072\//),
    });
    expect((await emulator.run(['config', 'set', 'prefix', 'x'], { env })).code).toBe(2);
  });

  it('knows whose API key it uses', async () => {
    const emulator = await emulate({ records: 0 });
    const { key } = await emulator.newKey('ci');
    const path = file(many(2));
    const env = { DOI_CLI_API_KEY: key };
    expect((await emulator.anonymous(create(path), { env })).code).toBe(0);
    expect(readFileSync(ledgerOf(path), 'utf8')).toContain('"account":"demo.repo"');
    expect(readFileSync(ledgerOf(path), 'utf8')).not.toContain(key.slice(3));
    if (!lacks('permissions')) expect(statSync(ledgerOf(path)).mode & 0o77).toBe(0);
    // The password belongs to the same account.
    expect((await emulator.run(create(path))).code).toBe(0);
    expect(await titles(emulator)).toHaveLength(2);
  });
});

describe('a file that cannot be created', () => {
  it('because its ledger cannot be created is an error', async () => {
    const emulator = await emulate({ records: 0 });
    const argv = create(file(many(2)), '--ledger', join(folder, 'none', 'ledger'));
    expect(await emulator.run(argv)).toMatchObject({ code: 1 });
    expect(await posts(emulator)).toBe(0);
  });
});

describe('records from stdin', () => {
  it('continue with the command of the hint, which has the same options', async () => {
    const emulator = await emulate({ records: 0 });
    const stdin = spelled(
      ['a', 'b'].map((title) => ({ ...COMPLETE_RECORD, doi: undefined, titles: [{ title }] })),
    );
    await emulator.control('faults', { faults: ['500@2+'] });
    const options = '--prefix 10.5072 --event register --no-validate --retries 0'.split(' ');
    const { stderr } = await emulator.run(create('-', ...options, '--jobs', '1'), { stdin });
    await emulator.control('faults', { faults: [] });
    const [, command = '', kept = ''] =
      /hint: doi-cli (dois create --file (\S+) --prefix .* --retries 0 --jobs 1)\n/.exec(stderr) ??
      [];
    expect((await emulator.run(command.split(' '))).code).toBe(0);
    await remove(join(kept, '..'));
    expect((await titles(emulator)).sort()).toEqual(['a', 'b']);
  });
  it('continue with their own ledger', async () => {
    const emulator = await emulate({ records: 0 });
    const ledger = join(folder, 'stdin.ledger');
    const one = spelled([record('alone')]);
    for (const outcome of ['1 created', '1 done before']) {
      const { stderr } = await emulator.run(create('-', '--ledger', ledger), { stdin: one });
      expect(stderr).toContain(outcome);
      expect(stderr).not.toContain('--file');
    }
    expect(await titles(emulator)).toEqual(['alone']);
  });
});

describe('the command line', () => {
  it.each([
    [['--title', 'A'], /cannot be used with/],
    [['--jobs', '65'], /from 1 to 64/],
  ])('refuses %j with many records', async (flags, message) => {
    const emulator = await emulate({ records: 0 });
    const { code, stderr } = await emulator.run(create(file(many(2)), ...flags));
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(await emulator.log()).toEqual([]);
  });
  it('takes an indented record, and a single line, for one record', async () => {
    const emulator = await emulate({ records: 0 });
    const path = join(folder, 'one.json');
    for (const text of [
      JSON.stringify(record('a'), undefined, 2),
      `${JSON.stringify(record('b'))}\n`,
    ]) {
      writeFileSync(path, text);
      for (const argv of [create(path), create('-')]) {
        const { code, stdout } = await emulator.run(argv, { stdin: text });
        expect([code, JSON.parse(stdout)]).toMatchObject([0, { type: 'dois' }]);
      }
    }
    expect(existsSync(ledgerOf(path))).toBe(false);
    // The file name says NDJSON, so one line is a list of one record.
    expect(results((await emulator.run(create(file([record('c')])))).stdout)).toHaveLength(1);
  });
});

describe('a run over many records', () => {
  it('sends nothing more when another machine has taken its ledger over', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(many(6));
    const lock = `${ledgerOf(path)}.lock`;
    const stdout = {
      async write() {
        const own = JSON.parse(readFileSync(lock, 'utf8'));
        writeFileSync(
          lock,
          JSON.stringify({ ...own, host: 'elsewhere', token: '0123456789abcdef' }),
        );
      },
    };
    // A minute passes before each request.
    const argv = create(path, '--jobs', '1', '--rate', '1/1m');
    const { code, stderr } = await emulator.run(argv, { stdout });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/was taken away by .* on elsewhere/)]);
    expect(await posts(emulator)).toBeLessThan(4);
    expect(readFileSync(ledgerOf(path), 'utf8')).not.toContain('"line":4');
    expect(readFileSync(lock, 'utf8')).toContain('elsewhere');
  });
});
