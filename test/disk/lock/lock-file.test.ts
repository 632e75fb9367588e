import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { isAlive, pidSpace, processStart } from '../../../src/disk/lock/lock-file.ts';
import { lacks } from '../../helpers/platform.ts';
import { start } from './children.ts';

describe('a process', () => {
  it('is alive until it has ended', async () => {
    const child = start(process.execPath, '-e', 'setTimeout(() => {}, 60_000)');
    const pid = child.process.pid ?? 0;
    const started = await processStart(pid);
    expect(await isAlive(pid, started)).toBe(true);
    expect(await isAlive(pid, undefined)).toBe(true);
    child.process.kill('SIGKILL');
    await child.ended;
    expect(await isAlive(pid, started)).toBe(false);
    expect(await isAlive(pid, undefined)).toBe(false);
    expect(await processStart(pid)).toBeUndefined();
  });

  it('is known by the hour of the boot on Windows, also when the clock is corrected, or /proc is of another system', async () => {
    const clock = vi.spyOn(Date, 'now');
    for (const minutes of [0, -29, 29]) {
      clock.mockReturnValue((uptime() + 60 * minutes) * 1000);
      expect(await pidSpace('win32')).toBe(`${hostname()} booted 0`);
    }
    clock.mockRestore();
    expect(await processStart(process.pid, 'win32')).toBeUndefined();
  });

  it.skipIf(lacks('permissions'))('that belongs to somebody else is alive', async () => {
    expect(await isAlive(1, await processStart(1))).toBe(true);
  });

  it.skipIf(lacks('procfs'))('is not an earlier process with the same number', async () => {
    expect(await processStart(process.pid)).toMatch(/^\d+$/);
    expect(await isAlive(process.pid, '1')).toBe(false);
  });

  it.skipIf(lacks('procfs', 'posixShell'))(
    'is dead when only its parent does not know',
    async () => {
      // The parent becomes another program, which never waits for its child.
      const parent = start('sh', '-c', 'sleep 60 & echo $!; exec sleep 60');
      const pid = Number(await parent.line());
      const started = await processStart(pid);
      expect(await isAlive(pid, started)).toBe(true);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'latin1')).toContain(') Z ');
      expect(await isAlive(pid, started)).toBe(false);
      parent.process.kill('SIGKILL');
      await parent.ended;
    },
  );

  it('knows where its number means something', async () => {
    expect(await pidSpace()).toBe(await pidSpace());
    expect(await pidSpace()).not.toBe('');
  });
});
