import type { Rate } from '../../../src/api/http/rate-limiter.ts';
import type { PackedPage } from '../../../src/harvest/list/packed-page.ts';
import { PagesAhead } from '../../../src/harvest/list/pages-ahead.ts';
import { ALL_TIME, type PageNumbers, type Span } from '../../../src/harvest/walk/creation-time.ts';
import { Density } from '../../../src/harvest/windows/density.ts';
import { JobLimit } from '../../../src/harvest/windows/job-limit.ts';
import { WINDOW_RECORDS } from '../../../src/harvest/windows/plan-windows.ts';
import { WindowPool } from '../../../src/harvest/windows/pool.ts';
import { Window } from '../../../src/harvest/windows/window.ts';
import { END, steady } from './shapes.ts';
import { Clock, type SimulatedPage, SimulatedService } from './simulated-service.ts';

const MOST_JOBS = 40;
const MOST_BYTES = 57 * 1024 * 1024;
/** Of a record, compressed. */
const BYTES = 570;

export interface WalkSettings {
  readonly size?: number;
  readonly rate?: Rate;
  readonly latency?: (open: number) => number;
  readonly fails?: (request: number) => boolean;
  /** Whether the service counts the records of each year. */
  readonly hasFacets?: boolean;
}

interface Simulation {
  readonly clock: Clock;
  readonly service: SimulatedService;
  readonly jobs: JobLimit;
  readonly density: Density;
  readonly size: number;
  readonly total: number;
  readonly first: SimulatedPage;
  /** Takes the records of a page. */
  use(page: SimulatedPage): void;
}

export interface Walked {
  /** How many records were used other than once. */
  readonly wrong: number;
  readonly pages: number;
  readonly requests: number;
  /** Times the slots of the rate limit that the pages need, and one answer. */
  readonly timesIdeal: number;
  /** The compressed bytes that waited at once, for a list. */
  readonly mostBytes: number;
  /** The mean number of requests under way in the second half. */
  readonly open: number;
}

/**
 * A list or a copy of these records, as the engine walks it with several cursors on the clock of
 * the simulation.
 */
export async function simulate(
  mode: 'list' | 'copy',
  created: Float64Array,
  settings: WalkSettings = {},
): Promise<Walked> {
  const {
    size = 1000,
    rate = { requests: 3000, windowMs: 300_000 },
    latency = steady(1000),
    fails,
    hasFacets = true,
  } = settings;
  const clock = new Clock();
  const service = new SimulatedService({ created, clock, rate, latency, ...(fails && { fails }) });
  const jobs = new JobLimit(MOST_JOBS, service.limiter.current);
  const times = new Uint8Array(created.length);
  const walk = async () => {
    const first = await service.page(ALL_TIME, '1', size);
    jobs.note(first.ms);
    jobs.start();
    const total = created.length;
    const years = hasFacets ? service.years() : [];
    const density = new Density({ total, years, oldest: first.first, now: END });
    const use = ({ start, count }: SimulatedPage) => {
      for (let index = start; index < start + count; index += 1)
        times[index] = (times[index] ?? 0) + 1;
    };
    const simulation = { clock, service, jobs, density, size, total, first, use };
    return {
      ms: first.ms,
      mostBytes: await (mode === 'list' ? list(simulation) : copy(simulation)),
    };
  };
  const walked = walk();
  await clock.runUntil(walked);
  const { ms, mostBytes } = await walked;
  const pages = Math.ceil(created.length / size);
  const wrong = times.reduce((sum, count) => sum + (count === 1 ? 0 : 1), 0);
  const { requests } = service;
  return {
    wrong,
    pages,
    requests,
    timesIdeal: service.timesIdeal(pages, ms),
    mostBytes,
    open: service.openIn(),
  };
}

/** Takes every page of a list at its turn. @returns the most bytes that have waited. */
async function list(simulation: Simulation): Promise<number> {
  const { clock, service, jobs, density, size, total, first, use } = simulation;
  const asked = new Map<string, { span: Span; cursor: string }>();
  const answers = new WeakMap<Buffer, SimulatedPage>();
  const ahead = new PagesAhead({
    onEmpty: () => undefined,
    url: (span, cursor) => {
      const url = new URL(`?${span.from}&${span.to}&${cursor}`, 'http://list');
      asked.set(url.href, { span, cursor });
      return url;
    },
    fetch: async ({ href }, { onTime, signal }) => {
      const { span, cursor } = asked.get(href) ?? { span: ALL_TIME, cursor: '1' };
      const page = await service.page(span, cursor, size, signal);
      onTime?.(page.ms);
      const bytes = Buffer.alloc(0);
      // Its length alone is asked for.
      Object.defineProperty(bytes, 'length', { value: BYTES * page.count });
      answers.set(bytes, page);
      const packed: PackedPage = { ...page, isLast: page.next === null, bytes, page: undefined };
      return packed;
    },
    ...{ jobs, density, total, pageSize: size, mostBytes: MOST_BYTES, now: clock.now },
  });
  let mostBytes = 0;
  use(first);
  let cursor = first.next;
  ahead.resume(cursor, numbersOf(first, ALL_TIME), first.count);
  ahead.pageTaken();
  for (;;) {
    if (cursor === null && !ahead.advance()) break;
    const taken = await ahead.take(cursor ?? '1', size);
    const page = taken && answers.get(taken.packed.bytes);
    if (page === undefined) throw new Error('a page was not asked for');
    mostBytes = Math.max(mostBytes, ahead.bytes);
    use(page);
    cursor = page.next;
    ahead.pageTaken();
  }
  ahead.stop();
  return mostBytes;
}

/** Fetches every window of a copy. */
async function copy({
  service,
  jobs,
  density,
  size,
  total,
  first,
  use,
}: Simulation): Promise<number> {
  const all = new Window(ALL_TIME, total, undefined, true);
  let works = 0;
  await new Promise<void>((resolve) => {
    const walk = async (window: Window) => {
      works += 1;
      for (let cursor: string | null = '1'; cursor !== null; ) {
        const asked = { from: window.from, to: window.to };
        const page: SimulatedPage =
          window === all && cursor === '1' ? first : await service.page(asked, cursor, size);
        if (page !== first) jobs.note(page.ms);
        // Where the window was cut in the midst of the page, its later records belong to another
        // one.
        if (asked.to !== window.to && page.last >= (window.to ?? Number.POSITIVE_INFINITY))
          continue;
        use(page);
        pool.afterPage(window, numbersOf(page, asked), window.read + page.count);
        cursor = page.next;
      }
      works -= 1;
      pool.release(window);
      if (works === 0) resolve();
    };
    const pool = new WindowPool<unknown>([all], {
      pageSize: size,
      most: WINDOW_RECORDS,
      jobs: () => jobs.current,
      start: (window) => void walk(window),
      part: (span, count) => new Window(span, count, undefined),
      onCut: async () => undefined,
      ...{ total, density },
    });
    pool.serve();
  });
  return 0;
}

function numbersOf(page: SimulatedPage, asked: Span): PageNumbers {
  return { ...page, asked, isLast: page.next === null };
}
