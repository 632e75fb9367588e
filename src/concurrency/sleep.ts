import { setTimeout } from 'node:timers/promises';

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // The timer itself rejects with another error.
  return setTimeout(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
