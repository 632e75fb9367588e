/**
 * A function that does some work, one run at a time: calls during a run share the next, and its
 * failure.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const runNext = async () => {
    // A failure is reported to the callers of that run only.
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
