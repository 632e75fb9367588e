import type { Context } from './context.ts';

/** Waits for work that an interrupt must not cut off; `notify` tells the user so, once. */
export async function whileUninterruptible<T>(
  signal: AbortSignal,
  notify: () => void,
  work: () => Promise<T>,
): Promise<T> {
  signal.addEventListener('abort', notify, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', notify);
  }
}

/** Waits for the answer to a write, which an interrupt does not cut off; the first interrupt says so. */
export function untilAnswered<T>({ host, messages }: Context, write: () => Promise<T>): Promise<T> {
  const notify = () =>
    messages.status('waiting for the answer, so that the outcome is known; a second interrupt ends at once');
  return whileUninterruptible(host.signal, notify, write);
}
