import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Rate, RateLimiter, serviceRate } from '../../../src/api/http/rate-limiter.ts';
import { runs } from '../../helpers/runs.ts';

/**
 * A clock that advances only in run(), in whole milliseconds, with timers that are late by
 * `late()`.
 */
class FakeHost {
  time = 1_000_000;
  /** By how much the clock was set. */
  shift = 0;
  readonly late: () => number;
  readonly #timers = new Set<{ at: number; ring: () => void }>();

  constructor(late: () => number = () => 0) {
    this.late = late;
  }

  now = () => Math.floor(this.time) + this.shift;
  random = () => 0.5;
  sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = { at: this.time + ms + this.late(), ring: resolve };
      this.#timers.add(timer);
      signal.addEventListener('abort', () => {
        this.#timers.delete(timer);
        reject(signal.reason);
      });
    });

  get timers(): number {
    return this.#timers.size;
  }

  /** Advances to `until`, timer by timer, and lets the effects of each settle. */
  async run(until: number): Promise<void> {
    await settled();
    for (;;) {
      let next: { at: number; ring: () => void } | undefined;
      for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer;
      if (next === undefined || next.at > until) break;
      this.#timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.ring();
      await settled();
    }
    this.time = Math.max(this.time, until);
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 12; i += 1) await Promise.resolve();
}

const never = new AbortController().signal;
setMaxListeners(0, never);
const START = 1_000_000;

/**
 * Requests `count` turns at once; collects their order and the times at which they began, from
 * START.
 */
function waiters(
  rateLimiter: RateLimiter,
  host: FakeHost,
  count: number,
  begun: [number, number][] = [],
) {
  for (let i = 0; i < count; i += 1) {
    void rateLimiter.acquire(never).then(() => begun.push([i, host.time - START]));
  }
  return begun;
}

/** The largest number of turns that began in any span of `windowMs` milliseconds. */
function mostWithin(times: readonly number[], windowMs: number): number {
  let [most, from] = [0, 0];
  times.forEach((time, to) => {
    while (time - (times[from] ?? 0) >= windowMs) from += 1;
    most = Math.max(most, to - from + 1);
  });
  return most;
}

describe('RateLimiter', () => {
  it('gives turns in order and evenly, the first at once', async () => {
    const host = new FakeHost();
    const limiter = new RateLimiter({ requests: 10, windowMs: 1000 }, host);
    const begun = waiters(limiter, host, 50);
    await host.run(START + 950);
    expect(limiter.waiting).toBe(40);
    await host.run(START + 10_000);
    expect(begun.map(([i]) => i)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    const times = begun.map(([, time]) => time);
    expect(times[0]).toBe(0);
    expect(limiter.waiting).toBe(0);
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(102);
    expect(host.timers).toBe(0);
  });

  it.each([
    ['timers on time', () => 0, 60_000, 4001],
    ['timers late by up to 15 ms', () => Math.random() * 15, 300_000, 4001],
    ['timers that are always 20 ms late', () => 20, 300_000, 4001],
    ['late timers, in short windows', () => Math.random() * 10, 1000, 4000],
  ])('keeps to 40 requests a second within 1 %% with %s', async (_, late, windowMs, most) => {
    const host = new FakeHost(late);
    const begun = waiters(new RateLimiter({ requests: windowMs / 25, windowMs }, host), host, 4500);
    await host.run(START + 100_000);
    expect(begun.length).toBeGreaterThanOrEqual(3960);
    expect(begun.length).toBeLessThanOrEqual(most);
  });

  it('never begins more turns in a window than the rate allows', async () => {
    const random = fc.record({
      requests: fc.integer({ min: 1, max: 60 }),
      windowMs: fc.integer({ min: 1, max: 3000 }),
      jobs: fc.integer({ min: 1, max: 30 }),
      latencies: fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1 }),
      pauses: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2000 })), {
        minLength: 1,
      }),
      lates: fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(900)), {
        minLength: 1,
      }),
      answers: fc.array(fc.constantFrom('fine', 'fine', 'fine', 'throttled', 'later'), {
        minLength: 1,
      }),
    });
    await fc.assert(
      fc.asyncProperty(
        random,
        async ({ requests, windowMs, jobs, latencies, pauses, lates, answers }) => {
          let [lateAt, sentAt] = [0, 0];
          const host = new FakeHost(() => lates[lateAt++ % lates.length] ?? 0);
          const rateLimiter = new RateLimiter({ requests, windowMs }, host);
          const times: number[] = [];
          const job = async (): Promise<void> => {
            for (;;) {
              await rateLimiter.acquire(never);
              times.push(host.now());
              const at = sentAt++;
              await host.sleep(latencies[at % latencies.length] ?? 0, never);
              const answer = answers[at % answers.length];
              if (answer === 'fine') rateLimiter.onSuccess();
              else rateLimiter.onThrottled(answer === 'later' ? 500 : undefined);
              await host.sleep(pauses[at % pauses.length] ?? 0, never);
            }
          };
          for (let i = 0; i < jobs; i += 1) void job();
          await host.run(START + 10_000);
          expect(times.length).toBeGreaterThan(0);
          expect(mostWithin(times, windowMs)).toBeLessThanOrEqual(requests);
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('saves up nothing while idle or asleep', async () => {
    const host = new FakeHost();
    const rateLimiter = new RateLimiter({ requests: 100, windowMs: 10_000 }, host);
    waiters(rateLimiter, host, 1);
    await host.run(START + 5000);
    const begun = waiters(rateLimiter, host, 20);
    await host.run(START + 5350);
    expect(begun).toHaveLength(4);
    // The machine sleeps for two seconds.
    host.time += 2000;
    await host.run(START + 7350);
    expect(begun.length).toBeLessThanOrEqual(6);
  });

  it('waits no longer when the clock is set back', async () => {
    const host = new FakeHost();
    const begun = waiters(new RateLimiter({ requests: 10, windowMs: 1000 }, host), host, 20);
    await host.run(START + 500);
    host.shift = -3_600_000;
    await host.run(START + 2500);
    expect(begun).toHaveLength(20);
  });

  it('gives an abandoned turn to the next one and leaves no timer behind', async () => {
    const host = new FakeHost();
    const rateLimiter = new RateLimiter({ requests: 10, windowMs: 1000 }, host);
    const stop = new AbortController();
    const gone = [
      rateLimiter.acquire(stop.signal),
      rateLimiter.acquire(stop.signal),
      rateLimiter.acquire(stop.signal),
    ];
    const begun = waiters(rateLimiter, host, 1);
    await settled();
    stop.abort(new Error('enough'));
    await gone[0];
    await expect(gone[1]).rejects.toThrow('enough');
    await expect(gone[2]).rejects.toThrow('enough');
    await expect(rateLimiter.acquire(stop.signal)).rejects.toThrow('enough');
    await host.run(START + 150);
    expect(begun).toEqual([[0, 101]]);

    const last = new AbortController();
    const turn = rateLimiter.acquire(last.signal);
    await settled();
    expect(host.timers).toBe(1);
    last.abort(new Error('enough'));
    // Acquired before the interrupted sleep has ended.
    const other = waiters(rateLimiter, host, 1);
    await expect(turn).rejects.toThrow('enough');
    await host.run(START + 300);
    expect(other).toHaveLength(1);

    const only = new AbortController();
    const alone = rateLimiter.acquire(only.signal);
    await settled();
    expect(host.timers).toBe(1);
    only.abort(new Error('enough'));
    await expect(alone).rejects.toThrow('enough');
    expect(host.timers).toBe(0);
  });

  describe('when the service throttles', () => {
    const rate: Rate = { requests: 160, windowMs: 16_000 };

    /**
     * Ten jobs that ask a service, which throttles where `throttles` says so; what they do in ten
     * minutes.
     */
    async function ten(throttles: (host: FakeHost) => boolean) {
      const host = new FakeHost();
      const rateLimiter = new RateLimiter({ requests: 3000, windowMs: 300_000 }, host);
      const counts = { done: 0, throttled: 0 };
      const job = async (): Promise<void> => {
        for (;;) {
          await rateLimiter.acquire(never);
          const isThrottled = throttles(host);
          await host.sleep(800, new AbortController().signal);
          if (isThrottled) rateLimiter.onThrottled(undefined);
          else rateLimiter.onSuccess();
          counts[isThrottled ? 'throttled' : 'done'] += 1;
        }
      };
      for (let n = 0; n < 10; n += 1) void job();
      await host.run(START + 600_000);
      return counts;
    }

    it.each([
      [0.01, 0.85],
      [0.03, 0.7],
      [0.05, 0.35],
    ])('goes on fast where %d of the answers are throttled by chance', async (share, least) => {
      let [state, sum] = [7, 0];
      const { done } = await ten(() => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        sum += 1;
        return sum > 50 && state / 2_147_483_648 < share;
      });
      expect(done).toBeGreaterThan(least * 6000);
    });

    it.each([
      [10_000, 50],
      [60_000, 300],
      [60_000, 60],
    ])(
      'finds the rate of a service that allows less, by windows of %i ms',
      async (windowMs, most) => {
        let [window, used] = [-1, 0];
        const { done, throttled } = await ten((host) => {
          const now = Math.floor(host.time / windowMs);
          if (now !== window) [window, used] = [now, 0];
          used += 1;
          return used > most;
        });
        expect(done).toBeGreaterThan((0.5 * most * 600_000) / windowMs);
        expect(throttled).toBeLessThan(0.2 * done);
      },
    );

    it('holds all back for as long as it asks, and halves the rate once for requests sent together', async () => {
      const host = new FakeHost();
      const rateLimiter = new RateLimiter(rate, host);
      expect(rateLimiter.current).toBeCloseTo(10 / 1.008);
      const begun = waiters(rateLimiter, host, 10);
      await host.run(START + 250);
      expect(begun).toHaveLength(3);
      rateLimiter.onThrottled(5000);
      rateLimiter.onThrottled(6000);
      rateLimiter.onThrottled(undefined);
      rateLimiter.onSuccess();
      expect(rateLimiter.current).toBeCloseTo(5 / 1.008);
      await host.run(START + 6249);
      expect(begun).toHaveLength(3);
      await host.run(START + 6250 + 1000);
      expect(begun.length).toBeGreaterThan(3);
      await host.run(START + 6250 + 1000 + 1300);
      expect(begun.length).toBeLessThanOrEqual(3 + 11);
      const times = begun.slice(3).map(([, time]) => time);
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(200);
    });

    it('waits longer each time it happens again, and never for ever', async () => {
      const host = new FakeHost();
      const rateLimiter = new RateLimiter(rate, host);
      const waits: number[] = [];
      for (let i = 0; i < 12; i += 1) {
        const begun = waiters(rateLimiter, host, 1);
        await host.run(host.time + 400_000);
        expect(begun).toHaveLength(1);
        rateLimiter.onThrottled(i === 11 ? 86_400_000 : undefined);
        const from = host.time;
        const next = waiters(rateLimiter, host, 1, []);
        await host.run(host.time + 400_000);
        waits.push((next[0]?.[1] ?? 0) - (from - START));
      }
      expect(waits.slice(0, 4)).toEqual([750, 1500, 3000, 6000]);
      expect(waits[10]).toBe(225_000);
      expect(waits[11]).toBe(300_500);
      expect(rateLimiter.current).toBeCloseTo(10 / 16 / 1.008);
    });

    it('waits no longer for one that comes now and then, between answers that succeed', async () => {
      const host = new FakeHost();
      const rateLimiter = new RateLimiter(rate, host);
      const waits: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        waiters(rateLimiter, host, 1);
        await host.run(host.time + 400_000);
        rateLimiter.onSuccess();
        rateLimiter.onThrottled(undefined);
        const from = host.time;
        const next = waiters(rateLimiter, host, 1);
        await host.run(host.time + 400_000);
        waits.push((next[0]?.[1] ?? 0) - (from - START));
      }
      expect(waits).toEqual([750, 750, 750, 750, 750, 750]);
    });

    it('recovers step by step, half the rate within half a window of requests', async () => {
      const host = new FakeHost();
      const rateLimiter = new RateLimiter(rate, host);
      waiters(rateLimiter, host, 1);
      await settled();
      rateLimiter.onThrottled(undefined);
      // Late answers to earlier requests.
      for (let i = 0; i < 90; i += 1) rateLimiter.onSuccess();
      waiters(rateLimiter, host, 1);
      await host.run(START + 2000);
      const rates = Array.from({ length: 90 }, () => {
        rateLimiter.onSuccess();
        return rateLimiter.current * 1.008;
      });
      expect(rates[8]).toBeCloseTo(5);
      expect(rates[9]).toBeCloseTo(5.625);
      expect(rates[78]).toBeLessThan(10);
      expect(rates[79]).toBeCloseTo(10);
      expect(rates[89]).toBeCloseTo(10);

      rateLimiter.onThrottled(undefined);
      const next = waiters(rateLimiter, host, 1);
      await host.run(START + 10_000);
      // The first back-off again, not the second.
      expect(next).toEqual([[0, 2750]]);
    });
  });
});

describe('serviceRate', () => {
  it.each([
    [{ authenticated: false, mailto: false, testSystem: false }, 500],
    [{ authenticated: false, mailto: true, testSystem: false }, 1000],
    [{ authenticated: true, mailto: true, testSystem: false }, 3000],
    [{ authenticated: true, mailto: true, testSystem: true }, 750],
    [{ authenticated: true, mailto: true, testSystem: false, formats: true }, 1000],
    [{ authenticated: false, mailto: false, testSystem: false, formats: true }, 500],
  ])('%o', (options, requests) => {
    expect(serviceRate(options)).toEqual({ requests, windowMs: 300_000 });
  });
});

describe('a limiter that paces later', () => {
  it('only counts until half of the rate is used, and never lets a window have more', async () => {
    const host = new FakeHost();
    const limiter = new RateLimiter({ requests: 10, windowMs: 1000 }, host, false);
    const { signal } = new AbortController();
    const turns: number[] = [];
    const ask = async () => {
      await limiter.acquire(signal);
      turns.push(host.time);
    };
    for (let n = 0; n < 5; n += 1) await ask();
    expect([new Set(turns).size, limiter.used, limiter.paces]).toEqual([1, 0.5, false]);
    for (let n = 0; n < 20; n += 1) void ask();
    await host.run(host.time + 5000);
    expect([turns.length, limiter.paces]).toEqual([25, true]);
    for (const turn of turns)
      expect(turns.filter((at) => at >= turn && at < turn + 1000).length).toBeLessThanOrEqual(10);
    expect((turns[5] ?? 0) - (turns[4] ?? 0)).toBeGreaterThanOrEqual(100);
  });

  it('gives a hundred callers at once no more than the rate', async () => {
    const host = new FakeHost();
    const limiter = new RateLimiter({ requests: 10, windowMs: 1000 }, host, false);
    const begun = waiters(limiter, host, 100);
    await host.run(START + 20_000);
    expect(begun).toHaveLength(100);
    const times = begun.map(([, time]) => time);
    expect(times.slice(0, 6).filter((time) => time === 0)).toHaveLength(5);
    expect(mostWithin(times, 1000)).toBeLessThanOrEqual(10);
  });

  it('spreads the other half over the rest of the window, without a long pause', async () => {
    const host = new FakeHost();
    const limiter = new RateLimiter({ requests: 100, windowMs: 10_000 }, host, false);
    const begun = waiters(limiter, host, 300);
    await host.run(START + 40_000);
    const times = begun.map(([, time]) => time);
    expect(times).toHaveLength(300);
    expect(Math.max(...times.map((time, turn) => time - (times[turn - 1] ?? 0)))).toBeLessThan(250);
  });

  it('does not for requests that are slower', async () => {
    const host = new FakeHost();
    const limiter = new RateLimiter({ requests: 10, windowMs: 1000 }, host, false);
    for (let n = 0; n < 100; n += 1) {
      await limiter.acquire(never);
      host.time += 200;
    }
    expect([limiter.paces, host.timers]).toEqual([false, 0]);
  });

  it('begins to when the service throttles', async () => {
    const host = new FakeHost();
    const limiter = new RateLimiter({ requests: 1000, windowMs: 1000 }, host, false);
    await limiter.acquire(never);
    limiter.onThrottled(5000);
    const begun = waiters(limiter, host, 20);
    await host.run(START + 4999);
    expect(begun).toEqual([]);
    await host.run(START + 20_000);
    expect(new Set(begun.map(([, time]) => time)).size).toBe(20);
  });
});
