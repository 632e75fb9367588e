/** The first moment of all lists, and the first one after them. */
export const BEGIN = Date.UTC(2011, 0);
export const END = Date.UTC(2026, 6);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const DAY_2021 = Date.UTC(2021, 4, 18);

/** Numbers from 0 to 1, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const inSeconds = (times: Float64Array) =>
  times.map((time) => Math.floor(time / 1000) * 1000).sort();

/** Records that are spread evenly over a time; those of a time of 0 ms share a second. */
type Group = { readonly count: number; readonly start: number; readonly ms: number };

/** A list of groups; the records in none of them are spread evenly over all years. */
function list(count: number, seed: number, groups: readonly Group[] = []): Float64Array {
  const random = numbers(seed);
  const times = new Float64Array(count);
  let filled = 0;
  const fill = (group: Group) => {
    for (let n = 0; n < group.count; n += 1) {
      times[filled] = group.start + (group.ms * (n + random())) / group.count;
      filled += 1;
    }
  };
  for (const group of groups) fill(group);
  fill({ count: count - filled, start: BEGIN, ms: END - BEGIN });
  return inSeconds(times);
}

function growing(count: number): Float64Array {
  const random = numbers(2);
  return inSeconds(
    Float64Array.from({ length: count }, () => BEGIN + (END - BEGIN) * random() ** 0.25),
  );
}

function ties(count: number): Float64Array {
  const random = numbers(9);
  const tie = () => ({ count: 3000, start: BEGIN + (END - BEGIN - DAY) * random(), ms: 0 });
  return list(count, 10, Array.from({ length: Math.floor(count / 3000) }, tie));
}

/** Ten bursts, one in each of ten years. */
function bursts(count: number): Float64Array {
  const random = numbers(3);
  const burst = (_: unknown, n: number) => ({
    count: Math.floor(count * 0.099),
    start: Date.UTC(2014 + n, 0) + 364 * DAY * random(),
    ms: 10 * MINUTE,
  });
  return list(count, 4, Array.from({ length: 10 }, burst));
}

function batches(count: number): Float64Array {
  const batch = (_: unknown, n: number) => ({
    count: Math.min(1000, count - 1000 * n),
    start: Date.UTC(2020, 0, 1 + n, 3),
    ms: MINUTE,
  });
  return list(count, 5, Array.from({ length: Math.ceil(count / 1000) }, batch));
}

function mixed(count: number): Float64Array {
  const random = numbers(6);
  const times: number[] = [];
  while (times.length < count) {
    const start = BEGIN + (END - BEGIN - DAY) * random();
    const step = [0, 1000, 10_000][Math.floor(random() * 3)] as number;
    const burst = Math.ceil(random() ** 3 * 5000);
    for (let n = 0; n < burst && times.length < count; n += 1) times.push(start + n * step);
  }
  return inSeconds(Float64Array.from(times));
}

/** The creation times of so many records, in whole seconds and in order, the same in each run. */
export const shapes = {
  even: (count) => list(count, 1),
  growing,
  day: (count) => list(count, 7, [{ count: Math.floor(count * 0.9), start: DAY_2021, ms: DAY }]),
  hour: (count) =>
    list(count, 8, [{ count: Math.floor(count * 0.9), start: DAY_2021, ms: 60 * MINUTE }]),
  bursts,
  ties,
  half: (count) =>
    list(count, 11, [{ count: Math.floor(count / 2), start: Date.UTC(2019, 7, 6), ms: 0 }]),
  batches,
  months: (count) => list(count, 12, [{ count, start: Date.UTC(2020, 2), ms: 153 * DAY }]),
  mixed,
} satisfies Record<string, (count: number) => Float64Array>;

/** Each answer takes the same time. */
export const steady = (ms: number) => (_open: number) => ms;

/** Answers take up to this share of the time less or more. */
export function varying(ms: number, share: number): (open: number) => number {
  const random = numbers(13);
  return () => ms * (1 + share * (2 * random() - 1));
}

/** Most answers take from half to twice the time, and a few many times that. */
export function skewed(ms: number): (open: number) => number {
  const random = numbers(14);
  return () => ms * 2 ** (Math.log(1 / random() - 1) / 2);
}

/** Answers take the given times as long after the first thirty. */
export function rising(ms: number, times: number): (open: number) => number {
  let answers = 0;
  return () => {
    answers += 1;
    return answers > 30 ? times * ms : ms;
  };
}

/**
 * Answers take longer the more requests are open, beyond the most that the service works on at
 * once.
 */
export const slowing = (ms: number, most: number) => (open: number) =>
  ms * Math.max(1, open / most);
