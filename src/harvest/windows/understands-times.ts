import { CliError } from '../../errors.ts';
import { ALL_TIME, type Span } from '../walk/creation-time.ts';

/**
 * Whether the service counts as many records before and after a time as in the whole, `total`: then
 * it understands queries by creation time, which it also may refuse. The number of records is
 * compared at the end.
 */
export async function understandsTimes(
  count: (span: Span) => Promise<number>,
  time: number,
  total: number,
): Promise<boolean> {
  try {
    const sides = [count({ from: null, to: time }), count({ from: time, to: null })];
    const sum = (await Promise.all(sides)).reduce((all, side) => all + side, 0);
    if (sum === total) return true;
    // Records may have been added or hidden since.
    const now = await count(ALL_TIME);
    return sum >= Math.min(total, now) && sum <= Math.max(total, now);
  } catch (error) {
    if (error instanceof CliError && error.kind === 'rejected') return false;
    throw error;
  }
}
