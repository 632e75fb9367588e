import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { sharedDirectory } from '../helpers/temporary.ts';
import { program, shell } from './program.ts';

const CHAOS = fileURLToPath(new URL('../../scripts/bulk-chaos.mjs', import.meta.url));

const folder = sharedDirectory();
const inShell = it.skipIf(lacks('posixShell'));

function fileOf(name: string, count: number): string {
  const path = join(folder, name);
  const line = (place: number) => `{"prefix":"10.5072","titles":[{"title":"number ${place}"}]}\n`;
  writeFileSync(path, Array.from({ length: count }, (_, place) => line(place + 1)).join(''));
  return path;
}

describe('a run over many records', () => {
  it('that loses answers and is killed creates and publishes each of them once', async () => {
    // A short version of `npm run chaos`.
    const argv = ['--records', '120', '--kills', '1', '--latest', '700'];
    const { stdout } = await promisify(execFile)(process.execPath, [CHAOS, ...argv]);
    expect(JSON.parse(stdout)).toMatchObject({
      kills: 1,
      held: 120,
      distinctTitles: 120,
      inOrder: true,
      differences: 0,
      published: { kills: 1, findable: 120, inOrder: true },
    });
  });

  it.skipIf(lacks('signals'))('stops though an answer does not come, and goes on', async () => {
    const { env, run, control } = await emulate({ records: 0, faults: ['stall@20,21'] });
    const options = '--rate 50/1s --jobs 4'.split(' ');
    const argv = ['dois', 'create', '--file', fileOf('stopped.ndjson', 100), ...options];
    const stopped = await program([...argv, '--timeout', '1h'], {
      env,
      during: (child) =>
        child.stdout?.once('data', () => setTimeout(() => child.kill('SIGINT'), 300)),
    });
    expect(stopped).toMatchObject({ code: 130, signal: null });
    expect(stopped.stderr).toMatch(
      /^error: stopped: \d+ of 100 records are done\nhint: the same command again continues\n$/,
    );
    const had = stopped.stdout.split('\n').length - 1;
    expect(had).toBeGreaterThan(0);
    expect(had).toBeLessThan(100);
    await control('faults', { faults: [] });
    const again = await run([...argv, '--rate', '1000/1s']);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(again.stdout.startsWith(stopped.stdout)).toBe(true);
    expect((await run(['dois', 'list', '--count', '--mine'])).stdout).toBe('100\n');
  });

  inShell('says what is left when the reader of its results has gone', async () => {
    const { env, run } = await emulate({ records: 0 });
    const file = fileOf('pipe.ndjson', 300);
    const line = `doi-cli dois create --file '${file}' --rate 100/1s`;
    const { code, stdout, stderr } = await shell(`set -o pipefail; ${line} | head -n 2`, { env });
    expect([code, stdout.split('\n').length]).toEqual([3, 3]);
    expect(stderr).toMatch(
      /^error: stopped: \d+ of 300 records are done\nhint: the same command again continues\n$/,
    );
    const { stdout: count } = await run(['dois', 'list', '--count', '--mine']);
    expect(Number(count)).toBeLessThan(300);
  });

  inShell('says so where the DOIs are named on the command line', async () => {
    const { env, run } = await emulate({ records: 0 });
    const dois = Array.from({ length: 20 }, (_, at) => `10.5072/drop-${at}`);
    const stdin = dois.map((doi) => `${JSON.stringify({ doi })}\n`).join('');
    expect((await run(['dois', 'create', '--file', '-'], { stdin })).code).toBe(0);
    const line = `doi-cli dois delete ${dois.join(' ')} --yes`;
    const { code, stderr } = await shell(`set -o pipefail; ${line} | true`, { env });
    expect([code, stderr]).toEqual([3, /^error: stopped: \d+ of 20 DOIs were deleted\n$/]);
  });

  it('locks its file', async () => {
    const { env, run } = await emulate({ records: 0 });
    const file = fileOf('locked.ndjson', 100);
    const argv = ['dois', 'create', '--file', file, '--rate'];
    let second: Promise<unknown> | undefined;
    await program([...argv, '5/1s'], {
      env,
      during: (child) =>
        child.stdout?.once('data', () => {
          second = run([...argv, '1000/1s']).finally(() => child.kill('SIGKILL'));
        }),
    });
    expect(await second).toMatchObject({ code: 2, stderr: /create-ledger is in use by/ });
    // The lock of a process that is gone is no obstacle.
    expect(await run([...argv, '1000/1s'])).toMatchObject({ code: 0 });
    expect((await run(['dois', 'list', '--count', '--mine'])).stdout).toBe('100\n');
  });

  it('of more than 100,000 records is as slow as the service asks', async () => {
    const { run } = await emulate({ records: 0 });
    const file = fileOf('large.ndjson', 100_001);
    const argv = ['dois', 'create', '--no-validate', '--file', file];
    const env = { DOI_CLI_PASSWORD: 'wrong' };
    const { code, stderr } = await run(argv, { env });
    expect(code).toBe(4);
    expect(stderr).toMatch(
      /^100,001 records: at most 500 requests in five minutes, as the service asks/m,
    );
    expect((await run([...argv, '--rate', '1/1s'], { env })).stderr).not.toContain('five minutes');
  });

  it('from stdin is kept where it survives a kill', async () => {
    const { env, run } = await emulate({ records: 0 });
    const stdin = readFileSync(fileOf('stdin.ndjson', 100), 'utf8');
    const killed = await program(['dois', 'create', '--file', '-', '--rate', '20/1s'], {
      env: { ...env, TMPDIR: folder },
      stdin,
      during: (child) =>
        child.stdout?.once('data', () => setTimeout(() => child.kill('SIGKILL'), 300)),
    });
    expect(killed.signal).toBe('SIGKILL');
    const [, kept = ''] = /kept in (\S+)/.exec(killed.stderr) ?? [];
    const { code, stderr } = await run(['dois', 'create', '--file', kept, '--rate', '1000/1s']);
    expect([code, stderr]).toEqual([0, /^100 records .* done before/]);
    expect((await run(['dois', 'list', '--count', '--mine'])).stdout).toBe('100\n');
  });
});
