import type { Service } from '../api/service.ts';

const MAX_DEFAULT_JOBS = 16;

/**
 * The default number of concurrent requests. A response takes about a second, so one job for each request per
 * second uses the full rate.
 */
export function jobsFor({ rateLimiter }: Service): number {
  return Math.min(MAX_DEFAULT_JOBS, Math.max(2, Math.ceil(rateLimiter?.current ?? 1)));
}

/** The largest number of concurrent requests that `--jobs` accepts. */
export const MOST_JOBS = 64;
