import { ALL_TIME, type Span } from '../walk/creation-time.ts';

/**
 * Whether the service counts as many records before and after a time as in the whole: then it understands queries by
 * creation time. The number of records is compared at the end.
 * @param total the service's count of the whole.
 * @throws whatever `count` throws, also where the service refuses such a query.
 */
export async function understandsTimes(
  count: (span: Span) => Promise<number>,
  time: number,
  total: number,
): Promise<boolean> {
  const [before, after] = await Promise.all([
    count({ from: null, to: time }),
    count({ from: time, to: null }),
  ]);
  const sum = before + after;
  if (sum === total) return true;
  // Records may have been added or hidden since.
  const now = await count(ALL_TIME);
  return sum >= Math.min(total, now) && sum <= Math.max(total, now);
}
