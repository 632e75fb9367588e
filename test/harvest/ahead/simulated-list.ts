import { setMaxListeners } from 'node:events';
import { type Rate, RateLimiter, serviceRate } from '../../../src/api/http/rate-limiter.ts';
import { JobLimit } from '../../../src/concurrency/job-limit.ts';
import { DEFAULT_JOBS } from '../../../src/core/defaults.ts';
import { WAITING_BYTES } from '../../../src/core/list.ts';
import { Cuts } from '../../../src/harvest/ahead/cuts.ts';
import type { FetchPacked } from '../../../src/harvest/ahead/packed-page.ts';
import { Prefetch } from '../../../src/harvest/ahead/prefetch.ts';
import { Segment } from '../../../src/harvest/ahead/segment.ts';
import { Timeline } from '../../../src/harvest/plan/timeline.ts';
import type { Span } from '../../../src/harvest/walk/creation-time.ts';

const PAGE_SIZE = 1000;
const PAGE_BYTES = 570_000;
const NOW = Date.UTC(2026, 6);

/**
 * Lists records ahead of a walk, against a service that answers with a latency and within its rate limit, on a
 * clock of its own: no time passes, and each run is the same.
 * @param created the creation times of the records, in order.
 * @param latency the time of the next answer, in milliseconds.
 */
export async function simulateList(
  created: Float64Array,
  latency: () => number,
  rate: Rate = serviceRate({ authenticated: true, mailto: false, testSystem: false }),
) {
  const clock = new Clock();
  const limiter = new RateLimiter(rate, clock);
  const total = created.length;
  let requests = 0;
  let firstMs = 0;
  const indexOf = (time: number | null, otherwise: number) => {
    if (time === null) return otherwise;
    let [low, high] = [0, total];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((created[middle] as number) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const fetch: FetchPacked = async (url, { signal, onTime } = {}) => {
    const parts = url.searchParams;
    const bound = (name: string) => (parts.has(name) ? Number(parts.get(name)) : null);
    await limiter.acquire(signal ?? NEVER);
    requests += 1;
    const start = clock.now();
    const from = indexOf(bound('from'), 0);
    const to = indexOf(bound('to'), total);
    const ms = latency();
    await clock.sleep(ms, NEVER);
    onTime?.(clock.now() - start);
    const cursor = parts.get('page[cursor]') ?? '';
    const at = cursor === '1' ? from : Number(cursor);
    const end = Math.min(to, at + PAGE_SIZE);
    return {
      bytes: { length: (PAGE_BYTES * (end - at)) / PAGE_SIZE } as Buffer,
      // Behind a full page comes a further one, which may be empty.
      next: end - at < PAGE_SIZE ? null : `${end}`,
      total: to - from,
      first: end > at ? (created[at] as number) : Number.NaN,
      last: end > at ? (created[end - 1] as number) : Number.NaN,
    };
  };
  const urlOf = ({ from, to }: Span, cursor: string) => {
    const url = new URL('http://localhost/dois');
    if (from !== null) url.searchParams.set('from', `${from}`);
    if (to !== null) url.searchParams.set('to', `${to}`);
    url.searchParams.set('page[cursor]', cursor);
    return url;
  };
  const walk = async () => {
    const jobs = new JobLimit(DEFAULT_JOBS, limiter.current);
    const onTime = (ms: number) => jobs.note(ms);
    const all = { from: null, to: null };
    const page = await fetch(urlOf(all, '1'), { onTime });
    if (page === undefined) throw new Error('there is no first page');
    firstMs = clock.now();
    jobs.start();
    const timeline = Timeline.fromYears(yearsOf(created), total, NOW, page.first);
    timeline.learn({ from: null, to: page.last + 1 }, PAGE_SIZE);
    timeline.learn({ from: page.last + 1, to: null }, total - PAGE_SIZE);
    const head = new Segment(all);
    const density = (page.last - page.first) / PAGE_SIZE;
    const { last } = page;
    Object.assign(head, { next: `${PAGE_SIZE}`, records: PAGE_SIZE, total, density, last, pages: 1 });
    const count = async (span: Span) => {
      await fetch(urlOf(span, '1'), {});
      return indexOf(span.to, total) - indexOf(span.from, 0);
    };
    const cuts = new Cuts(timeline, PAGE_SIZE, total);
    const port = { fetch, count, jobs, cuts, pageSize: PAGE_SIZE, mostBytes: WAITING_BYTES, now: clock.now };
    const prefetch = new Prefetch({ ...port, url: urlOf }, head);
    prefetch.handOver();
    let records = PAGE_SIZE;
    let mostBytes = 0;
    for (let cursor: string | null = head.next as string; ; ) {
      const taken = await prefetch.take(cursor, PAGE_SIZE);
      if (taken === undefined) throw new Error('a page was not asked for');
      mostBytes = Math.max(mostBytes, prefetch.bytes);
      records += Math.round((PAGE_SIZE * taken.packed.bytes.length) / PAGE_BYTES);
      cursor = taken.packed.next ?? null;
      if (cursor === null) {
        const { following } = prefetch;
        if (following === undefined) break;
        if ((await following.origin?.settled) === false) throw new Error('a cut does not add up');
        prefetch.advance();
        cursor = '1';
      }
      prefetch.handOver();
    }
    prefetch.stop();
    return { records, mostBytes };
  };
  const done = walk();
  await clock.runUntil(done);
  const result = await done;
  const pages = Math.ceil(total / PAGE_SIZE);
  const ideal = (pages * rate.windowMs) / rate.requests + firstMs;
  return { ...result, requests, pages, timesIdeal: clock.now() / ideal };
}

function yearsOf(created: Float64Array) {
  const counts = new Map<number, number>();
  for (const time of created) {
    const year = new Date(time).getUTCFullYear();
    counts.set(year, (counts.get(year) ?? 0) + 1);
  }
  return Array.from(counts, ([year, count]) => ({ year, count }))
    .sort((a, b) => b.year - a.year)
    .slice(0, 10);
}

const NEVER = new AbortController().signal;
// Every request listens to it.
setMaxListeners(0, NEVER);

/** A clock that jumps to the next timer once nothing else is left to do. */
class Clock {
  #time = 0;
  readonly #timers: { readonly at: number; readonly ring: () => void }[] = [];

  now = () => this.#time;
  random = () => 0.5;
  sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = { at: this.#time + ms, ring: resolve };
      this.#timers.push(timer);
      signal.addEventListener('abort', () => {
        const at = this.#timers.indexOf(timer);
        if (at >= 0) this.#timers.splice(at, 1);
        reject(signal.reason);
      });
    });

  async runUntil(done: Promise<unknown>): Promise<void> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    done.then(end, end);
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (isDone) return;
      this.#timers.sort((a, b) => a.at - b.at);
      const next = this.#timers.shift();
      if (next === undefined) throw new Error('nothing is left to wait for');
      this.#time = Math.max(this.#time, next.at);
      next.ring();
    }
  }
}
