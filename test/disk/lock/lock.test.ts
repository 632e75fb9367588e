import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { renameFile } from '../../../src/disk/atomic-file.ts';
import { acquireLock, withFileLock } from '../../../src/disk/lock/lock.ts';
import {
  type LockFile,
  pidSpace,
  processStart,
  readLock,
} from '../../../src/disk/lock/lock-file.ts';
import { lacks } from '../../helpers/platform.ts';
import { sharedDirectory, temporaryDirectory } from '../../helpers/temporary.ts';
import { type Child, compiled, start } from './children.ts';

const folder = sharedDirectory();
let locker: string;
beforeAll(async () => {
  locker = await compiled('locker', folder);
});

const me = { host: hostname(), pid: process.pid };
const place = () => join(temporaryDirectory(), 'lock');

async function content(change: Partial<LockFile> = {}): Promise<string> {
  return JSON.stringify({
    ...me,
    startedAt: '2026-01-01T00:00:00.000Z',
    space: await pidSpace(),
    processStart: (await processStart(me.pid)) ?? null,
    token: '0123456789abcdef',
    ...change,
  });
}

const elsewhere = (change: Partial<LockFile> = {}) =>
  content({ host: 'node7', space: 'node7 boot pid', processStart: '1', ...change });
const aged = (path: string, seconds: number) =>
  utimesSync(path, Date.now() / 1000, Date.now() / 1000 - seconds);

describe('a lock', () => {
  it('names its owner, refuses others and goes', async () => {
    const path = place();
    const lock = await acquireLock(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(me);
    const { startedAt } = JSON.parse(readFileSync(path, 'utf8')) as LockFile;
    await expect(acquireLock(path)).rejects.toMatchObject({
      kind: 'usage',
      message: `this directory is in use by process ${me.pid} on ${me.host}, running since ${startedAt}`,
      hint: expect.stringContaining(path),
    });
    await lock.check();
    await lock.release();
    await lock.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
    await (await acquireLock(path)).release();
  });

  it('is taken over from a process that was killed', async () => {
    const path = place();
    const child = start(process.execPath, locker, path);
    child.process.stdin?.write('go\n');
    await child.line();
    expect(await child.line()).toBe(`held ${child.process.pid}`);
    child.process.kill('SIGKILL');
    // Do not wait for its end.
    const lock = await acquireLock(path);
    expect(await readLock(path)).toMatchObject(me);
    expect(readdirSync(join(path, '..'))).toEqual(['lock']);
    await lock.release();
    await child.ended;
  });

  it.skipIf(lacks('procfs'))(
    'is taken over from a process whose number another one has now',
    async () => {
      const path = place();
      writeFileSync(path, await content({ processStart: '1' }));
      await (await acquireLock(path)).release();
    },
  );

  it('is taken over when a process died while it took it over', async () => {
    const path = place();
    const dead = { pid: 2 ** 30, processStart: '1' };
    writeFileSync(path, await content({ ...dead, token: 'a'.repeat(16) }));
    writeFileSync(`${path}.${'a'.repeat(16)}`, await content({ ...dead, token: 'b'.repeat(16) }));
    const lock = await acquireLock(path);
    expect(await readLock(path)).toMatchObject(me);
    expect(readdirSync(join(path, '..'))).toEqual(['lock']);
    await lock.release();
  });

  it('of another host is taken over when it was not touched for a minute', async () => {
    const path = place();
    writeFileSync(path, await elsewhere());
    aged(path, 61);
    const onWait = vi.fn();
    await (await acquireLock(path, { onWait })).release();
    expect(onWait).not.toHaveBeenCalled();
  });

  it('of another host is taken over after waiting for a sign of life', async () => {
    const path = place();
    writeFileSync(path, await elsewhere());
    aged(path, 58);
    const onWait = vi.fn();
    const begun = Date.now();
    const lock = await acquireLock(path, { onWait });
    expect(onWait).toHaveBeenCalledTimes(1);
    expect(onWait.mock.calls[0]?.[0]).toMatchObject({ host: 'node7', pid: me.pid });
    const waitMs: number = onWait.mock.calls[0]?.[1];
    expect(waitMs).toBeLessThan(2100);
    // It must not look as old as the wait took.
    expect((await readLock(path))?.mtimeMs).toBeGreaterThan(begun + waitMs / 2);
    await lock.release();
  });

  it('of another host is refused when it is touched', async () => {
    const path = place();
    writeFileSync(path, await elsewhere());
    aged(path, 30);
    const attempt = acquireLock(path, { onWait: () => aged(path, 0) });
    await expect(attempt).rejects.toMatchObject({ kind: 'usage', message: /on node7/ });
    expect(readdirSync(join(path, '..'))).toEqual(['lock']);
  });

  it('of another host is not waited for after an interrupt', async () => {
    const path = place();
    writeFileSync(path, await elsewhere());
    const abort = new AbortController();
    const reason = new Error('interrupted');
    const attempt = acquireLock(path, { signal: abort.signal, onWait: () => abort.abort(reason) });
    await expect(attempt).rejects.toBe(reason);
    expect(readdirSync(join(path, '..'))).toEqual(['lock']);
  });

  // Where the system reports no start of a process, as on macOS and Windows.
  describe.each([
    ['whose clock was set forward', 'booted at another hour'],
    ['whose number another process has by now', undefined],
  ])('of an owner on this host %s', (_, space) => {
    const unidentified = async (path: string, seconds: number) => {
      writeFileSync(path, await content({ processStart: null, ...(space && { space }) }));
      aged(path, seconds);
    };

    it('is left alone when a beat comes', async () => {
      const path = place();
      await unidentified(path, 3700);
      const attempt = acquireLock(path, { watchMs: 5000, onWait: () => aged(path, 0) });
      await expect(attempt).rejects.toMatchObject({ message: /is in use by/ });
    });

    it('is taken over when none comes', async () => {
      const path = place();
      await unidentified(path, 3700);
      const onWait = vi.fn();
      await (await acquireLock(path, { watchMs: 300, onWait })).release();
      expect(onWait.mock.calls.map(([owner, mostMs]) => [owner.pid, mostMs])).toEqual([
        [me.pid, 300],
      ]);
    });
  });

  it('of an owner whose clock was set back is waited for, not refused for ever', async () => {
    const path = place();
    writeFileSync(path, await content({ processStart: null }));
    aged(path, -3700);
    const abort = new AbortController();
    const onWait = vi.fn(() => abort.abort(new Error('waited')));
    await expect(acquireLock(path, { signal: abort.signal, onWait })).rejects.toThrow('waited');
    expect(onWait.mock.calls[0]).toEqual([expect.objectContaining({ pid: me.pid }), 60_000]);
  });

  it('shows again and again that its owner is alive', async () => {
    const path = place();
    const lock = await acquireLock(path, { beatMs: 20 });
    aged(path, 1000);
    await vi.waitFor(
      async () => expect(Date.now() - ((await readLock(path))?.mtimeMs ?? 0)).toBeLessThan(500),
      60_000,
    );
    await lock.release();
  });

  it('tells its owner when it was taken away, and leaves it to the new one', async () => {
    const path = place();
    const lock = await acquireLock(path, { beatMs: 20 });
    // What a process does that takes the owner for dead.
    const other = await elsewhere();
    writeFileSync(`${path}.new`, other);
    await renameFile(`${path}.new`, path);
    await vi.waitFor(() => expect(lock.lost.aborted).toBe(true), 120_000);
    expect(lock.lost.reason).toMatchObject({ kind: 'incomplete', message: /node7/ });
    await expect(lock.check()).rejects.toMatchObject({ kind: 'incomplete' });
    rmSync(path);
    await expect(lock.check()).rejects.toMatchObject({ message: /was deleted/ });
    writeFileSync(path, other);
    await lock.release();
    expect(readFileSync(path, 'utf8')).toBe(other);
  });

  it.skipIf(lacks('posixShell', 'devices'))(
    'that is no file is refused, and not waited for',
    async () => {
      for (const type of ['mkfifo', 'ln -s /dev/zero', 'ln -s nowhere', 'mkdir']) {
        const path = place();
        execFileSync('sh', ['-c', `${type} "$0"`, path]);
        await expect(acquireLock(path)).rejects.toMatchObject({
          message: expect.stringContaining(path),
        });
      }
    },
  );

  it.each(['', '{}', '[1]', '{"token":"../../x"}'])(
    'that reads %j is nobody’s to remove',
    async (text) => {
      const path = place();
      writeFileSync(path, text);
      await expect(acquireLock(path)).rejects.toMatchObject({
        kind: 'usage',
        message: /not a lock file/,
      });
      expect(existsSync(path)).toBe(true);
    },
  );

  it('in a folder that is not there is an error that names it', async () => {
    const path = join(temporaryDirectory(), 'missing', 'lock');
    await expect(acquireLock(path)).rejects.toMatchObject({
      kind: 'output',
      message: expect.stringContaining(path),
    });
  });
});

describe('a file that is changed under a lock', () => {
  it('loses no change, also after a process that was killed', async () => {
    const file = place();
    writeFileSync(file, '');
    writeFileSync(`${file}.lock`, await content({ pid: 2 ** 30, processStart: '1' }));
    // A stop ends no change that does not have to wait long: an undo may be one. Here no time
    // passes.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const host = { signal: AbortSignal.abort(new Error('stopped')), note: () => undefined };
    const add = (name: string) =>
      withFileLock(host, file, async () => {
        const before = readFileSync(file, 'utf8');
        await sleep(5);
        writeFileSync(file, before + name);
      });
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(add));
    expect([...readFileSync(file, 'utf8')].sort().join('')).toBe('abcdef');
    expect(readdirSync(join(file, '..'))).toEqual(['lock']);
  });
});

/** Makes a process find that its file system has no hard links. */
const WITHOUT_LINKS = `import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
fs.link = () => Promise.reject(Object.assign(new Error('EPERM: link'), { code: 'EPERM' }));
syncBuiltinESMExports();`;

describe.each([
  ['with', []],
  ['without', ['--import', `data:text/javascript,${encodeURIComponent(WITHOUT_LINKS)}`]],
])('many processes at once, on a file system %s links', (_, preload) => {
  const PROCESSES = 12;

  async function race(path: string): Promise<string[]> {
    const children: Child[] = Array.from({ length: PROCESSES }, () =>
      start(process.execPath, ...preload, locker, path),
    );
    await Promise.all(children.map((child) => child.line()));
    for (const child of children) child.process.stdin?.write('go\n');
    const results = await Promise.all(children.map((child) => child.line()));
    const owner = await readLock(path);
    expect(results.filter((result) => result.startsWith('held'))).toEqual([`held ${owner?.pid}`]);
    for (const child of children) child.process.stdin?.end();
    await Promise.all(children.map((child) => child.ended));
    expect(readdirSync(join(path, '..'))).toEqual([]);
    return results;
  }

  it('are refused but one', async () => {
    const results = await race(place());
    expect(
      results.filter((result) => result.startsWith('refused this directory is in use by')),
    ).toHaveLength(PROCESSES - 1);
  });

  it('are refused but one where a dead owner left its lock', async () => {
    const path = place();
    writeFileSync(path, await content({ pid: 2 ** 30, processStart: '1' }));
    await race(path);
  });
});

describe('many owners in one process', () => {
  it('never hold it together, however often it is taken, given back or taken over', async () => {
    const path = place();
    const elsewhereFolder = temporaryDirectory();
    const holder = join(elsewhereFolder, 'holder');
    let inside = 0;
    let taken = 0;
    const until = Date.now() + 1000;
    const worker = async (seed: number) => {
      for (let turn = seed; taken <= 50 || Date.now() < until; turn += 1) {
        try {
          const lock = await acquireLock(path);
          expect(inside).toBe(0);
          inside += 1;
          taken += 1;
          writeFileSync(holder, `${seed}`);
          await sleep(turn % 3);
          expect(readFileSync(holder, 'utf8')).toBe(`${seed}`);
          inside -= 1;
          // Every other owner dies: its lock names a process that does not exist.
          if (turn % 2 === 0) await lock.release();
          else {
            const dead = join(elsewhereFolder, `${taken}`);
            writeFileSync(
              dead,
              await content({ pid: 2 ** 30, token: `${taken}`.padStart(16, '0') }),
            );
            await renameFile(dead, path);
            await lock.release();
          }
        } catch (error) {
          if (!/in use by/.test((error as Error).message)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, seed) => worker(seed)));
    expect(taken).toBeGreaterThan(50);
  });
});
