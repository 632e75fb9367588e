import type { Ora } from 'ora';
import { counted, formatDuration, number } from '../text/words.ts';
import type { Screen } from './messages.ts';

/** The interval of lines in a log, as opposed to a terminal. */
const LINE_EVERY_MS = 60_000;
const SPIN_EVERY_MS = 100;
/** Until then, or until 1 % of the items is done, the rate says little about the time left. */
const ESTIMATE_AFTER_MS = 10_000;
/** The spinner, a blank, and the last column, after which some terminals wrap. */
const SPINNER_COLUMNS = 3;

/** Shows progress: a moving line on a terminal, an occasional line elsewhere, nothing if quiet. */
export class Progress {
  readonly #screen: Screen;
  readonly #start: number;
  readonly #noun: string;
  #last: number;
  readonly #doing: string;
  #spinner: Ora | undefined;

  private constructor(screen: Screen, spinner: Ora | undefined, noun: string, doing: string) {
    this.#screen = screen;
    this.#doing = doing;
    this.#noun = noun;
    this.#spinner = spinner;
    this.#start = screen.host.now();
    // A terminal shows the first page at once; a log waits for the first interval.
    this.#last = spinner === undefined ? this.#start : 0;
  }

  /**
   * @param onScreen whether records go to the terminal, where a moving line would mix with them.
   * @param first the text before the first update.
   * @param doing the beginning of the line, such as `reading: `.
   */
  static async start(
    screen: Screen,
    onScreen: boolean,
    first = 'asking for the first page',
    noun = 'DOI',
    doing = '',
  ): Promise<Progress> {
    const { options, host, messages } = screen;
    const { stderr, columns } = host.terminal;
    // On a pseudo-terminal without a width the spinner would clear lines forever.
    const moving = stderr && columns > 0 && !onScreen && !options.quiet && !options.verbose;
    if (!moving) return new Progress(screen, undefined, noun, doing);
    const { default: ora } = await import('ora');
    const color = screen.color ? 'cyan' : false;
    const spinner = ora({ text: oneLine(first, columns), discardStdin: false, color }).start();
    messages.makeRoom = () => spinner.clear();
    return new Progress(screen, spinner, noun, doing);
  }

  /**
   * @param total the number to reach; undefined if unknown.
   * @param remark a note on the finished items: `6 broken`.
   */
  update(done: number, total: number | undefined, remark = ''): void {
    const { host, messages } = this.#screen;
    const { stderr, columns } = host.terminal;
    const now = host.now();
    if (now - this.#last < (this.#spinner ? SPIN_EVERY_MS : LINE_EVERY_MS)) return;
    this.#last = now;
    const line = this.#line(done, total, remark);
    if (this.#spinner) this.#spinner.text = oneLine(line, columns);
    else if (!stderr) messages.status(line);
  }

  /** `12,000 of 36,409 DOIs · 6 broken · 20 s left · 1,234/s` */
  #line(done: number, total: number | undefined, remark: string): string {
    const rate = this.elapsed > 0 ? (done * 1000) / this.elapsed : 0;
    // Records may be added while they are listed.
    const all = total && Math.max(done, total);
    const noun = this.#noun;
    const parts = [
      all === undefined ? counted(done, noun) : `${number(done)} of ${counted(all, noun)}`,
    ];
    if (remark !== '') parts.push(remark);
    const isSteady = all && (this.elapsed >= ESTIMATE_AFTER_MS || done * 100 >= all);
    if (rate > 0 && isSteady) parts.push(`${formatDuration(((all - done) / rate) * 1000)} left`);
    if (rate >= 1) parts.push(`${number(Math.round(rate))}/s`);
    return this.#doing + parts.join(' · ');
  }

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

/**
 * Cuts a line of progress to the width of the terminal, between two parts: half a number would be
 * another number. Each of its characters takes one column.
 */
function oneLine(line: string, columns: number): string {
  const most = columns - SPINNER_COLUMNS;
  if (line.length <= most) return line;
  const end = line.lastIndexOf(' · ', most);
  return line.slice(0, end > 0 ? end : most);
}
