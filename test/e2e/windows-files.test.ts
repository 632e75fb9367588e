// The program on a file system with the habits of Windows, which a preloaded library gives it, see
// test/fixtures/windows-files.c. With them it takes itself to be on Windows.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compiled } from '../disk/lock/children.ts';
import { linesIn, newDirectory, partsIn, sortedLines } from '../harvest/copy-on-disk.ts';
import { AS_WINDOWS } from '../helpers/as-windows.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { sharedDirectory, temporaryDirectory } from '../helpers/temporary.ts';
import { program } from './program.ts';

const folder = sharedDirectory();
const library = join(folder, 'windows-files.so');

/**
 * A state for the processes of one test, and what gives them the file system; without `links`, also
 * FAT's.
 */
function habits({ links = true } = {}): Record<string, string> {
  const state = temporaryDirectory();
  for (const name of ['pids', 'removed']) mkdirSync(join(state, name));
  return { LD_PRELOAD: library, WINDOWS_STATE: state, ...(links ? {} : { NO_LINKS: '1' }) };
}

const windows = (options?: Parameters<typeof habits>[0]) => ({ ...habits(options), ...AS_WINDOWS });

/**
 * Opens the files of a folder one after another, each for some milliseconds, as a virus scanner
 * does.
 */
const SCANNER = `const { closeSync, openSync, readdirSync, statSync } = require('node:fs');
const [folder] = process.argv.slice(1);
(async () => {
  for (;;) {
    for (const name of readdirSync(folder, { recursive: true })) {
      try {
        const file = folder + '/' + name;
        if (statSync(file).isDirectory()) continue;
        const opened = openSync(file, 'r');
        await new Promise((resolve) => setTimeout(resolve, 5));
        closeSync(opened);
      } catch {}
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
})();`;

function scan(at: string, env: Record<string, string>): void {
  const child = spawn(process.execPath, ['-e', SCANNER, at], { env, stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  });
}

const list = async ({ run }: TestEmulator) =>
  sortedLines((await run(['dois', 'list', '--all'])).stdout);

describe.skipIf(lacks('linux', 'procfs', 'compiler'))(
  'on a file system like that of Windows',
  () => {
    beforeAll(() => {
      const source = 'test/fixtures/windows-files.c';
      execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
    });

    it('other rules hold than here', () => {
      const file = join(temporaryDirectory(), 'a');
      const attempts = `const fs = require('node:fs');
      const [a, b] = [process.argv[1], process.argv[1] + 'b'];
      const told = (action) => { try { action(); return 'ok'; } catch ({ code }) { return code; } };
      fs.writeFileSync(b, '');
      const opened = fs.openSync(a, 'a+');
      const while_open = [() => fs.ftruncateSync(opened, 0), () => fs.truncateSync(a, 0),
        () => fs.renameSync(b, a), () => fs.linkSync(b, a + 'c'), () => fs.unlinkSync(a),
        () => fs.statSync(a), () => fs.openSync(a, 'wx')];
      console.log(while_open.map(told).join(' '));
      fs.closeSync(opened);
      console.log([() => fs.statSync(a), () => fs.renameSync(b, a)].map(told).join(' '));`;
      const env = habits({ links: false });
      expect(
        execFileSync(process.execPath, ['-e', attempts, file], { env, encoding: 'utf8' }),
      ).toBe('EPERM ok EPERM EPERM ok EPERM EPERM\nENOENT ok\n');
    });

    it('a harvest without hard links is complete, also behind a torn write and while a scanner opens its files', async () => {
      const emulator = await emulate({ records: 600 });
      const dir = newDirectory();
      mkdirSync(dir);
      const env = { ...emulator.env, ...windows({ links: false }) };
      scan(dir, env);
      const harvest = ['dois', 'harvest', '--dir', dir, '--page-size', '20', '--rate', '1000/1s'];
      await emulator.control('faults', { faults: ['502@20+'] });
      const stopped = await program([...harvest, '--retries', '0', '--jobs', '2'], { env });
      expect(stopped.code, stopped.stderr).toBe(5);
      for (const name of partsIn(dir)) appendFileSync(join(dir, 'data', name), '{"id":"torn');
      await emulator.control('faults', { faults: [] });
      const ended = await program(harvest, { env });
      expect(ended.code, ended.stderr).toBe(0);
      const status = await emulator.run(['dois', 'harvest', 'status', '--check', '--dir', dir]);
      expect(status.code, status.stderr).toBe(0);
      expect(linesIn(dir)).toEqual(await list(emulator));
      expect(readdirSync(join(dir, '_harvest')).filter((name) => name.startsWith('lock'))).toEqual(
        [],
      );
      const compact = await program(['dois', 'harvest', 'compact', '--dir', dir], { env });
      expect(compact.code, compact.stderr).toBe(0);
    });

    it('a bulk run starts, and goes on behind a torn write', async () => {
      const emulator = await emulate({ records: 0 });
      const file = join(temporaryDirectory(), 'records.ndjson');
      const records = Array.from({ length: 40 }, (_, at) => ({
        prefix: '10.5072',
        titles: [{ title: `${at}` }],
      }));
      writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      const env = { ...emulator.env, ...windows() };
      const create = ['dois', 'create', '--file', file, '--rate', '1000/1s', '--jobs', '2'];
      await emulator.control('faults', { faults: ['502@20+'] });
      const stopped = await program([...create, '--retries', '0'], { env });
      expect(stopped.code, stopped.stderr).toBe(5);
      const ledger = `${file}.create-ledger`;
      appendFileSync(ledger, '{"torn');
      await emulator.control('faults', { faults: [] });
      const ended = await program(create, { env });
      expect(ended.code, ended.stderr).toBe(0);
      expect(readFileSync(ledger, 'utf8')).not.toContain('torn');
      expect((await emulator.run(['dois', 'list', '--count', '--mine'])).stdout).toBe('40\n');
    });

    it('on Linux too, a disk without hard links is good enough', async () => {
      const emulator = await emulate({ records: 30 });
      const env = { ...emulator.env, LD_PRELOAD: library, NO_LINKS: '1' };
      const at = temporaryDirectory();
      writeFileSync(join(at, 'records.ndjson'), '{"prefix":"10.5072","titles":[{"title":"a"}]}\n');
      for (const argv of [
        ['dois', 'harvest', '--dir', join(at, 'copy')],
        ['dois', 'create', '--file', join(at, 'records.ndjson')],
      ]) {
        const { code, stderr } = await program(argv, { env });
        expect(code, `${argv.join(' ')}\n${stderr}`).toBe(0);
      }
    });

    it('of many harvests at once one works, and the others say so', async () => {
      const emulator = await emulate({ records: 300 });
      const env = { ...emulator.env, ...windows() };
      const dir = newDirectory();
      mkdirSync(dir);
      scan(dir, env);
      const harvest = ['dois', 'harvest', '--dir', dir, '--page-size', '20', '--rate', '1000/1s'];
      const ended = await Promise.all(Array.from({ length: 3 }, () => program(harvest, { env })));
      for (const { code, stderr } of ended) {
        expect(code, stderr).toBeOneOf([0, 2]);
        if (code === 2) expect(stderr).toContain('is in use by process');
      }
      expect(ended.some(({ code }) => code === 0)).toBe(true);
      expect(linesIn(dir).length).toBeGreaterThan(250);
    });

    it('a lock that is given back can be taken at once', async () => {
      const path = join(temporaryDirectory(), 'lock');
      const looper = await compiled('again-and-again', folder);
      const env = windows();
      scan(dirname(path), env);
      const loop = () => promisify(execFile)(process.execPath, [looper, path, '15'], { env });
      for (const { stdout } of await Promise.all([loop(), loop(), loop()]))
        expect(stdout).toBe('done\n');
    });

    it('settings that many runs change at once keep every change', async () => {
      const env = { ...windows(), DOI_CLI_CONFIG_DIR: temporaryDirectory() };
      scan(env.DOI_CLI_CONFIG_DIR, env);
      const names = Array.from({ length: 4 }, (_, at) => `p${at}`);
      const ended = await Promise.all(
        names.map((name) =>
          program(['config', 'set', 'repository', 'A.B', '--profile', name], { env }),
        ),
      );
      for (const { code, stderr } of ended) expect(code, stderr).toBe(0);
      const { stdout } = await program(['config', 'list', '--format', 'json'], { env });
      for (const name of names) expect(stdout).toContain(`"${name}"`);
    });

    it('secrets are stored while somebody reads the folders', async () => {
      const emulator = await emulate({ records: 30 });
      const at = temporaryDirectory();
      const env = { ...emulator.env, ...windows(), DOI_CLI_CONFIG_DIR: at };
      scan(at, env);
      for (const [argv, stdin = ''] of [
        [
          ['auth', 'login', '--repository', REPOSITORY, '--password-stdin', '--insecure-file'],
          PASSWORD,
        ],
        [['auth', 'logout', '--repository', REPOSITORY]],
      ] as const) {
        const { code, stderr } = await program(argv, { env, stdin });
        expect(code, `${argv.join(' ')}\n${stderr}`).toBe(0);
      }
    });

    it('an --out file is replaced while somebody reads the old one', async () => {
      const emulator = await emulate();
      const env = { ...emulator.env, ...windows() };
      const at = temporaryDirectory();
      const out = join(at, 'dois.ndjson');
      writeFileSync(out, 'old\n');
      scan(at, env);
      const { code, stderr } = await program(['dois', 'list', '--all', '--out', out], { env });
      expect(code, stderr).toBe(0);
      expect(sortedLines(readFileSync(out, 'utf8'))).toEqual(await list(emulator));
      expect(readdirSync(at)).toEqual(['dois.ndjson']);
    });
  },
);
