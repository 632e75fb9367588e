import { setTimeout } from 'node:timers/promises';

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // The timer itself rejects with another error.
  return setTimeout(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}

/** A function that calls `make` the first time, and returns the same promise each time. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * A function that runs some work, one run at a time: calls during a run share the next run and its
 * failure.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const runNext = async () => {
    // Only the callers of a run get its failure.
    await Promise.allSettled([running]);
    next = undefined;
    running = work();
    await running;
  };
  return () => {
    next ??= runNext();
    return next;
  };
}

/**
 * Runs work for each item, in order, with at most `jobs` at once. @throws the first failure, at the
 * end.
 */
export async function forEachLimited<T>(
  items: Iterable<T>,
  jobs: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const job = async () => {
    while (failures.length === 0) {
      const next = rest.next();
      if (next.done) return;
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, job));
  if (failures.length > 0) throw failures[0];
}

/** Lets at most `count` holders in at once, in the order of their requests. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with a function that releases the slot; calling it again does nothing. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  /** Runs work in a slot, and releases it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}
