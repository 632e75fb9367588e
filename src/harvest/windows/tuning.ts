/**
 * Every number that lists and copies by several cursors are tuned with. They decide where windows
 * are cut and when pages are asked for, never which records are fetched.
 */

/** A list with fewer pages left is not worth several cursors. */
export const LEAST_PAGES = 5;
/**
 * Of the rate: with less left, several cursors would have to wait for the service's window of five
 * minutes.
 */
export const MOST_USED = 0.5;

// How records are taken to be spread.

/**
 * The later half of a page shows a burst if so many times more records are expected at its pace
 * than in the whole time.
 */
export const BURST = 3;
/**
 * A count tells whether a burst has gone on if that makes a difference of so much of its records.
 */
export const TELLING = 0.05;
/**
 * No guess is so sure that its opposite is not tried: the share of the records of a burst that it
 * gets.
 */
export const UNLIKELY = 0.2;
/**
 * How often what is known of the records is made to agree with each count: counts of years and of
 * windows overlap.
 */
export const FIT_ROUNDS = 5;
/** In records: it agrees with all counts. */
export const FITS = 1;

// Where windows are cut.

/**
 * A window is cut for an idle job if it has more than this many pages left: less is a page for
 * each.
 */
export const WORTH_A_CUT = 1.2;
/**
 * Of a page: how much shorter than whole pages a part is, because a single record more costs a
 * further request.
 */
export const SLACK = 0.2;
/**
 * Of the pages: how many more requests cuts may take, because the last page of a window is not
 * full. No more are allowed.
 */
export const WASTE = 0.15;
/** The same in pages, for few pages: each job needs a window. */
export const FREE_WASTE = 15;
/**
 * The most records of a window of a copy: a file of about 200 MB, or a quarter of that compressed.
 */
export const MOST_RECORDS = 50_000;
/** How full the parts of a larger window are meant to be. */
export const FILL = 0.9;
/** The most parts of one cut: those that turn out large are cut again. */
export const MOST_PARTS = 64;

// A list that is larger than the pages that may wait.

/**
 * Of the room for them: how much the windows behind the first one may take while the list waits for
 * its end.
 */
export const BEHIND = 0.5;
/**
 * Of the pages in front of a window that are still to be asked for: those that will wait at the
 * same time.
 */
export const IN_FRONT = 0.5;
/** A window is cut if it is this many times longer than it should be. */
export const LONG = 2;
/** Windows that wait for a job: a cut takes effect with the next answer. */
export const RESERVE = 3;
/** The compressed bytes of a record, until the first page tells. */
export const USUAL_BYTES = 600;
/** A reader that takes no page for so long has stopped, in milliseconds. */
export const PATIENCE_MS = 3000;

// Windows that are planned by counts alone.

/**
 * The most parts of one cut: many take fewer counts than halves where records are spread evenly.
 */
export const MOST_PARTS_COUNTED = 16;

// How many requests are under way at once.

/**
 * Times the requests that begin within an answer: an answer is also unpacked, and the next request
 * waits for its turn.
 */
export const HEADROOM = 1.2;
/** Answers whose mean is judged: single ones take from half to twice as long as others. */
export const ANSWERS = 12;
/** Times what is usual: a service that takes longer than this may be slow because of the load. */
export const SLOWER = 1.4;
/**
 * Times what answers took with more requests: a service that takes less than this is faster with
 * fewer.
 */
export const FASTER = 0.85;
/** What the number is multiplied by while the service is slow, and while it is not. */
export const FEWER = 0.7;
export const MORE = 1.2;
