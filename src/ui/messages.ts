import type { CliError, Problem } from '../errors.ts';
import { type Redactor, visible } from '../text/redact.ts';
import type { GlobalOptions, Host } from './host.ts';
import { Look } from './look.ts';
import type { Sink } from './sink.ts';

interface MessageOptions {
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  /** Prints errors as one JSON object instead of two lines of text. */
  readonly json: boolean;
  /** Whether the first words of lines have colours. */
  readonly color?: boolean;
  /** Wraps a line for the terminal; without a terminal, lines stay whole. */
  readonly wrap?: ((line: string) => string) | undefined;
}

/**
 * All output to stderr. Each line has its secrets masked and its control characters escaped,
 * because it may contain text of the service. Line breaks are escaped too, so a text is one line.
 */
export class Messages {
  readonly #sink: Sink;
  readonly #redactor: Redactor;
  #options: MessageOptions = { json: false };
  /** Notes that wait for the end of the run. */
  readonly #waiting: string[] = [];
  /** With JSON errors: problems that did not end the run. */
  readonly #problems: Problem[] = [];
  /** The line that is being written, and the lines after it. */
  readonly #lines: string[] = [];
  #last: Promise<unknown> = Promise.resolve();
  /** Lines wait until it resolves. */
  #release: Promise<unknown> | undefined;
  /** Clears a progress line on the screen before a line is written. */
  makeRoom: () => void = () => undefined;

  constructor(sink: Sink, redactor: Redactor) {
    this.#sink = sink;
    this.#redactor = redactor;
  }

  configure(options: MessageOptions): void {
    this.#options = { ...this.#options, ...options };
  }

  /** A line of information. With JSON errors it waits for the end, and an error drops it. */
  readonly note = (text: string): void => {
    if (this.#options.quiet) return;
    if (this.#options.json) this.#waiting.push(text);
    else this.always(text);
  };

  /** A note for the end of the run, which an error drops. */
  last(text: string): void {
    if (!this.#options.quiet) this.#waiting.push(text);
  }

  /** A line about the current run; `--quiet` silences it. */
  status(text: string): void {
    if (!this.#options.quiet) this.always(text);
  }

  /** A line with facts that cannot be recovered later; printed even with `--quiet`. */
  always(text: string): void {
    const { color, wrap = (line) => line } = this.#options;
    this.#write(`${new Look(color).lead(wrap(this.clean(text)))}\n`);
  }

  readonly warn = (text: string): void => this.note(`warning: ${text}`);

  trace(text: string): void {
    if (this.#options.verbose) this.status(text);
  }

  /** Holds lines back until a promise resolves: another program uses the screen. */
  hold(until: Promise<unknown>): void {
    this.#release = until;
  }

  /** An error that does not end the run. In JSON, it becomes a problem of the error at the end. */
  problem(error: CliError, path: string | null = null): void {
    if (!this.#options.json) {
      this.#writeError(error);
      return;
    }
    const listed = error.lines.length === 0 ? [] : error.problems;
    const below = listed.map((problem) =>
      path === null ? problem : { ...problem, path: `${path}: ${problem.path}` },
    );
    this.#problems.push({ path, message: error.message }, ...below);
  }

  /** The error that ends the run, as text or as one JSON object, which drops the waiting notes. */
  report(error: CliError): void {
    this.#waiting.length = 0;
    if (!this.#options.json) {
      this.#writeError(error);
      return;
    }
    const { kind, status = null, lines } = error;
    const message = this.clean(error.message);
    const hint = error.hint === undefined ? null : this.clean(error.hint);
    const problems = [...this.#problems, ...(lines.length === 0 ? [] : error.problems)].map(
      (problem) => ({
        ...problem,
        path: problem.path && this.clean(problem.path),
        message: this.clean(problem.message),
      }),
    );
    const listed = problems.length === 0 ? {} : { problems };
    this.#write(`${JSON.stringify({ error: { kind, message, hint, status, ...listed } })}\n`);
  }

  #writeError({ lines, message, hint }: CliError): void {
    for (const line of lines) this.always(line);
    this.always(`error: ${message}`);
    if (hint !== undefined) this.always(`hint: ${hint}`);
  }

  /**
   * A stack trace and its causes, for `DOI_CLI_DEBUG=1`. Only the stack frames get their own lines.
   */
  debug(error: unknown): void {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      const text = this.#redactor.mask(cause.stack ?? cause.message);
      for (const line of text.split(/\n(?=\s+at )/)) this.always(line);
    }
  }

  /** Text that is safe on a terminal, on one line unless it keeps its line breaks. */
  clean(
    text: string,
    options?: Pick<NonNullable<Parameters<typeof visible>[1]>, 'keepNewlines'>,
  ): string {
    return visible(this.#redactor.mask(text), options);
  }

  /** Writes the waiting notes; resolves when everything is written. */
  async flush(): Promise<void> {
    for (const text of this.#waiting.splice(0)) this.always(text);
    await this.#last;
  }

  #write(text: string): void {
    this.#lines.push(text);
    // Start at once: a second interrupt may end the program before anything else runs.
    if (this.#lines.length === 1) this.#last = this.#writeLines();
  }

  /** Writes one line after the other: concurrent writes may reach a file in any order. */
  async #writeLines(): Promise<void> {
    for (let text = this.#lines[0]; text !== undefined; text = this.#lines[0]) {
      if (this.#release !== undefined) await this.#release;
      this.makeRoom();
      // A failing stderr cannot be reported anywhere.
      await this.#sink.write(text).catch(() => undefined);
      this.#lines.shift();
    }
  }
}

/** The parts of a run that input, progress and pagers need. */
export interface Screen {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly messages: Messages;
  readonly color: boolean;
}
