/**
 * Waits for work that an interrupt must not cut off.
 * @param notify tells the user to wait; called once, at the interrupt.
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
