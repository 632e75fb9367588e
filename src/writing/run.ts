import { EventEmitter, once } from 'node:events';
import { Semaphore } from '../concurrency/promises.ts';
import { CliError, isOutage } from '../errors.ts';
import type { InputRecord } from '../formats/input/source.ts';
import { InDoubt } from './create-record.ts';
import { hashText } from './ledger/checksums.ts';
import type { LineResult, LineTask } from './ledger/entry.ts';
import { LineStatus } from './ledger/line-index.ts';
import { type ChangeRequest, doiOf, nameIn, requestIn } from './request.ts';
import { failedResult, requireState, resultOf } from './result.ts';
import { type Survey, surveyedLines } from './survey.ts';
import { type WriteOutcome, write } from './write.ts';
import type { WriteRun } from './write-run.ts';

/** A line with its result. */
export interface FinishedLine {
  readonly result: LineResult;
  /**
   * Undefined for a line that failed, or that an earlier run has done. Its record is dropped: many
   * lines may wait for an earlier one.
   */
  readonly outcome?: Omit<WriteOutcome, 'record'>;
  readonly error?: CliError | InDoubt;
  /** Whether an earlier run has done it. */
  readonly isBefore?: boolean;
}

/** A line that is not reported yet. */
interface BegunLine {
  isSettled: boolean;
  /** Undefined when the run ended before the line had a result. */
  readonly finished: () => Promise<FinishedLine | undefined>;
}

// How many lines may be ahead of the oldest one without a result.
const LOOKAHEAD = 1024;
// Keeps the end of an interrupted run within two seconds.
const GRACE_MS = 1500;
// The service counts as unavailable after this many failed lines in a row, each with its retries.
const MAX_UNAVAILABLE = 3;

/**
 * Processes the lines of a file that are not done yet, and yields the results of all lines in
 * order. The ledger contains every finished line, even after an early end. A consumer that leaves
 * ends the run: lines in progress get some time.
 */
export function runFile(run: WriteRun, surveyed: Survey): AsyncGenerator<FinishedLine> {
  return new FileRun(run, surveyed).results();
}

class FileRun {
  readonly #run: WriteRun;
  readonly #survey: Survey;
  readonly #jobs: Semaphore;
  /** In the order of the file. */
  readonly #lines: BegunLine[] = [];
  /** `change`: a line has begun, is settled or is reported, or the run ends. */
  readonly #events = new EventEmitter();
  #unavailable = 0;
  #reason: unknown;
  #ending = false;
  /** Whether every line that has begun is settled, and no other begins. */
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the time of the lines in progress is over. */
  #isLate = false;

  constructor(run: WriteRun, surveyed: Survey) {
    this.#run = run;
    this.#survey = surveyed;
    this.#jobs = new Semaphore(run.jobs ?? 1);
  }

  async *results(): AsyncGenerator<FinishedLine> {
    const { signal } = this.#run.io.host;
    const hurry = () => this.#hurry();
    signal.addEventListener('abort', hurry, { once: true });
    const records = surveyedLines(this.#survey);
    void this.#beginAll(records);
    let isLeft = true;
    try {
      for (let next = await this.#oldest(); next; next = await this.#oldest()) yield next;
      isLeft = false;
    } catch (error) {
      isLeft = false;
      this.#stop(error);
    } finally {
      if (isLeft) this.#hurry();
      // The loop over the lines may wait for a line in progress, and would keep the file open.
      void records.return(undefined);
      while (!this.#isOver && !this.#isLate) await once(this.#events, 'change');
      clearTimeout(this.#timer);
      signal.removeEventListener('abort', hurry);
    }
    signal.throwIfAborted();
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** The oldest line, once it has its result; undefined at the end. */
  async #oldest(): Promise<FinishedLine | undefined> {
    while (!this.#lines[0]?.isSettled && !this.#isOver && !this.#isLate)
      await once(this.#events, 'change');
    const next = this.#isLate ? undefined : this.#lines.shift();
    this.#events.emit('change');
    return next?.finished();
  }

  async #earlier(line: number): Promise<FinishedLine> {
    const entry = await this.#run.ledger.result(line);
    if (entry !== undefined) return { result: entry.result, isBefore: true };
    throw new CliError('unexpected', `the ledger has lost the result of line ${line}`);
  }

  async #beginAll(records: AsyncGenerator<InputRecord>): Promise<void> {
    try {
      for await (const record of records) {
        while (this.#lines.length >= LOOKAHEAD && !this.#stops) await once(this.#events, 'change');
        if (this.#stops) break;
        await this.#begin(record);
      }
    } catch (error) {
      this.#stop(error);
    }
    // All slots are free only when every job has ended.
    for (let job = 0; job < (this.#run.jobs ?? 1); job += 1) await this.#jobs.acquire();
    this.#isOver = true;
    this.#events.emit('change');
  }

  async #begin(record: InputRecord): Promise<void> {
    const { line } = record;
    const { status, hash } = this.#survey.index.of(line);
    if (status >= LineStatus.done) {
      this.#lines.push({ isSettled: true, finished: () => this.#earlier(line) });
    } else {
      const release = await this.#jobs.acquire();
      if (this.#stops) return release();
      const finished = this.#settle(record, { line, of: hashText(hash) }).finally(() => {
        begun.isSettled = true;
        release();
        this.#events.emit('change');
      });
      const begun: BegunLine = { isSettled: false, finished: () => finished };
      this.#lines.push(begun);
    }
    this.#events.emit('change');
  }

  get #stops(): boolean {
    return this.#ending || this.#isLate || this.#run.io.host.signal.aborted;
  }

  #stop(error: unknown): void {
    this.#ending = true;
    this.#reason ??= error;
    this.#events.emit('change');
  }

  /** Starts the time of the lines in progress. */
  #hurry(): void {
    this.#timer ??= setTimeout(() => {
      this.#isLate = true;
      this.#events.emit('change');
    }, GRACE_MS);
    this.#events.emit('change');
  }

  /** The result; undefined when the run ended before the line had one. Never rejects. */
  async #settle(record: InputRecord, task: LineTask): Promise<FinishedLine | undefined> {
    try {
      const finished = await this.#attempt(record, task);
      const { result, outcome, error } = finished;
      const doubt = error instanceof InDoubt || undefined;
      if (this.#run.mode === 'send')
        this.#run.ledger.settle({ ...task, result, sent: outcome?.sent, doubt });
      if (this.#run.failFast && result.errors.length > 0) this.#ending = true;
      return finished;
    } catch (error) {
      this.#stop(error);
      return undefined;
    }
  }

  async #attempt(record: InputRecord, task: LineTask): Promise<FinishedLine> {
    const { input, options } = this.#survey;
    let request: ChangeRequest | undefined;
    try {
      request = requestIn(record, input, options);
      const written = requireState(await write(this.#run, request, task), request);
      this.#unavailable = 0;
      const { record: _, ...outcome } = written;
      return { result: resultOf(this.#run, input, task.line, written), outcome };
    } catch (thrown) {
      const error = thrown instanceof InDoubt ? thrown.reason : thrown;
      if (!(error instanceof CliError) || endsRun(error)) throw error;
      this.#unavailable = isOutage(error) ? this.#unavailable + 1 : 0;
      if (this.#unavailable >= MAX_UNAVAILABLE) this.#stop(error);
      const reserved = await this.#run.ledger.reservation(task.line);
      const doi = request === undefined ? nameIn(record, input, options).doi : doiOf(request);
      const isInDoubt = thrown instanceof InDoubt;
      const failure = isInDoubt ? thrown : error;
      const known = doi ?? reserved?.doi ?? null;
      return { result: failedResult(this.#run, input, task.line, known, failure), error: failure };
    }
  }
}

/** Whether an error ends the run: a stop, refused credentials, a lost lock, a failing ledger. */
export function endsRun({ kind, status }: CliError): boolean {
  // 403 concerns a single record: its prefix belongs to another account.
  if (kind === 'credentials') return status !== 403;
  return ['interrupted', 'terminated', 'hung-up', 'output', 'incomplete'].includes(kind);
}
