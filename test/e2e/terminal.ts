import { spawn } from '@lydell/node-pty';
import { cleanEnv, PROGRAM } from './program.ts';

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** What to type when a text appears, in order. */
  readonly type?: readonly (readonly [when: string, keys: string])[];
  /** A shell command line instead of the program's arguments. */
  readonly shell?: string;
}

/** Runs the built program on a pseudo-terminal and returns all that appeared on it. */
export function onTerminal(
  argv: readonly string[],
  { env = {}, columns = 100, rows = 30, type = [], shell }: TerminalOptions = {},
): Promise<{ code: number; screen: string }> {
  const [file, args] = shell
    ? ['bash', ['-c', shell, PROGRAM, process.execPath, ...argv]]
    : [process.execPath, [PROGRAM, ...argv]];
  const terminal = spawn(file as string, args as string[], {
    cols: columns,
    rows,
    env: cleanEnv({ TERM: 'xterm-256color', ...env }),
  });
  let screen = '';
  const pending = [...type];
  terminal.onData((data) => {
    screen += data;
    const [next] = pending;
    if (next !== undefined && screen.includes(next[0])) {
      pending.shift();
      terminal.write(next[1]);
    }
  });
  return new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve({ code: exitCode, screen })));
}
