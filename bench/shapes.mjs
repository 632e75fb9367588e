// When the records of a list were created, and how its service behaves: accounts import in bulk,
// and services are not all alike.

/** The first moment of all lists, and the first one after them. */
const BEGIN = Date.UTC(2011, 0);
const END = Date.UTC(2026, 6);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const DAY_2021 = Date.UTC(2021, 4, 18);
const TIE = 3000;

/**
 * @typedef {{ count: number, start: number, ms: number }} Group records spread evenly over a time;
 *   0 ms is one second
 * @typedef {object} Shape
 * @property {(count: number) => Float64Array} times when the records were created, in whole seconds
 *   and in order, the same in each run
 * @property {number} records
 * @property {number} pageSize
 * @property {number} latency the seconds until an answer
 * @property {{ requests: number, seconds: number }} limit the most requests that the service allows
 *   in a time
 * @property {(open: number, random: () => number) => number} [factor] of the latency, with so many
 *   requests open, this one included
 * @property {(request: number) => boolean} [fails] whether a request fails with 502, numbered from
 *   1
 * @property {'refused' | 'ignored'} [created] what becomes of a range of creation times in a query
 * @property {false} [years] the service does not count the records of each year
 * @property {number} [cursorPages] the pages that no cut divides, which one cursor fetches
 * @property {string[]} [options] of the commands
 * @property {{ list?: number, harvest?: number, harvestSeconds?: number }} targets times an even
 *   rate
 */

const ACCOUNT = {
  records: 100_000,
  pageSize: 1000,
  latency: 1,
  limit: { requests: 3000, seconds: 300 },
};
const NO_RANGES = { ...ACCOUNT, records: 20_000, latency: 0.2, targets: {} };

const ACCOUNTS = {
  even: { ...ACCOUNT, times: even, targets: { list: 1.15, harvest: 1.15 } },
  growing: { ...ACCOUNT, times: growing, targets: { list: 1.2, harvest: 1.2 } },
  day: { ...ACCOUNT, times: within(DAY), targets: { list: 1.3, harvest: 1.3 } },
  hour: { ...ACCOUNT, times: within(60 * MINUTE), targets: { list: 1.3, harvest: 1.3 } },
  bursts: { ...ACCOUNT, times: bursts, targets: { list: 1.3, harvest: 1.3 } },
  ties: { ...ACCOUNT, times: ties, targets: { list: 1.4, harvest: 1.4 } },
  half: { ...ACCOUNT, times: half, cursorPages: 50, targets: { list: 1.1, harvest: 1.1 } },
};

/** @type {Record<string, Shape>} */
export const SHAPES = {
  ...ACCOUNTS,
  ...Object.fromEntries(
    Object.entries(ACCOUNTS).map(([name, shape]) => [
      `${name}-no-years`,
      { ...shape, years: false },
    ]),
  ),
  varying: {
    ...ACCOUNT,
    times: even,
    factor: (_open, random) => 0.6 + 0.8 * random(),
    fails: (request) => request % 200 === 100,
    targets: { list: 1.5, harvest: 1.5 },
  },
  slowing: {
    ...ACCOUNT,
    times: even,
    factor: (open) => Math.max(1, open / 6),
    targets: { list: 2, harvest: 2 },
  },
  months: {
    times: months,
    records: 20_000,
    pageSize: 100,
    latency: 0.2,
    limit: { requests: 40, seconds: 1 },
    options: ['--page-size', '100', '--rate', '40/1s'],
    targets: { harvestSeconds: 6 },
  },
  refusing: { ...NO_RANGES, times: even, created: 'refused' },
  ignoring: { ...NO_RANGES, times: even, created: 'ignored' },
};

/**
 * The seconds at an even rate: a request at a time for what no cut divides, the rest at the rate.
 * A client that sends a part of the requests at once may need less.
 */
export function evenRateOf({ records, pageSize, latency, limit, cursorPages = 1 }) {
  const rest = Math.ceil(records / pageSize) - (cursorPages === 1 ? 0 : cursorPages);
  return cursorPages * latency + (rest * limit.seconds) / limit.requests;
}

/** Numbers from 0 to 1, the same in each run. */
export function numbers(/** @type {number} */ seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const inSeconds = (/** @type {Float64Array} */ times) =>
  times.map((time) => Math.floor(time / 1000) * 1000).sort();

/** Groups of records; all others are spread evenly over all years. */
function list(
  /** @type {number} */ count,
  /** @type {number} */ seed,
  /** @type {Group[]} */ groups = [],
) {
  const random = numbers(seed);
  const times = new Float64Array(count);
  const grouped = groups.reduce((sum, group) => sum + group.count, 0);
  let filled = 0;
  for (const group of [...groups, { count: count - grouped, start: BEGIN, ms: END - BEGIN }]) {
    for (let n = 0; n < group.count; n++) {
      times[filled++] = group.start + (group.ms * (n + random())) / group.count;
    }
  }
  return inSeconds(times);
}

function even(/** @type {number} */ count) {
  return list(count, 1);
}

function growing(/** @type {number} */ count) {
  const random = numbers(2);
  return inSeconds(
    Float64Array.from({ length: count }, () => BEGIN + (END - BEGIN) * random() ** 0.25),
  );
}

/** Nine tenths within a time of 2021. */
function within(/** @type {number} */ ms) {
  return (/** @type {number} */ count) =>
    list(count, 7, [{ count: Math.floor(count * 0.9), start: DAY_2021, ms }]);
}

/** Ten bursts, one in each of ten years. */
function bursts(/** @type {number} */ count) {
  const random = numbers(3);
  const burst = (/** @type {unknown} */ _, /** @type {number} */ n) => ({
    count: Math.floor(count * 0.099),
    start: Date.UTC(2014 + n, 0) + 364 * DAY * random(),
    ms: 10 * MINUTE,
  });
  return list(count, 4, Array.from({ length: 10 }, burst));
}

function ties(/** @type {number} */ count) {
  const random = numbers(9);
  const tie = () => ({ count: TIE, start: BEGIN + (END - BEGIN - DAY) * random(), ms: 0 });
  return list(count, 10, Array.from({ length: Math.floor(count / TIE) }, tie));
}

function half(/** @type {number} */ count) {
  return list(count, 11, [{ count: Math.floor(count / 2), start: Date.UTC(2019, 7, 6), ms: 0 }]);
}

/** All within five months. */
function months(/** @type {number} */ count) {
  return list(count, 12, [{ count, start: Date.UTC(2020, 2), ms: 153 * DAY }]);
}
