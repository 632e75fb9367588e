import { describe, expect, it } from 'vitest';
import { JobLimit } from '../../../src/harvest/windows/job-limit.ts';

/**
 * The jobs of a limit after answers, each of which takes as long as `msFor` says for the jobs of
 * its time.
 */
function answered(limit: JobLimit, answers: number, msFor: (jobs: number) => number): number {
  for (let n = 0; n < answers; n += 1) limit.note(msFor(limit.current));
  return limit.current;
}

function started(most: number, perSecond: number, ms: number): JobLimit {
  const limit = new JobLimit(most, perSecond);
  limit.note(ms);
  limit.start();
  return limit;
}

describe('JobLimit', () => {
  it.each([
    [40, 10, 1000, 13],
    [4, 10, 1000, 4],
    [40, 10, 3000, 37],
    [40, 10, 9000, 40],
    [40, 1.6, 1000, 3],
  ])(
    'of at most %i at %d a second and %i ms an answer begins with %i',
    (most, perSecond, ms, jobs) => {
      expect(started(most, perSecond, ms).current).toBe(jobs);
    },
  );

  it('is worth it only where one request after the other does not reach the rate', () => {
    const worthwhile = (most: number, ms: number) => {
      const limit = new JobLimit(most, 10);
      limit.note(ms);
      return limit.isWorthwhile;
    };
    expect([worthwhile(8, 50), worthwhile(8, 500), worthwhile(1, 500)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(new JobLimit(8, 10).isWorthwhile).toBe(false);
  });

  it('takes fewer jobs while that makes answers faster, and all of them again later', () => {
    const limit = started(32, 10, 1000);
    const slow = answered(limit, 200, (count) => Math.max(1000, 250 * count));
    expect(slow).toBeLessThan(8);
    expect(answered(limit, 400, () => 1000)).toBe(13);
  });

  it('has all jobs again where fewer do not make answers faster', () => {
    expect(answered(started(32, 10, 1000), 200, () => 2000)).toBe(13);
  });

  it('takes fewer jobs after a time that was slow for another reason, too', () => {
    const limit = started(32, 10, 1000);
    answered(limit, 200, () => 3000);
    answered(limit, 600, () => 1000);
    const counts = new Set<number>();
    answered(limit, 200, (count) => {
      counts.add(count);
      return Math.max(1000, 250 * count);
    });
    expect(Math.min(...counts)).toBeLessThan(10);
  });

  it('finds how many jobs a service can bear that gets slower with each', () => {
    const limit = started(32, 10, 1000);
    const jobs = answered(limit, 300, (count) => Math.max(1000, 400 * count));
    expect(jobs).toBeGreaterThanOrEqual(2);
    expect(jobs).toBeLessThanOrEqual(5);
  });

  it('has at least one job, and no more than at first where answers take less time', () => {
    const limit = started(32, 10, 1000);
    expect(answered(limit, 1000, (count) => 2000 * 3 ** count)).toBeGreaterThanOrEqual(1);
    expect(answered(limit, 1000, () => 10)).toBeLessThanOrEqual(13);
  });
});
