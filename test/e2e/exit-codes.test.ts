import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AS_WINDOWS } from '../helpers/as-windows.ts';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { run } from '../helpers/run.ts';
import { interposed, type Verdict } from './interposed.ts';
import { program, type SpawnOptions, shell } from './program.ts';
import { onTerminal } from './terminal.ts';

const withSignals = it.skipIf(lacks('signals'));
const inShell = it.skipIf(lacks('posixShell', 'coreutils'));
const onFullDevice = it.skipIf(lacks('posixShell', 'fullDevice'));

/** Sends a signal after the program's first output. */
const whenItPrints = (signal: NodeJS.Signals) => (child: ChildProcess) =>
  child.stdout?.once('data', () => child.kill(signal));

/**
 * Runs the creation of a key, which one signal does not stop, and sends one while its answer is
 * awaited. The program sends itself the second one `pauseMs` later, because one from another process
 * may be late on a busy machine. Without a pause, its clock stands still between the two.
 */
async function interruptedTwice(signal: NodeJS.Signals, pauseMs: number, verdict: Verdict) {
  const emulator = await emulate();
  let child: ChildProcess | undefined;
  const baseUrl = await interposed(emulator.baseUrl, async (method): Promise<Verdict> => {
    if (method !== 'POST') return 'pass';
    const reacted = new Promise((resolve) => child?.stderr?.once('data', resolve));
    child?.kill(signal);
    await reacted;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return verdict;
  });
  const kill = `()=>process.kill(process.pid,'${signal}')`;
  const stopClock = pauseMs === 0 ? 'const t=performance.now();performance.now=()=>t;' : '';
  const again = `process.once('${signal}',()=>{${stopClock}setTimeout(${kill},${pauseMs})})`;
  const preloaded = `--import data:text/javascript,${encodeURIComponent(again)}`;
  return program(['keys', 'create', '--name', 'a', '--key-only'], {
    env: { ...emulator.env, DOI_CLI_BASE_URL: baseUrl, NODE_OPTIONS: preloaded },
    during: (running) => {
      child = running;
    },
  });
}

describe('the exit code of the built program', () => {
  it('is 0 when all went well', async () => {
    const { env } = await emulate();
    expect(await program(['dois', 'list', '--count'], { env })).toMatchObject({
      code: 0,
      stdout: '300\n',
    });
    expect(await program(['--version'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: /^\d+\.\d+\.\d+\n$/,
    });
    const { stdout } = await run(['--help']);
    expect(await program(['--help'])).toMatchObject({ code: 0, stderr: '', stdout });
  });
  it('is 1 when the service refuses', async () => {
    const { env } = await emulate();
    expect(await program(['dois', 'get', '10.5072/none'], { env })).toMatchObject({
      code: 1,
      stdout: '',
    });
  });
  it('is 2 for a wrong command line', async () => {
    expect(await program(['frob'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: /),
    });
  });
  it('is 3 when a harvest stops before its end', async () => {
    const { env } = await emulate({ faults: ['502@3+'] });
    const argv = ['dois', 'list', '--all', '--page-size', '30', '--retries', '1', '--jobs', '1'];
    const { code, stdout, stderr } = await program(argv, { env });
    expect([code, stdout.trim().split('\n').length]).toEqual([3, 60]);
    expect(stderr).toMatch(/^error: stopped after 60 of 300 DOIs/m);
  });
  withSignals.each([
    ['SIGINT', 130, 'interrupted'],
    ['SIGTERM', 143, 'terminated'],
  ] as const)('after %s is %i', async (signal, code, word) => {
    const { env } = await emulate({ records: 100_000, latencyMs: 50 });
    // A page fits into the pipe, so that the output is whole even when this process is slow to read
    // it.
    const argv = ['dois', 'list', '--all', '--page-size', '10', '--jobs', '1'];
    const stopped = await program(argv, { env, during: whenItPrints(signal) });
    expect(stopped).toMatchObject({ code, signal: null });
    const lines = stopped.stdout.split('\n');
    // How much was written is said.
    const written = (lines.length - 1).toLocaleString('en-US');
    expect(stopped.stderr).toMatch(
      new RegExp(`^error: ${word} after ${written} of 100,000 DOIs\nhint: `, 'm'),
    );
    for (const line of lines.slice(0, -1)) expect(() => JSON.parse(line)).not.toThrow();
    expect(lines.at(-1)).toBe('');
  });
  it.skipIf(lacks('terminal', 'posixShell'))('is 129 on a terminal that hangs up', async () => {
    const { env } = await emulate({ records: 3000, latencyMs: 50 });
    const list = '"$1" "$0" dois list --all --page-size 100 --jobs 1 > "$HOME/out" & ';
    const hangUp = 'until [ -s "$HOME/out" ]; do sleep 0.1; done; kill -HUP $!; wait $!';
    const { code, screen } = await onTerminal([], { env, shell: list + hangUp });
    expect([code, screen]).toEqual([129, expect.stringContaining('the terminal has gone')]);
  });
  withSignals('is 0 without a terminal, whatever hangs up', async () => {
    const { env } = await emulate({ records: 3000, latencyMs: 50 });
    const argv = ['dois', 'list', '--all', '--page-size', '100', '--jobs', '1'];
    const { code, stdout } = await program(argv, { env, during: whenItPrints('SIGHUP') });
    expect([code, stdout.split('\n').length]).toEqual([0, 3001]);
  });
  withSignals.each([
    ['at once after a second signal', 'SIGINT', 150, 130],
    ['in order after two signals at once, as timeout and npx send them', 'SIGTERM', 0, 143],
  ] as const)('comes %s', async (when, signal, pauseMs, code) => {
    const stopped = await interruptedTwice(signal, pauseMs, code === 130 ? 'hold' : 'pass');
    expect([stopped.code, stopped.stderr]).toEqual([code, /waiting for the answer/]);
    // The response has arrived, and the key is not lost.
    const told = /DC\.[A-Za-z0-9]{32}|keys revoke \S{36}/.test(stopped.stdout + stopped.stderr);
    expect(told).toBe(when.startsWith('in order'));
  });
  inShell('is 130 also while nobody reads the output', async () => {
    const { env } = await emulate({ records: 20_000 });
    const { stdout } = await shell(
      '{ timeout --preserve-status -s INT 1 doi-cli dois list --all; echo $? >"$HOME/code"; } | ' +
        'sleep 1.5; cat "$HOME/code"',
      { env },
    );
    expect(stdout).toBe('130\n');
  });
  inShell('comes soon after SIGTERM when the reader of stdout has stopped reading', async () => {
    const { env } = await emulate({ records: 20_000 });
    const { stdout } = await shell(
      'mkfifo "$HOME/f"; sleep 30 <"$HOME/f" & doi-cli dois list --all >"$HOME/f" & pid=$!; ' +
        'sleep 1; kill -TERM $pid; wait $pid; echo $?; kill %1',
      { env },
    );
    expect(stdout).toBe('143\n');
  });
  inShell('of auth exec comes after all signals, which its command gets', async () => {
    const script =
      "trap 'echo got INT' INT; trap 'exit 9' TERM; while :; do echo ready; sleep 0.1; done";
    let text = '';
    const { code } = await program(['auth', 'exec', '--', 'sh', '-c', script], {
      env: { DOI_CLI_REPOSITORY: 'A.B', DOI_CLI_PASSWORD: 'x' },
      during: (child) =>
        child.stdout?.on('data', (chunk) => {
          text += chunk;
          child.kill(text.includes('got INT') ? 'SIGTERM' : 'SIGINT');
        }),
    });
    expect([code, text.includes('got INT')]).toEqual([9, true]);
  });

  inShell("of emulator exec is the command's own", async () => {
    const exec = (words: readonly string[], options?: SpawnOptions) =>
      program(['emulator', 'exec', '--', ...words], options);
    expect((await exec(['sh', '-c', 'exit 7'])).code).toBe(7);
    expect((await exec(['sh', '-c', 'kill -9 $$'])).code).toBe(137);
    const trap = 'trap "exit 9" TERM; echo; sleep 9 >/dev/null 2>&1 & wait';
    const trapped = await exec(['sh', '-c', trap], { during: whenItPrints('SIGTERM') });
    expect(trapped.code).toBe(9);
    for (const [env, words] of [
      [{}, /no such[\s\S]*-- sh -c '…'/],
      [AS_WINDOWS, /-- cmd \/c "…"/],
    ] as const) {
      const stderr = expect.stringMatching(words);
      expect(await exec(['no-such-command'], { env })).toMatchObject({ code: 2, stderr });
    }
  });
});

describe('a stdout that takes no more', () => {
  inShell('ends a list quietly when its reader has gone', async () => {
    const { env } = await emulate({ records: 20_000 });
    const { stdout, stderr } = await shell(
      'set -o pipefail; doi-cli dois list --all --quiet | head -n 3 | grep -c .; echo $?',
      { env },
    );
    expect(stdout).toBe('3\n0\n');
    expect(stderr).toBe('');
  });
  onFullDevice('loses a new key loudly', async () => {
    const { env } = await emulate();
    const full = openSync('/dev/full', 'w');
    const lost = await program(['keys', 'create', '--name', 'a'], { env, stdout: full });
    closeSync(full);
    expect(lost).toMatchObject({ code: 1, stderr: /no space.* and is revoked again\n$/ });
    const closed = await shell(
      '{ sleep 1; doi-cli keys create --name b; echo $? >"$HOME/code"; } | true; cat "$HOME/code"',
      { env },
    );
    expect(closed).toMatchObject({ stdout: '1\n', stderr: /was created.* and is revoked again/ });
  });
  onFullDevice('gives even --version an error without a stack trace', async () => {
    const { stdout, stderr } = await shell(
      'doi-cli --version >/dev/full; echo $?; { sleep 0.3; doi-cli --version; } | true',
    );
    expect(stdout).toBe('1\n');
    expect(stderr).toBe(
      'error: cannot write the output: no space left on device\nhint: make room on the disk\n',
    );
  });
  inShell('gives a help that fits only in part an error without a stack trace', async () => {
    const { stdout, stderr } = await shell('ulimit -f 1; doi-cli --help >"$HOME/help"; echo $?');
    expect(stdout).toBe('1\n');
    expect(stderr).toMatch(/^error: cannot write the output: file too large\n$/);
  });
  inShell('refuses to create a key that nobody could see', async () => {
    const { env, log } = await emulate();
    expect(await shell('doi-cli keys create --name x >&-', { env })).toMatchObject({ code: 2 });
    const given = { ...env, ...AS_WINDOWS };
    expect(await shell('doi-cli keys create --name x >/dev/null', { env: given })).toMatchObject({
      code: 2,
    });
    expect(await log()).toEqual([]);
  });
  onFullDevice('ends a harvest with an error when the disk is full', async () => {
    const { env } = await emulate();
    const full = openSync('/dev/full', 'w');
    const stopped = await program(['dois', 'list', '--all'], { env, stdout: full });
    closeSync(full);
    expect(stopped).toMatchObject({ code: 1, stderr: /no space left/ });
  });
});

describe('emulator start', () => {
  withSignals('prints where it is and runs until it is stopped', async () => {
    const argv = 'emulator start --records 7 --account MY.REPO:secret --format json'.split(' ');
    let count: unknown;
    const { code, stdout } = await program(argv, {
      during: (child) =>
        child.stdout?.once('data', async (line: string) => {
          const { baseUrl } = JSON.parse(line) as { baseUrl: string };
          const answer = (await (await fetch(`${baseUrl}/dois?page[size]=0`)).json()) as {
            meta: { total: number };
          };
          count = answer.meta.total;
          child.kill('SIGTERM');
        }),
    });
    expect(JSON.parse(stdout)).toEqual({
      baseUrl: /^http:\/\/127\.0\.0\.1:\d+$/,
      repository: 'MY.REPO',
      password: 'secret',
    });
    expect(count).toBeGreaterThan(0);
    expect(code).toBe(143);
  });
  inShell('prints lines that a shell takes', async () => {
    const { stdout, stderr } = await shell(
      'doi-cli emulator start --records 7 >"$HOME/env" & pid=$!; ' +
        'until [ -s "$HOME/env" ]; do sleep 0.1; done; ' +
        '. "$HOME/env"; doi-cli dois list --count; kill $pid; wait',
    );
    expect(stdout).toBe('7\n');
    expect(stderr).toMatch(
      /^the emulator runs at http:\S+ until Ctrl-C stops it\nin another shell, paste these lines/,
    );
  });
  withSignals('prints lines that PowerShell takes, on Windows', async () => {
    const argv = ['emulator', 'start', '--records', '7', '--account', "MY.REPO:it's"];
    const { stdout } = await program(argv, { env: AS_WINDOWS, during: whenItPrints('SIGTERM') });
    expect(stdout).toMatch(/^\$env:DOI_CLI_BASE_URL = 'http:\S+'$/m);
    expect(stdout).toContain("$env:DOI_CLI_PASSWORD = 'it''s'\n");
  });
  inShell('gives the command of exec what it needs, and no key of the real service', async () => {
    const { stdout } = await program(['emulator', 'exec', '--', 'env'], {
      env: { DOI_CLI_API_KEY: 'DC.real' },
    });
    expect(stdout).toMatch(/^DOI_CLI_BASE_URL=http:\/\/127/m);
    expect(stdout).toMatch(/^DOI_CLI_REPOSITORY=DEMO\.REPO$/m);
    expect(stdout).toMatch(/^DOI_CLI_PASSWORD=.{8,}$/m);
    expect(stdout).not.toContain('DC.real');
  });
});

describe('an --out file', () => {
  inShell('leaves nothing behind when interrupted', async () => {
    const { env } = await emulate({ records: 100_000, latencyMs: 50 });
    const result = await shell(
      'cd "$HOME"; timeout -s INT 1 doi-cli dois list --all --out x.ndjson; ' +
        'ls -A | grep x.ndjson; true',
      { env },
    );
    expect(result.stdout).toBe('');
  });
});
