import type { Service } from '../api/service.ts';

const MOST_JOBS_BY_DEFAULT = 16;

/** With an answer taking about a second, so many requests are under way at once at the full rate. */
export function jobsFor({ rateLimiter }: Service): number {
  return Math.min(MOST_JOBS_BY_DEFAULT, Math.max(2, Math.ceil(rateLimiter?.current ?? 1)));
}

/** Requests at once that may be asked for. */
export const MOST_JOBS = 64;
