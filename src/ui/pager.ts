import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { CliError } from '../errors.ts';
import type { Host } from './host.ts';
import type { Screen } from './messages.ts';
import { interruptibleSink, type Sink, streamSink } from './sink.ts';
import { childEnv } from './user-programs.ts';
import { widthOf } from './width.ts';

/**
 * As git starts pagers: less ends at once if the text fits, keeps colours, and leaves the text on
 * the screen.
 */
const DEFAULTS = { LESS: 'FRX', LV: '-c', LESSCHARSET: 'utf-8' };

/**
 * Calls `write` with a sink that prints text to the terminal if it fits on the screen, else in the
 * user's pager. Resolves when the reader has left the pager; messages wait until then.
 * @throws {ClosedPipe} when the pager ends before the output does.
 */
export async function throughPager(
  { host, messages }: Pick<Screen, 'host' | 'messages'>,
  write: (sink: Sink) => Promise<void>,
): Promise<void> {
  const command = pagerCommand(host.env);
  if (command === undefined) return write(host.stdout);
  const { columns, rows = 0 } = host.terminal;
  let release: ((end: unknown) => void) | undefined;
  let kept = '';
  let pager: Pager | undefined;
  try {
    await write({
      async write(...chunks) {
        // Messages belong after the text.
        if (release === undefined) messages.hold(new Promise((resolve) => (release = resolve)));
        const texts = chunks.map((chunk) =>
          typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString(),
        );
        const text = texts.join('');
        if (pager !== undefined) return pager.sink.write(text);
        kept += text;
        // The prompt takes the last line.
        if (linesOf(kept, columns || 80, rows) < rows) return;
        pager = await start(host, command);
        await pager.sink.write(kept);
      },
    });
  } finally {
    try {
      await (pager?.leave() ?? host.stdout.write(kept));
    } finally {
      release?.(undefined);
    }
  }
}

/**
 * The words of the pager's command, which may be quoted; undefined without a pager. No shell is
 * used.
 */
function pagerCommand(env: Host['env']): readonly string[] | undefined {
  // A dumb terminal cannot move its cursor, so no pager works.
  if (env['TERM'] === 'dumb') return undefined;
  const command =
    env['DOI_CLI_PAGER'] ?? env['PAGER'] ?? (platform() === 'win32' ? 'more.com' : 'less');
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
  return words.length === 0 || words[0] === 'cat' ? undefined : words;
}

interface Pager {
  readonly sink: Sink;
  /** Ends the text, and waits until the reader leaves the pager. */
  leave(): Promise<void>;
}

async function start(
  { env, stdout, signal, lendScreen }: Host,
  [file = '', ...args]: readonly string[],
): Promise<Pager> {
  const child = spawn(file, args, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...DEFAULTS, ...childEnv(env) },
  });
  const left = new Promise<void>((resolve) =>
    child.once('exit', () => resolve()).once('error', () => resolve()),
  );
  try {
    await once(child, 'spawn');
  } catch {
    return { sink: stdout, leave: async () => undefined };
  }
  // Ctrl-C is meant for the pager, which restores the terminal when it ends.
  lendScreen?.(left, (name) => name === 'SIGINT');
  const sink = interruptibleSink(streamSink(child.stdin as Writable), signal);
  return { sink, leave: () => leave(child, left, signal) };
}

/**
 * Ends the text of a pager, and waits for its reader. Ctrl-C is left to the pager; other signals
 * end it.
 */
async function leave(child: ChildProcess, left: Promise<void>, signal: AbortSignal): Promise<void> {
  const stop = () => {
    if ((signal.reason as CliError).kind !== 'interrupted') child.kill('SIGTERM');
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  child.stdin?.end();
  await left;
  signal.removeEventListener('abort', stop);
}

/** The number of screen lines of a text, counted only slightly beyond `most`. */
function linesOf(text: string, columns: number, most: number): number {
  const lines = stripVTControlCharacters(text).split('\n', most + 1);
  // Text beyond the screen need not be measured.
  const rowsOf = (line: string) => Math.ceil(widthOf(line.slice(0, 2 * columns * most)) / columns);
  return lines.reduce((sum, line) => sum + Math.max(1, rowsOf(line)), 0) - 1;
}
