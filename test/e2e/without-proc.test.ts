// The program without /proc, as on macOS and Windows: a mount hides it.
import { spawn } from 'node:child_process';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { linesIn, newDirectory, sortedLines } from '../harvest/copy-on-disk.ts';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { cleanEnv, finish, PROGRAM, type SpawnOptions } from './program.ts';

const HIDDEN = ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /proc && exec "$@"', 'sh'];

function program(argv: readonly string[], options: SpawnOptions) {
  const words = [...HIDDEN, process.execPath, PROGRAM, ...argv];
  return finish(spawn('unshare', words, { env: cleanEnv(options.env), stdio: 'pipe' }), options);
}

/**
 * A copy on disk whose lock is that of a process of another boot, as this machine's name tells it.
 */
async function locked() {
  const emulator = await emulate();
  const dir = newDirectory();
  const harvest = (options: Partial<SpawnOptions> = {}) =>
    program(['dois', 'harvest', '--dir', dir], { env: emulator.env, ...options });
  expect((await harvest()).code).toBe(0);
  const lock = join(dir, '_harvest', 'lock');
  const owner = { host: hostname(), pid: process.pid, startedAt: '2026-01-01T00:00:00.000Z' };
  const identity = { space: `${hostname()} booted 1`, processStart: null, token: 'a'.repeat(16) };
  writeFileSync(lock, JSON.stringify({ ...owner, ...identity }));
  return { harvest, lock };
}

const aged = (path: string, seconds: number) =>
  utimesSync(path, Date.now() / 1000, Date.now() / 1000 - seconds);

describe.skipIf(lacks('linux', 'namespaces'))('without /proc', () => {
  it('a harvest that was killed goes on, and is complete', async () => {
    const emulator = await emulate({ records: 1000, latencyMs: 20 });
    const dir = newDirectory();
    const harvest = ['dois', 'harvest', '--dir', dir, '--page-size', '20', '--rate', '1000/1s'];
    const killed = await program(harvest, {
      env: emulator.env,
      during: async (child) => {
        while ((await emulator.log()).length < 15)
          await new Promise((resolve) => setTimeout(resolve, 10));
        child.kill('SIGKILL');
      },
    });
    expect(killed.signal).toBe('SIGKILL');
    const { code, stderr } = await program(harvest, { env: emulator.env });
    expect(code, stderr).toBe(0);
    expect(linesIn(dir)).toEqual(
      sortedLines((await emulator.run(['dois', 'list', '--all'])).stdout),
    );
    expect(readdirSync(join(dir, '_harvest')).filter((name) => name.startsWith('lock'))).toEqual(
      [],
    );
  });

  // It watches for a beat for 25 seconds.
  it('a lock from before a power cut is taken over, though its number is in use', async () => {
    const { harvest, lock } = await locked();
    aged(lock, 61);
    const { code, stderr } = await harvest();
    expect(code, stderr).toBe(0);
  });

  it('the lock of a living process on another machine of the same name is left alone', async () => {
    const { harvest, lock } = await locked();
    const beat = setInterval(() => aged(lock, 0), 200);
    onTestFinished(() => clearInterval(beat));
    const { code, stderr } = await harvest();
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`is in use by process ${process.pid}`),
    ]);
  });
});
