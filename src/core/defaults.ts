/** The most records that the service puts on a page (service.md, P1). */
export const MAX_PAGE_SIZE = 1000;
/** The most requests at once that a caller may ask for. */
export const MAX_JOBS = 64;
/** The most requests at once by default: enough to reach the rate limit with answers of 3 s. */
export const DEFAULT_JOBS = 40;
/** How long one request waits for its answer, in milliseconds. */
export const TIMEOUT_MS = 120_000;
/** Attempts after the first. */
export const RETRIES = 8;
/** How far an update of a copy looks back before the last start, in milliseconds. */
export const OVERLAP_MS = 3_600_000;
