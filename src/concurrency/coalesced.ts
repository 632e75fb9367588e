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
