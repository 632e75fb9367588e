import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesIn, newDirectory } from '../harvest/copy-on-disk.ts';
import { run } from '../helpers/run.ts';
import { runs } from '../helpers/runs.ts';
import { type Dated, type ListBehaviour, linesOf, listService } from './list-service.ts';

const SECOND = 1000;
const DAY = 86_400 * SECOND;

// So fast that any answer takes long enough for several cursors.
const WIDE = ['--rate', '1000000/1s', '--jobs'];

function list(env: Record<string, string>, size: number, jobs: number, ...more: string[]) {
  return run(
    ['dois', 'list', '--all', '--page-size', String(size), ...WIDE, String(jobs), ...more],
    { env },
  );
}

function named(times: readonly (number | undefined)[], ending = ''): Dated[] {
  return times.map((created, index) => ({
    id: `10.5072/${String((index * 7919) % 99_991).padStart(5, '0')}${ending}`,
    created,
  }));
}

/** Records spread over years, in bursts of seconds, and together in one. */
const timeLines = fc
  .array(
    fc.record({
      start: fc.integer({ min: Date.UTC(2012, 0) / SECOND, max: Date.UTC(2026, 0) / SECOND }),
      width: fc.constantFrom(0, 1, 30, 86_400, 86_400 * 300),
      count: fc.integer({ min: 1, max: 120 }),
      seed: fc.integer({ min: 1, max: 1000 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) =>
    named(
      parts.flatMap(({ start, width, count, seed }) =>
        Array.from(
          { length: count },
          (_, n) => (start + ((n * 7919 * seed) % (width + 1))) * SECOND,
        ),
      ),
    ),
  );

const even = (count: number) =>
  named(Array.from({ length: count }, (_, n) => Date.UTC(2015, 0) + n * 3 * DAY));

const FAULTS = [undefined, undefined, undefined, 502, 'cut', 'short'] as const;

describe('a list that several cursors fetch', () => {
  it('has empty windows counted as soon as their pages arrive', async () => {
    // Nothing from 19 July 2012 to 2024, and a service that does not count the records of a year.
    const years = [2012, 2025].map((year) =>
      Array.from({ length: 200 }, (_, n) => Date.UTC(year, 0) + n * DAY),
    );
    const records = named(years.flat());
    const { env, asked } = await listService(records, {
      latency: () => 10,
      change: ({ meta }) => delete meta['created'],
    });
    expect(await list(env, 10, 4)).toMatchObject({ code: 0, stdout: linesOf(records) });
    const counts = asked.flatMap(({ url }, index) => {
      const text = decodeURIComponent(url.replaceAll('+', ' '));
      const [, from = '', to = ''] = /created:\[(\S+) TO (2\S+)}.*page\[size\]=0/.exec(text) ?? [];
      return from > '2012-07-19' && to < '2025' ? [index] : [];
    });
    expect(counts.length).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThan(asked.length / 2);
  });

  it('has the bytes of a single cursor, whatever the times and the faults', async () => {
    const cases = fc.record({
      records: timeLines,
      size: fc.integer({ min: 2, max: 12 }),
      jobs: fc.integer({ min: 2, max: 9 }),
      slow: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 9 }),
      faults: fc.array(fc.constantFrom(...FAULTS), { minLength: 1, maxLength: 9 }),
      encoding: fc.constantFrom('gzip' as const, undefined),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ records, size, jobs, slow, faults, encoding }) => {
        const at = <T>(all: readonly T[], request: number) => all[request % all.length] as T;
        const { env } = await listService(records, {
          latency: (request) => at(slow, request),
          fault: (request) => {
            const fault = request % 3 === 0 ? at(faults, request) : undefined;
            return fault === 'short' ? undefined : fault;
          },
          change: ({ data }, request) => {
            if (request % 5 === 0 && at(faults, request) === 'short') data.pop();
          },
          ...(encoding === undefined ? {} : { encoding }),
        });
        const { code, stdout, stderr } = await list(env, size, jobs);
        expect(stdout === linesOf(records), stderr).toBe(true);
        expect([code, stderr]).toEqual([0, expect.not.stringContaining('repeated')]);
      }),
      { numRuns: runs(8), endOnFailure: true },
    );
  });

  it('begins with one page, and stays with one cursor where --jobs says so', async () => {
    const records = even(200);
    const { env, asked } = await listService(records);
    expect((await list(env, 10, 1)).stdout).toBe(linesOf(records));
    expect(asked.filter(({ url }) => url.includes('query='))).toEqual([]);
  });

  it('asks for no page that --limit does not need', async () => {
    const { env, asked } = await listService(even(300));
    const { stdout } = await list(env, 10, 8, '--limit', '35');
    expect(stdout.split('\n')).toHaveLength(36);
    expect(asked.length).toBeLessThanOrEqual(5);
  });

  it('cuts by the cursor where records do not show their creation time', async () => {
    const records = even(400);
    const { env, asked } = await listService(records, { isSparse: true, latency: () => 3 });
    const { code, stdout } = await list(env, 10, 6, '--fields', 'doi,state');
    expect([code, stdout]).toEqual([0, linesOf(records, true)]);
    expect(asked.some(({ url }) => url.includes('query='))).toBe(true);
  });

  it('is a whole copy, too, where the last record of each page has no creation time', async () => {
    const { env } = await listService(even(300), {
      change: ({ data }) => Object.assign(data.at(-1) ?? {}, { attributes: { state: 'findable' } }),
    });
    const dir = newDirectory();
    const { stderr } = await run(['dois', 'harvest', '--dir', dir, '--page-size', '10'], { env });
    expect([linesIn(dir).length, stderr]).toEqual([300, expect.not.stringContaining('Invalid')]);
  });

  it('keeps the query of the user, and does not cut one that is not balanced', async () => {
    const records = even(200);
    const { env, asked } = await listService(records);
    const { code, stdout } = await list(env, 10, 6, '--query', 'titles.title:(a OR b)');
    expect([code, stdout]).toEqual([0, linesOf(records)]);
    const queries = asked.map(({ url }) => new URL(url, 'http://x').searchParams.get('query'));
    expect(
      queries.every((query) =>
        /^(\(titles\.title:\(a OR b\)\) AND created:\[|titles)/.test(query ?? ''),
      ),
    ).toBe(true);
    const other = await listService(records);
    expect((await list(other.env, 10, 6, '--query', 'a) OR (b')).stdout).toBe(linesOf(records));
    expect(other.asked.some(({ url }) => url.includes('created%3A'))).toBe(false);
  });

  it.each([
    ['ignores the query', { ignoresQuery: true }, 0],
    ['ignores the query, and shows no creation times', { ignoresQuery: true, isSparse: true }, 0],
    ['has records without a creation time', {}, 37],
  ])(
    'is complete, in order and without repeats where the service %s',
    async (_, behaviour: ListBehaviour, undated) => {
      const times = Array.from({ length: undated }, () => undefined);
      const records = [...even(300), ...named(times, '-x')];
      const { env } = await listService(records, behaviour);
      const fields = behaviour.isSparse ? ['--fields', 'doi,state'] : [];
      const { code, stdout, stderr } = await list(env, 10, 6, ...fields);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('repeated')]);
      expect(stdout).toBe(linesOf(records, behaviour.isSparse));
    },
  );

  it('holds each record that is there all the time once, while others come and go', async () => {
    const stable = even(300);
    const records = [...stable];
    const { env } = await listService(records, {
      change: (_, request) => {
        const [seconds, days] = [request * SECOND, request * DAY];
        if (request % 4 === 1)
          records.push({ id: `10.5072/new${request}`, created: Date.UTC(2024, 0) + seconds });
        if (request % 6 === 2)
          records.push({ id: `10.5072/hidden${request}`, created: Date.UTC(2016, 0) + days });
        const hidden = records.findIndex(({ id }) => id.includes('hidden'));
        if (request % 6 === 4) records.splice(hidden, records.length > 300 ? 1 : 0);
      },
    });
    const { stdout } = await list(env, 10, 6);
    const printed = stdout.trimEnd().split('\n');
    const known = new Set(linesOf(stable).trimEnd().split('\n'));
    expect(printed.filter((line) => known.has(line)).join('\n')).toBe(linesOf(stable).trimEnd());
    expect(new Set(printed).size).toBe(printed.length);
  });

  it.each([
    ['after most of it was asked for', false],
    ['after a record was hidden, for which the first cut is counted again', true],
  ])('has the records that are added to it %s', async (_, hides) => {
    const records = even(400);
    let state: 'whole' | 'cut' | 'longer' = 'whole';
    const { env } = await listService(records, {
      latency: (request) => 3 + (request % 3),
      change: (_answer, request, params) => {
        const query = params.get('query') ?? '';
        if (state === 'whole' && query !== '') {
          state = 'cut';
          if (hides) records.splice(300, 1);
          // The end is asked for last, so that it has what is added until then.
        } else if (state === 'cut' && request === 38) {
          state = 'longer';
          records.push(...named([Date.UTC(2025, 0)], '-new'));
        }
      },
    });
    const { code, stdout, stderr } = await list(env, 10, 6);
    expect([code, stderr]).toEqual([0, /40[01] DOIs in/]);
    expect(stdout).toBe(linesOf(records));
  });

  it('takes no page of another time before its turn, though it has as many records', async () => {
    const records = even(400);
    let isWrong = false;
    const { env } = await listService(records, {
      latency: () => 3,
      change: (document, _request, params) => {
        const query = params.get('query') ?? '';
        if (isWrong || !/created:\[\S+ TO [^*]/.test(query) || document.data.length < 10) return;
        isWrong = true;
        document.data = document.data.map((_, at) => ({
          id: `10.5072/other-${at}`,
          type: 'dois',
          attributes: { state: 'findable', created: '2030-01-01T00:00:00Z' },
        }));
      },
    });
    const { code, stdout, stderr } = await list(env, 10, 6);
    expect([isWrong, code, stdout === linesOf(records)], stderr).toEqual([true, 0, true]);
  });

  it('has a record that is added after an empty window, before others were asked for', async () => {
    const HOUR = 3_600_000;
    const records = named(Array.from({ length: 400 }, (_, n) => Date.UTC(2020, 0) + n * HOUR));
    let added = false;
    const { env } = await listService(records, {
      latency: () => 3,
      change: ({ data }, _request, params) => {
        const isEnd = / TO \*\]/.test(params.get('query') ?? '');
        if (added || !isEnd || data.length > 0) return;
        added = true;
        records.push({ id: '10.5072/late', created: Date.UTC(2020, 11, 30) });
      },
    });
    const { code, stdout } = await list(env, 10, 6);
    expect([added, code, stdout === linesOf(records)]).toEqual([true, 0, true]);
  });

  it('prints the pages before a failure that stays, and says how many', async () => {
    const records = even(300);
    const { env } = await listService(records, {
      fault: (request) => (request > 20 ? 503 : undefined),
    });
    const { code, stdout, stderr } = await list(env, 10, 6, '--retries', '1');
    expect([code, stderr]).toEqual([3, /stopped after/]);
    expect(linesOf(records).startsWith(stdout)).toBe(true);
  });
});
