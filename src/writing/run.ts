import { Semaphore } from '../concurrency/promises.ts';
import { CliError, ClosedPipe, isOutage } from '../errors.ts';
import type { InputRecord } from '../formats/input/source.ts';
import { InDoubt } from './create-record.ts';
import { hashText } from './ledger/checksums.ts';
import type { LineResult, ResultEntry } from './ledger/entry.ts';
import type { BulkLedger } from './ledger/ledger.ts';
import { type LineIndex, LineStatus } from './ledger/line-index.ts';
import { OUTCOMES, type OutcomeName } from './ledger/outcome.ts';
import type { LineTask } from './send.ts';
import { type Input, surveyedLines } from './survey.ts';

export interface BulkRun {
  readonly input: Input;
  /** The status of each line, from the survey and the ledger. */
  readonly index: LineIndex;
  readonly ledger: BulkLedger | undefined;
  readonly repeats?: ReadonlySet<number>;
  readonly signal: AbortSignal;
  readonly jobs: number;
  readonly failFast: boolean;
  /** Changes the record of a line. @throws {CliError}, {@link InDoubt}; see {@link endsRun}. */
  apply(record: InputRecord, task: LineTask): Promise<Pick<ResultEntry, 'result' | 'sent'>>;
  /** The result of a line that failed. @param doi of the line in the ledger. */
  failed(record: InputRecord, doi: string | undefined, error: CliError | InDoubt): LineResult;
  write(result: LineResult): Promise<void>;
  progress(counts: BulkCounts): void;
}

/** The number of lines by outcome; `before` counts lines that were done by earlier runs. */
export interface BulkCounts extends Record<OutcomeName, number> {
  before: number;
  /** Done, but not as requested, for example in another state. */
  wrong: number;
  /** Failed, but the record may exist: the next run looks for it. */
  doubtful: number;
  /** Failed, because the service did not answer as it should: the next run may succeed. */
  unavailable: number;
}

// How many lines may be ahead of the oldest one without a result.
const LOOKAHEAD = 1024;
// Keeps the end of an interrupted run within two seconds.
const GRACE_MS = 1500;
// The service counts as unavailable after this many failed lines in a row, each with its retries.
const MAX_UNAVAILABLE = 3;

/**
 * Processes the lines of a file that are not done yet, and writes the results of all lines in
 * order. The ledger contains every finished line, even after an early end.
 */
export async function runBulk(run: BulkRun): Promise<BulkCounts> {
  return new BulkRunner(run).go();
}

class BulkRunner {
  readonly #run: BulkRun;
  readonly #counts = Object.fromEntries(
    [...OUTCOMES, 'before', 'wrong', 'doubtful', 'unavailable'].map((name) => [name, 0]),
  ) as unknown as BulkCounts;
  readonly #results: InOrder<LineResult>;
  readonly #jobs: Semaphore;
  #unavailable = 0;
  #reason: unknown;
  #ending = false;
  /** Starts the grace time of the lines in progress. */
  #startGraceTime: () => void = () => undefined;

  constructor(run: BulkRun) {
    this.#run = run;
    this.#jobs = new Semaphore(run.jobs);
    this.#results = new InOrder((result) => run.write(result), LOOKAHEAD);
  }

  async go(): Promise<BulkCounts> {
    const { signal, input, index, repeats } = this.#run;
    const lines = surveyedLines(input, index, repeats);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      this.#startGraceTime = () => {
        timer ??= setTimeout(resolve, GRACE_MS, 'late');
      };
    });
    signal.addEventListener('abort', this.#startGraceTime, { once: true });
    if ((await Promise.race([this.#applyAll(lines), late])) === 'late') {
      this.#results.abandon();
      // The loop over the lines still waits for a line in progress, and would keep the file open.
      void lines.return(undefined);
    }
    await this.#results.end().catch((error: unknown) => this.#stop(error));
    clearTimeout(timer);
    signal.removeEventListener('abort', this.#startGraceTime);
    signal.throwIfAborted();
    if (this.#reason !== undefined) throw this.#reason;
    return this.#counts;
  }

  async #applyAll(lines: AsyncGenerator<InputRecord>): Promise<void> {
    try {
      for await (const line of lines) {
        if (this.#stops) break;
        await this.#take(line);
      }
    } catch (error) {
      this.#stop(error);
    }
    // All slots are free only when every job has ended.
    for (let job = 0; job < this.#run.jobs; job += 1) await this.#jobs.acquire();
  }

  get #stops(): boolean {
    return this.#ending || this.#run.signal.aborted;
  }

  #stop(error: unknown): void {
    this.#ending = true;
    this.#reason ??= error;
    // The reader of the results has gone: lines in progress get the same time as after a signal.
    if (this.#reason instanceof ClosedPipe) this.#startGraceTime();
  }

  async #take(record: InputRecord): Promise<void> {
    const { line: number } = record;
    const { index, ledger } = this.#run;
    const status = index.of(number).status;
    if (status >= LineStatus.done) {
      this.#counts.before += 1;
      if (status === LineStatus.wrong) this.#counts.wrong += 1;
      return this.#results.push(async () => {
        const entry = await ledger?.result(number);
        if (entry !== undefined) return entry.result;
        throw new CliError('unexpected', `the ledger has lost the result of line ${number}`);
      });
    }
    const task = { line: number, of: hashText(index.of(number).hash) };
    const release = await this.#jobs.acquire();
    if (this.#stops) return release();
    const result = this.#settle(record, task).finally(release);
    await this.#results.push(() => result);
  }

  /** The result; undefined when the run ended before the line had one. Never rejects. */
  async #settle(record: InputRecord, task: LineTask): Promise<LineResult | undefined> {
    try {
      const done = await this.#attempt(record, task);
      this.#run.ledger?.settle({ line: task.line, of: task.of, ...done });
      if (done.doubt) this.#counts.doubtful += 1;
      this.#count(done.result);
      return done.result;
    } catch (error) {
      this.#stop(error);
      return undefined;
    }
  }

  async #attempt(record: InputRecord, task: LineTask): Promise<Omit<ResultEntry, 'line' | 'of'>> {
    try {
      const done = await this.#run.apply(record, task);
      this.#unavailable = 0;
      return done;
    } catch (thrown) {
      const error = thrown instanceof InDoubt ? thrown.reason : thrown;
      if (!(error instanceof CliError) || endsRun(error)) throw error;
      const isUnavailable = isOutage(error);
      this.#unavailable = isUnavailable ? this.#unavailable + 1 : 0;
      if (isUnavailable) this.#counts.unavailable += 1;
      if (this.#unavailable >= MAX_UNAVAILABLE) this.#stop(error);
      const reservation = await this.#run.ledger?.reservation(task.line);
      const isInDoubt = thrown instanceof InDoubt;
      const result = this.#run.failed(record, reservation?.doi, isInDoubt ? thrown : error);
      return { result, doubt: isInDoubt || undefined };
    }
  }

  #count(result: LineResult): void {
    const { failFast, progress } = this.#run;
    this.#counts[result.outcome] += 1;
    if (result.outcome !== 'failed' && result.errors.length > 0) this.#counts.wrong += 1;
    if (failFast && result.errors.length > 0) this.#ending = true;
    progress(this.#counts);
  }
}

/** Whether an error ends the run: a stop, refused credentials, a lost lock, a failing ledger. */
export function endsRun({ kind, status }: CliError): boolean {
  // 403 concerns a single record: its prefix belongs to another account.
  if (kind === 'credentials') return status !== 403;
  return ['interrupted', 'terminated', 'hung-up', 'output', 'incomplete'].includes(kind);
}

/** The numbers of lines with an outcome, and of lines that did not fail. */
export function attemptTotals(counts: BulkCounts): { all: number; done: number } {
  const all = OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
  return { all, done: all - counts.failed };
}

/** Writes results in order of their pushes. A push waits while the oldest of a full window does. */
export class InOrder<T> {
  readonly #write: (result: T) => Promise<void>;
  readonly #windowSize: number;
  /** The latest results; each promise resolves when its result and all earlier ones are written. */
  readonly #window: Promise<void>[] = [];
  #last: Promise<void> = Promise.resolve();
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(write: (result: T) => Promise<void>, windowSize: number) {
    this.#write = write;
    this.#windowSize = windowSize;
  }

  /**
   * Adds the next result and waits until the window has room.
   * @param result called when all earlier results are written; undefined ends the writing.
   */
  async push(result: () => Promise<T | undefined>): Promise<void> {
    if (this.#closed) return this.#last;
    this.#last = this.#last.then(async () => {
      const known = this.#closed ? undefined : await result();
      this.#closed ||= known === undefined;
      if (known === undefined || this.#closed) return;
      this.#writing = this.#write(known);
      await this.#writing;
    });
    this.#last.catch(() => {
      this.#closed = true;
    });
    this.#window.push(this.#last);
    if (this.#window.length >= this.#windowSize) await this.#window.shift();
  }

  /** Drops results that are not known yet; a write in progress is completed. */
  abandon(): void {
    this.#closed = true;
    this.#last = this.#writing;
  }

  /** Resolves when all results up to the first missing one are written. */
  end(): Promise<void> {
    return this.#last;
  }
}
