import { ClosedPipe } from '../errors.ts';
import { type Redactor, visible } from '../text/redact.ts';
import { shellWords } from '../text/shell-word.ts';
import type { GlobalOptions, Host } from '../ui/host.ts';
import { Look, wantsColor } from '../ui/look.ts';
import type { Messages } from '../ui/messages.ts';
import { type Sink, terminalSink } from '../ui/sink.ts';

/** The host and the global options of one run, and what it prints. */
export class Io {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly redactor: Redactor;
  readonly messages: Messages;
  readonly #argv: readonly string[];

  /** @param argv the command line, for {@link again}. */
  constructor(
    host: Host,
    options: GlobalOptions,
    messages: Messages,
    redactor: Redactor,
    argv: readonly string[] = [],
  ) {
    this.#argv = argv;
    this.host = host;
    this.options = options;
    this.redactor = redactor;
    this.messages = messages;
  }

  get interactive(): boolean {
    return this.options.input && this.host.terminal.stdin && this.host.terminal.stderr;
  }

  get color(): boolean {
    return wantsColor(this.host.env, this.options.color);
  }

  get look(): Look {
    return new Look(this.host.terminal.stdout && this.color);
  }

  /** Stdout for text of the service: control characters are escaped on a terminal. */
  get out(): Sink {
    return this.#safe(this.host.stdout);
  }

  /** Prints text of the service as one line: on a terminal, line breaks in it are escaped. */
  printLine(text: string): Promise<void> {
    const { stdout, terminal } = this.host;
    const line = text.replace(/\n$/, '');
    return stdout.write(`${terminal.stdout ? visible(line) : line}\n`);
  }

  /** Prints a change as a line of JSON with `--format json`, and else as text, if there is any. */
  async printChange(
    format: 'text' | 'json',
    change: { readonly outcome: string; readonly [member: string]: unknown },
    text = '',
  ): Promise<void> {
    const line = format === 'json' ? `${JSON.stringify(change)}\n` : text;
    if (line !== '') await this.out.write(line);
  }

  #safe(sink: Sink): Sink {
    return this.host.terminal.stdout ? terminalSink(sink) : sink;
  }

  /**
   * Calls `write` with sinks to stdout, or to a pager if the output is longer than the terminal.
   * @param write gets a sink that escapes the service's text, and a raw one for text with our own
   *   control characters.
   */
  async paged(write: (safe: Sink, raw: Sink) => Promise<void>): Promise<void> {
    const { terminal, stdout } = this.host;
    const isPaged = terminal.stdout && this.options.pager && (terminal.rows ?? 0) > 0;
    if (!isPaged) return write(this.out, stdout);
    const { throughPager } = await import('../ui/pager.ts');
    return throughPager(this, (sink) => write(this.#safe(sink), sink));
  }

  /** Prints our own text, colours included, to stdout or through a pager if it is long. */
  async page(text: (look: Look) => string): Promise<void> {
    // Leaving the pager early is not an error.
    await this.paged((_, raw) => raw.write(text(this.look))).catch((error: unknown) => {
      if (!(error instanceof ClosedPipe && this.host.terminal.stdout)) throw error;
    });
  }

  /** A command to type next, quoted for a shell, with this run's service and profile options. */
  readonly suggest = (...words: readonly string[]): string => {
    const { test, baseUrl, profile } = this.options;
    const same = [
      ...(test ? ['--test'] : []),
      ...(baseUrl === undefined ? [] : ['--base-url', baseUrl.href]),
      ...(profile === undefined ? [] : ['--profile', profile]),
    ];
    return shellWords(['doi-cli', ...words, ...same]);
  };

  /** The command line of this run with more options, and with the word `to` in place of `from`. */
  again(
    options: readonly string[],
    [from, to]: readonly [from: string, to: string] = ['', ''],
  ): string {
    const words = this.#argv.map((word) => {
      if (from !== '' && word.endsWith(`=${from}`)) return word.slice(0, -from.length) + to;
      return word === from ? to : word;
    });
    const end = words.includes('--') ? words.indexOf('--') : words.length;
    return shellWords(['doi-cli', ...words.slice(0, end), ...options, ...words.slice(end)]);
  }

  /** Runs work that an interrupt must not cut off; the first interrupt calls `notify`. */
  async uninterrupted<T>(notify: () => void, work: () => Promise<T>): Promise<T> {
    const { signal } = this.host;
    signal.addEventListener('abort', notify, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener('abort', notify);
    }
  }

  /** Waits for the answer to a write despite an interrupt; the first interrupt prints a message. */
  untilAnswered<T>(write: () => Promise<T>): Promise<T> {
    const waiting =
      'waiting for the answer, so that the outcome is known; a second interrupt ends at once';
    return this.uninterrupted(() => this.messages.status(waiting), write);
  }
}
