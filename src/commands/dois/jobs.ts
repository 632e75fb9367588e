import type { Service } from '../../cli/context.ts';

const MOST_JOBS_BY_DEFAULT = 16;

/** With an answer taking about a second, so many requests are under way at once at the full rate. */
export function jobsFor({ rateLimiter }: Service): number {
  return Math.min(MOST_JOBS_BY_DEFAULT, Math.max(2, Math.ceil(rateLimiter?.current ?? 1)));
}
