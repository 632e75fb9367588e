import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { built } from '../helpers/built.ts';
import { directoryOfFile } from '../helpers/temporary.ts';
import { toolbox } from './toolbox.ts';

/** The built program, as a user runs it. */
export const PROGRAM = built('bin/doi-cli.js');

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Where stdout goes instead of into the result. */
  readonly stdout?: number;
  /** Called with the process once it runs. */
  readonly during?: (child: ChildProcess) => void;
}

export interface SpawnResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a user who has set nothing up. */
export function cleanEnv(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const home = mkdtempSync(join(directoryOfFile(), 'home-'));
  const given = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, ...env };
  return process.platform === 'win32' ? { ...onWindows(given), ...given } : given;
}

/** What Windows calls the home and the temporary folder, and what every program needs there. */
function onWindows({ HOME: home, TMPDIR: temporary }: { HOME: string; TMPDIR: string }) {
  const { SystemRoot = '', PATHEXT = '' } = process.env;
  const folders = {
    USERPROFILE: home,
    APPDATA: home,
    LOCALAPPDATA: home,
    TEMP: temporary,
    TMP: temporary,
  };
  return { SystemRoot, PATHEXT, ...folders };
}

/** Runs the built program to its end. */
export function program(argv: readonly string[], options: SpawnOptions = {}): Promise<SpawnResult> {
  return execute(process.execPath, [PROGRAM, ...argv], options);
}

/** Runs an executable file to its end. */
export function execute(
  file: string,
  argv: readonly string[],
  options: SpawnOptions = {},
): Promise<SpawnResult> {
  return finish(
    spawn(file, argv, {
      env: cleanEnv(options.env),
      stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
    }),
    options,
  );
}

interface ShellOptions extends SpawnOptions {
  readonly cwd?: string;
  /** A folder with stand-ins for programs. */
  readonly brings?: string;
  /** The programs of this machine that the line calls, other than the utilities of every system. */
  readonly uses?: readonly string[];
}

/**
 * Runs a shell command line. In it, `doi-cli` is the built program, and `node` is the Node of the
 * tests. Other programs must be listed in the options.
 */
export function shell(line: string, options: ShellOptions = {}): Promise<SpawnResult> {
  const bin = mkdtempSync(join(directoryOfFile(), 'bin-'));
  symlinkSync(PROGRAM, join(bin, 'doi-cli'));
  const brings = options.brings === undefined ? [] : [options.brings];
  return finish(
    spawn('bash', ['-c', line], {
      env: {
        ...cleanEnv(options.env),
        PATH: [...brings, bin, toolbox(...(options.uses ?? []))].join(delimiter),
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    }),
    options,
  );
}

/** The output and the end of a program that was started with pipes. */
export function finish(child: ChildProcess, options: SpawnOptions): Promise<SpawnResult> {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // A program that reads nothing closes its stdin early; that is no fault of the test.
  child.stdin?.on('error', () => undefined).end(options.stdin ?? '');
  options.during?.(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
}
