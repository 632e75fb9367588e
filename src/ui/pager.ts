import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { CliError } from '../errors.ts';
import { withoutLinks } from './look.ts';
import type { Messages } from './messages.ts';
import { interruptibleSink, type Sink, streamSink } from './sink.ts';
import { childEnv } from './user-programs.ts';
import { widthOf } from './width.ts';

/** What a pager needs of a run. */
interface PagerRun {
  readonly host: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly stdout: Sink;
    readonly terminal: { readonly columns: number; readonly rows?: number };
    readonly signal: AbortSignal;
    readonly lendScreen?: (until: Promise<unknown>) => void;
  };
  readonly messages: Messages;
}

/** As git starts them: less ends at once if the text fits, keeps colours, and leaves the text on the screen. */
const DEFAULTS = { LESS: 'FRX', LV: '-c', LESSCHARSET: 'utf-8' };

/**
 * Calls `write` with a sink that shows text on the terminal: as it is while it fits on the screen, from then on in
 * the user's pager. Resolves when the reader has left the pager; messages wait until then.
 * @throws {ClosedPipe} when the pager ends before the output does.
 */
export async function throughPager(run: PagerRun, write: (sink: Sink) => Promise<void>): Promise<void> {
  const command = pagerCommand(run.host.env);
  if (command === undefined) return write(run.host.stdout);
  const pager = new Pager(run, command);
  try {
    await write(pager);
  } finally {
    await pager.end();
  }
}

/** The words of the pager's command; undefined where there is none. */
function pagerCommand(env: PagerRun['host']['env']): readonly string[] | undefined {
  // A terminal that cannot move its cursor has no use for one.
  if (env['TERM'] === 'dumb') return undefined;
  const usual = platform() === 'win32' ? 'more.com' : 'less';
  const words = wordsOf(env['DOI_CLI_PAGER'] ?? env['PAGER'] ?? usual);
  return words.length === 0 || words[0] === 'cat' ? undefined : words;
}

/** The words of a command line, which quotes may hold together. No shell reads it. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** A sink that keeps what fits on the screen, and starts the pager for more. */
class Pager implements Sink {
  readonly #run: PagerRun;
  readonly #command: readonly string[];
  #kept: (string | Uint8Array)[] = [];
  #lines = 0;
  /** Where text goes once it does not fit: to the pager, or to stdout if there is none. */
  #sink: Sink | undefined;
  #leave: () => Promise<void> = async () => undefined;
  /** Lets messages be written again, which belong after the text. */
  #release: (() => void) | undefined;

  constructor(run: PagerRun, command: readonly string[]) {
    this.#run = run;
    this.#command = command;
  }

  async write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    if (this.#sink !== undefined) return this.#sink.write(...chunks.map(unlinked));
    this.#release ??= this.#run.messages.hold();
    this.#kept.push(...chunks);
    const { columns, rows = 0 } = this.#run.host.terminal;
    for (const chunk of chunks) this.#lines += linesOf(chunk, columns || 80, rows);
    // The prompt takes the last line.
    if (this.#lines < rows) return;
    this.#sink = await this.#start();
    await this.#sink.write(...this.#kept.splice(0).map(unlinked));
  }

  /** Shows what fits on the screen, or waits for the reader to leave the pager. */
  async end(): Promise<void> {
    try {
      if (this.#sink === undefined) await this.#run.host.stdout.write(...this.#kept.splice(0));
      await this.#leave();
    } finally {
      this.#release?.();
    }
  }

  /** The sink of a pager that runs now; stdout if it cannot be started. */
  async #start(): Promise<Sink> {
    const { host } = this.#run;
    const [file = '', ...args] = this.#command;
    const child = spawn(file, args, {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...DEFAULTS, ...childEnv(host.env) },
    });
    const left = new Promise<void>((resolve) =>
      child.once('exit', () => resolve()).once('error', () => resolve()),
    );
    try {
      await once(child, 'spawn');
    } catch {
      return host.stdout;
    }
    host.lendScreen?.(left);
    this.#leave = () => leave(child, left, host.signal);
    return interruptibleSink(streamSink(child.stdin as Writable), host.signal);
  }
}

/** Ends the text of a pager, and waits for its reader. Only Ctrl-C is left to the pager: other signals end it. */
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

function unlinked(chunk: string | Uint8Array): string | Uint8Array {
  return typeof chunk === 'string' ? withoutLinks(chunk) : chunk;
}

/** How many lines of the screen a text takes. @param most stops the count. */
function linesOf(chunk: string | Uint8Array, columns: number, most: number): number {
  const text = stripVTControlCharacters(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
  let lines = 0;
  for (
    let from = 0, to = text.indexOf('\n');
    to >= 0 && lines < most;
    from = to + 1, to = text.indexOf('\n', from)
  ) {
    lines += Math.max(1, Math.ceil(widthOf(text.slice(from, to)) / columns));
  }
  return lines;
}
