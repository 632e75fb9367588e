import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CliError } from '../../errors.ts';
import type { BatchFiles, BatchTask, ExportTarget } from './export-batch.ts';

/** The data with which a thread starts. */
export interface ThreadData {
  /** The words of `CurrentRecords`. */
  readonly words: SharedArrayBuffer;
  readonly target: ExportTarget;
}

interface Answer {
  readonly made?: BatchFiles;
  readonly error?: Pick<CliError, 'kind' | 'message' | 'hint'>;
}

// Without limits, the garbage of parsed records grows to twice as much. A record needs far less.
const LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 };

/** Threads that write the tables of batches, each thread one batch at a time. */
export class Threads {
  readonly #program: URL;
  readonly #data: ThreadData;
  readonly #all: Worker[] = [];
  readonly #idle: Worker[] = [];

  constructor(program: URL, data: ThreadData) {
    this.#program = program;
    this.#data = data;
  }

  /** Runs `updateBatch` in an idle thread or a new one. @throws what that throws. */
  async update(task: BatchTask, signal: AbortSignal): Promise<BatchFiles | undefined> {
    const thread = this.#idle.pop() ?? this.#start();
    thread.postMessage(task);
    const [{ made, error }] = (await once(thread, 'message', { signal }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new CliError('unexpected', `a thread failed: ${(cause as Error).message}`, { cause });
    })) as [Answer];
    this.#idle.push(thread);
    if (error === undefined) return made;
    throw new CliError(error.kind, error.message, { hint: error.hint });
  }

  /** Terminates all threads. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.terminate()));
  }

  #start(): Worker {
    const thread = new Worker(this.#program, { workerData: this.#data, resourceLimits: LIMITS });
    this.#all.push(thread);
    return thread;
  }
}
