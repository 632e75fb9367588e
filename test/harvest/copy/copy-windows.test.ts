import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { run } from '../../helpers/run.ts';
import { runs } from '../../helpers/runs.ts';
import { hostileService, type Lie } from '../../hostile/service.ts';
import { ledgerIn, linesIn, newDirectory, receiptIn } from '../copy-on-disk.ts';

const SECOND = 1000;
const BEGIN = Date.UTC(2012, 0);
const NOW = Date.UTC(2026, 5);
const SIZE = 5;

const harvest = (env: Record<string, string>, dir: string, jobs: number, ...more: string[]) => {
  const flags = [
    '--page-size',
    String(SIZE),
    '--jobs',
    String(jobs),
    '--rate',
    '100000/s',
    '--retries',
    '2',
  ];
  return run(['dois', 'harvest', '--dir', dir, ...flags, ...more], { env });
};

/** Bursts, ties in one second, and empty years. */
const timeLines = fc
  .array(
    fc.record({
      time: fc.integer({ min: BEGIN / SECOND, max: NOW / SECOND }),
      records: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 20, max: 90 })),
      step: fc.constantFrom(0, 0, 1, 60, 86_400),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((groups) =>
    groups
      .flatMap(({ time, records, step }) =>
        Array.from({ length: records }, (_, index) => (time + index * step) * SECOND),
      )
      .sort((a, b) => a - b),
  );

/** The DOIs in all files, sorted: `10.5072/r0001` and so on. */
const doisIn = (dir: string) =>
  linesIn(dir)
    .map((line) => (JSON.parse(line) as { id: string }).id)
    .sort();
const doisOf = (created: readonly number[]) =>
  created.map((_, index) => `10.5072/r${String(index + 1).padStart(4, '0')}`);

/** Windows cover all time exactly once when each begins where the one before it ends. */
function expectCover(dir: string): void {
  for (const { windows } of ledgerIn(dir).generations) {
    expect([windows[0]?.from, windows.at(-1)?.to]).toEqual([null, null]);
    expect(windows.slice(1).map(({ from }) => from)).toEqual(
      windows.slice(0, -1).map(({ to }) => to),
    );
    for (const { from, to, estimated } of windows) {
      if (from !== null && to !== null) expect(to).toBeGreaterThan(from);
      expect(estimated).toBe(undefined);
    }
  }
}

/** Names the ten latest years of these times where the client asks for facets. */
function facetsOf(created: readonly number[]): Lie {
  const counts = new Map<string, number>();
  for (const time of created) {
    const year = String(new Date(time).getUTCFullYear());
    counts.set(year, (counts.get(year) ?? 0) + 1);
  }
  const latest = [...counts].sort(([a], [b]) => Number(b) - Number(a)).slice(0, 10);
  const years = latest.map(([id, count]) => ({ id, title: id, count }));
  return ({ body }, { params }) => {
    if (params.get('disable-facets') === 'false') body.meta['created'] = years;
    return undefined;
  };
}

describe('windows that are cut while they are walked', () => {
  it('bring every record once, for any time line, and are complete', async () => {
    const property = fc.asyncProperty(
      timeLines,
      fc.integer({ min: 1, max: 6 }),
      async (created, jobs) => {
        const { env } = await hostileService(facetsOf(created), { created });
        const dir = newDirectory();
        const { code, stderr } = await harvest(env, dir, jobs);
        // No record of another window was written.
        expect([code, stderr]).toEqual([0, expect.not.stringContaining('again')]);
        expect(doisIn(dir)).toEqual(doisOf(created));
        expectCover(dir);
        expect(receiptIn(dir)).toMatchObject({ verdict: 'complete', totalAtStart: created.length });
      },
    );
    await fc.assert(property, { numRuns: runs(8) });
  });

  it('are continued by the next run, wherever the first one was killed', async () => {
    const property = fc.asyncProperty(
      timeLines,
      fc.integer({ min: 2, max: 6 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
      async (created, jobs, moments) => {
        const dir = newDirectory();
        const copies: string[] = [];
        let asked = 0;
        const facets = facetsOf(created);
        const copying: Lie = (reply, ask) => {
          asked += 1;
          if (moments.includes(asked) && ledgerIs(dir)) copies.push(afterKill(dir));
          return facets(reply, ask);
        };
        const { env } = await hostileService(copying, { created });
        expect(await harvest(env, dir, jobs)).toMatchObject({ code: 0 });
        asked = Number.NEGATIVE_INFINITY;
        for (const copy of copies) {
          expect(await harvest(env, copy, jobs)).toMatchObject({ code: 0 });
          expect(doisIn(copy)).toEqual(doisOf(created));
          expectCover(copy);
        }
      },
    );
    await fc.assert(property, { numRuns: runs(5) });
  });

  it('are one window where one job walks few records', async () => {
    const { env, asked } = await hostileService(() => undefined, { total: 12 });
    const dir = newDirectory();
    expect(await harvest(env, dir, 1)).toMatchObject({ code: 0 });
    expect(ledgerIn(dir).generations[0]?.windows).toMatchObject([
      { from: null, to: null, count: 12 },
    ]);
    const sizes = asked.map(({ url }) => new URL(url, 'http://x').searchParams.get('page[size]'));
    expect(sizes.toSorted()).toEqual(['0', '0', '0', '5', '5', '5']);
    // The first request is for records, and tells the years.
    expect(sizes[0]).toBe('5');
    expect(asked[0]?.url).toContain('disable-facets=false&facets=created');
    expect(asked[1]?.url).toContain('disable-facets=true');
    expect(ledgerIn(dir).query.params).toEqual([
      ['affiliation', 'true'],
      ['publisher', 'true'],
      ['disable-facets', 'true'],
    ]);
  });
});

/** A copy of what a kill at this moment leaves on the disk. */
function afterKill(dir: string): string {
  const copy = newDirectory();
  // A file operation that has begun goes on in another thread, and may rename a file that is being
  // copied. None begins meanwhile.
  for (let attempt = 1; ; attempt += 1) {
    rmSync(copy, { recursive: true, force: true });
    try {
      const before = ledgerIn(dir);
      cpSync(dir, copy, { recursive: true });
      expect(ledgerIn(dir)).toEqual(before);
      break;
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
  rmSync(join(copy, '_harvest', 'lock'), { recursive: true, force: true });
  return copy;
}

function ledgerIs(dir: string): boolean {
  try {
    return ledgerIn(dir).version === 1;
  } catch {
    return false;
  }
}
