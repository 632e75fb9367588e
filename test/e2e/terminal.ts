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

/** What the shell below prints last: the exit code of the command. */
const END = /<the command ends with (\d+)>/;

// node-pty closes a terminal 200 ms after its process has ended, whether or not all of its output
// was read: on a busy machine some is lost. This shell stays until it is killed. Ctrl-C is for the
// command alone.
const STAYING = `trap : INT QUIT; "$@"; printf '<the command ends with %s>' $?; exec sleep 60`;

/** Runs the built program on a pseudo-terminal and returns all that appeared on it. */
export function onTerminal(
  argv: readonly string[],
  { env = {}, columns = 100, rows = 30, type = [], shell }: TerminalOptions = {},
): Promise<{ code: number; screen: string }> {
  const command = [process.execPath, PROGRAM, ...argv];
  if (shell) command.splice(0, 2, 'bash', '-c', shell, PROGRAM, process.execPath);
  const terminal = spawn('sh', ['-c', STAYING, 'sh', ...command], {
    cols: columns,
    rows,
    env: cleanEnv({ TERM: 'xterm-256color', ...env }),
  });
  let screen = '';
  const pending = [...type];
  return new Promise((resolve) =>
    terminal.onData((data) => {
      screen += data;
      const [next] = pending;
      if (next !== undefined && screen.includes(next[0])) {
        pending.shift();
        terminal.write(next[1]);
      }
      const end = END.exec(screen);
      if (end === null) return;
      terminal.kill('SIGKILL');
      resolve({ code: Number(end[1]), screen: screen.slice(0, end.index) });
    }),
  );
}
