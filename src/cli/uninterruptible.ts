/**
 * Runs work to its end, although the run may be interrupted meanwhile.
 * @param notify called once, at the interrupt.
 */
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
