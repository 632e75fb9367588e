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
