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
