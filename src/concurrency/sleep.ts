import { setTimeout } from 'node:timers/promises';

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // The timer rejects with an error of its own.
  return setTimeout(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
