import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ledgerIn, linesIn, newDirectory, sortedLines } from '../harvest/copy-on-disk.ts';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { program } from './program.ts';

const CHAOS = fileURLToPath(new URL('../../scripts/chaos.mjs', import.meta.url));

interface Summary {
  readonly kills: number;
  readonly exits: Readonly<Record<string, number>>;
  readonly identical: boolean;
  readonly verdict: string;
  readonly lines: number;
  readonly files: number;
}

async function chaos(...argv: readonly string[]): Promise<Summary> {
  // A short version of `npm run chaos`.
  const scale = '--records 1200 --kills 2 --page-size 50 --latest 600 --share 0.03'.split(' ');
  const { stdout } = await promisify(execFile)(process.execPath, [CHAOS, ...scale, ...argv]);
  return JSON.parse(stdout) as Summary;
}

describe.skipIf(lacks('posixShell', 'coreutils'))(
  'a harvest under every fault, killed again and again',
  () => {
    it('has the records of an undisturbed list, byte for byte', async () => {
      const { exits, files, ...summary } = await chaos('--gzip');
      const right = { identical: true, verdict: 'complete', lines: 1200 };
      expect(summary).toMatchObject({ ...right, kills: 2 });
      expect(files).toBeGreaterThan(2);
      expect(['0', '3', '4', '5', 'SIGKILL']).toEqual(expect.arrayContaining(Object.keys(exits)));
    });
  },
);

describe('a list by several cursors', () => {
  const FAULTS = '500 502 504 reset truncate truncate-gzip stall'.split(' ');
  const LIST = 'dois list --all --page-size 50'.split(' ');

  it('is that of one cursor, byte for byte, under faults, also when it is killed', async () => {
    const { env, run, control, log } = await emulate({ records: 1200, latencyMs: 10 });
    const whole = (await run([...LIST, '--jobs', '1'])).stdout;
    await control('faults', { faults: FAULTS.map((kind) => `${kind}:0.02`) });
    const wide = [...LIST, ...'--jobs 8 --rate 1000/1s --timeout 1s --retries 5'.split(' ')];
    for (const isKilled of [false, true]) {
      const before = (await log()).length;
      const { code, stdout } = await program(wide, {
        env,
        during: async (child) => {
          if (!isKilled) return;
          while (child.exitCode === null && (await log()).length < before + 16) await sleep(5);
          child.kill('SIGKILL');
        },
      });
      expect(code).toBeOneOf(isKilled ? [0, null] : [0]);
      if (code === 0) expect(stdout === whole).toBe(true);
      // A kill may cut a character.
      expect(whole.startsWith(stdout.replace(/\uFFFD$/, ''))).toBe(true);
    }
    expect((await log()).some(({ path }) => path.includes('query=created'))).toBe(true);
  });
});

describe('a harvest that is asked to stop', () => {
  it.skipIf(lacks('signals'))('ends though no answer comes, and goes on', async () => {
    const { env, control, log, run } = await emulate({ records: 3000, faults: ['stall@61+'] });
    const dir = newDirectory();
    const words = 'dois harvest --jobs 4 --page-size 25 --rate 1000/1s --gzip --dir'.split(' ');
    const argv = [...words, dir];
    const stopped = await program([...argv, '--timeout', '1h'], {
      env,
      during: async (child) => {
        // Well into the pages, however slow the machine is.
        while (child.exitCode === null && (await log()).length < 60) await sleep(20);
        child.kill('SIGTERM');
      },
    });
    expect(stopped).toMatchObject({ code: 143, signal: null });
    const had =
      ledgerIn(dir).generations[0]?.windows.reduce((sum, { records }) => sum + records, 0) ?? 0;
    expect(had).toBeGreaterThan(0);
    expect(had).toBeLessThan(3000);
    expect(linesIn(dir)).toHaveLength(had);
    await control('faults', { faults: [] });
    expect(await run(argv)).toMatchObject({ code: 0 });
    expect(linesIn(dir)).toEqual(sortedLines((await run(['dois', 'list', '--all'])).stdout));
  });
});
