import type { Ora } from 'ora';
import { formatDuration, number } from '../text/words.ts';
import type { Screen } from './messages.ts';

/** How often a log, as opposed to a terminal, gets a line. */
const LINE_EVERY_MS = 30_000;
const SPIN_EVERY_MS = 100;
/** The spinner, a blank, and the last column, which some terminals wrap after. */
const SPINNER_COLUMNS = 3;

/** Shows progress: a moving line on a terminal, an occasional line elsewhere, nothing when quiet. */
export class Progress {
  readonly #screen: Screen;
  readonly #start: number;
  #last: number;
  #spinner: Ora | undefined;

  private constructor(screen: Screen, spinner: Ora | undefined) {
    this.#screen = screen;
    this.#spinner = spinner;
    this.#start = screen.host.now();
    // A terminal shows the first page at once; a log waits for the first interval.
    this.#last = spinner === undefined ? this.#start : 0;
  }

  /** @param onScreen whether the records go to the terminal, where a moving line would mix with them. */
  static async start(
    screen: Screen,
    onScreen: boolean,
    first = 'asking for the first page',
  ): Promise<Progress> {
    const { options, host, messages } = screen;
    const { stderr, columns } = host.terminal;
    // On a pseudo-terminal without a width the spinner would clear lines forever.
    const moving = stderr && columns > 0 && !onScreen && !options.quiet && !options.verbose;
    if (!moving) return new Progress(screen, undefined);
    const { default: ora } = await import('ora');
    const color = screen.color ? 'cyan' : false;
    const spinner = ora({ text: oneLine(first, columns), discardStdin: false, color }).start();
    messages.makeRoom = () => spinner.clear();
    return new Progress(screen, spinner);
  }

  /** @param total the number to reach; undefined when it is not known. */
  update(done: number, total: number | undefined): void {
    const { host, messages } = this.#screen;
    const { stderr, columns } = host.terminal;
    const now = host.now();
    if (now - this.#last < (this.#spinner ? SPIN_EVERY_MS : LINE_EVERY_MS)) return;
    this.#last = now;
    const line = progressLine(done, total, now - this.#start);
    if (this.#spinner) this.#spinner.text = oneLine(line, columns);
    else if (!stderr) messages.status(line);
  }

  /** Removes the moving line. */
  stop(): void {
    this.#spinner?.stop();
    this.#screen.messages.makeRoom = () => undefined;
    this.#spinner = undefined;
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return this.#screen.host.now() - this.#start;
  }
}

/** A line of progress on a terminal. Its characters take one column each, so that nothing needs to be measured. */
const oneLine = (line: string, columns: number) => line.slice(0, columns - SPINNER_COLUMNS);

/** `12,000 of 36,409 DOIs · 20 s left · 1,234/s` */
function progressLine(done: number, total: number | undefined, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  // Records may be added while they are listed.
  const all = total && Math.max(done, total);
  const parts = [all === undefined ? `${number(done)} DOIs` : `${number(done)} of ${number(all)} DOIs`];
  if (rate > 0 && all !== undefined) parts.push(`${formatDuration(((all - done) / rate) * 1000)} left`);
  if (rate > 0) parts.push(`${number(Math.round(rate))}/s`);
  return parts.join(' · ');
}
