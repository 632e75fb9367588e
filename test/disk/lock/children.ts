import { type ChildProcess, spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Compiles a program of this folder to a file that node can run, in a folder of the test. */
export async function compiled(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${basename(name)}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  return outfile;
}

export interface Child {
  readonly process: ChildProcess;
  /** The next line that the program writes. */
  line(): Promise<string>;
  /** The exit code or signal, once it has ended. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** Runs a program with pipes for its input and output. */
export function start(command: string, ...args: string[]): Child {
  const process = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  let rest = '';
  process.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const next = waiting.shift();
      if (next) next(part);
      else lines.push(part);
    }
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    process.on('close', (code, signal) => resolve(signal ?? code)),
  );
  return {
    process,
    ended,
    line: () => {
      const ready = lines.shift();
      if (ready !== undefined) return Promise.resolve(ready);
      return new Promise((resolve, reject) => {
        waiting.push(resolve);
        void ended.then((end) => reject(new Error(`the child ended with ${end}`)));
      });
    },
  };
}
