import type { CliError, Problem } from '../errors.ts';
import { type Redactor, visible } from '../text/redact.ts';
import type { GlobalOptions, Host } from './host.ts';
import { Look } from './look.ts';
import type { Sink } from './sink.ts';

interface MessageOptions {
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  /** Errors as one JSON object instead of two lines of text. */
  readonly json: boolean;
  /** How the first words of lines look; plain when left out. */
  readonly look?: Look;
}

/**
 * Everything that goes to stderr. Each line has its secrets masked and its control characters made
 * visible, because it may hold text of the service. A line break is one of them: a text is one
 * line.
 */
export class Messages {
  readonly #sink: Sink;
  readonly #redactor: Redactor;
  #options: MessageOptions = { json: false };
  /** The notes that wait for the end of the run, where errors are JSON. */
  readonly #waiting: string[] = [];
  /** What was wrong before the end of the run, where errors are JSON. */
  readonly #problems: Problem[] = [];
  /** The line that is being written, and those that come after it. */
  readonly #lines: string[] = [];
  #last: Promise<unknown> = Promise.resolve();
  /** Lines wait for it. */
  #held: Promise<unknown> | undefined;
  /** Clears a progress line that may be on the screen, before a line is written. */
  makeRoom: () => void = () => undefined;

  constructor(sink: Sink, redactor: Redactor) {
    this.#sink = sink;
    this.#redactor = redactor;
  }

  configure(options: MessageOptions): void {
    this.#options = options;
  }

  /** A line of information. Where errors are JSON it waits for the end; an error drops it. */
  note(text: string): void {
    if (this.#options.quiet) return;
    if (this.#options.json) this.#waiting.push(text);
    else this.always(text);
  }

  /** A line about a run that is still going on; `--quiet` silences it. */
  status(text: string): void {
    if (!this.#options.quiet) this.always(text);
  }

  /** A line that cannot be found out later; it is printed even with `--quiet`. */
  always(text: string): void {
    const { look = Look.plain } = this.#options;
    this.#write(`${look.lead(this.clean(text))}\n`);
  }

  warn(text: string): void {
    this.note(`warning: ${text}`);
  }

  trace(text: string): void {
    if (this.#options.verbose) this.status(text);
  }

  /** Keeps lines back until a promise resolves: something else has the screen. */
  hold(until: Promise<unknown>): void {
    this.#held = until;
  }

  /** An error that does not end the run. As JSON, it is a problem of the one error at the end. */
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

  /** The error that ends the run, as text or as one JSON object; JSON drops the notes that wait. */
  report(error: CliError): void {
    if (!this.#options.json) {
      this.#writeError(error);
      return;
    }
    this.#waiting.length = 0;
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
   * A stack trace and its causes, for `DOI_CLI_DEBUG=1`. Only the places in the program have lines
   * of their own.
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

  /** Writes the notes that wait; resolves when everything is written. */
  async flush(): Promise<void> {
    for (const text of this.#waiting.splice(0)) this.always(text);
    await this.#last;
  }

  #write(text: string): void {
    this.#lines.push(text);
    // Begins at once: a second interrupt may end the program before anything else runs.
    if (this.#lines.length === 1) this.#last = this.#writeLines();
  }

  /** Writes one line after the other: several at once may reach a file in any order. */
  async #writeLines(): Promise<void> {
    for (let text = this.#lines[0]; text !== undefined; text = this.#lines[0]) {
      if (this.#held !== undefined) await this.#held;
      this.makeRoom();
      // There is nowhere to report a stderr that fails.
      await this.#sink.write(text).catch(() => undefined);
      this.#lines.shift();
    }
  }
}

/** What input, progress and pagers need of a run. */
export interface Screen {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly messages: Messages;
  readonly color: boolean;
}
