import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { CannotResume } from '../../../src/harvest/walk/cursor-walk.ts';
import type { Gap } from '../../../src/harvest/walk/gap.ts';
import type { Params } from '../../../src/harvest/walk/query-params.ts';
import type { Position, WalkStep, WindowSource } from '../../../src/harvest/walk/walk-step.ts';
import { walkWindow } from '../../../src/harvest/walk/window-walk.ts';
import { pageOf } from '../../helpers/pages.ts';
import { runs } from '../../helpers/runs.ts';

interface Row {
  readonly id: string;
  readonly created: number;
}

const BEGIN: Position = { cursor: null, restart: null, latest: null };
const T0 = Date.UTC(2020, 0);

/** Rows, with `ties` of them at each instant. */
function rowsOf(count: number, ties = 1): Row[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `10.5072/${String(index).padStart(6, '0')}`,
    created: T0 + Math.floor(index / ties) * 1000,
  }));
}

/** Changes an answer before it is sent. `number` counts the pages, from 1. */
type Spoil = (
  document: Answer,
  request: { number: number; size: number; from: number },
) => Answer | 'fail';
interface Answer {
  data: Row[];
  total: number;
  next: string | undefined;
}

const FOREIGN = 'foreign';
const linkTo = (cursor: string) =>
  `http://${cursor === FOREIGN ? 'elsewhere.example' : '127.0.0.1'}/dois?page[cursor]=${cursor}`;

/**
 * A service in memory. Cursors are DOIs; an unreadable cursor starts from the beginning
 * (service.md, P8).
 */
function fakeSource(rows: readonly Row[], spoil: Spoil = (answer) => answer) {
  const sizes: number[] = [];
  const froms: number[] = [];
  const matching = (params: Params) => {
    const query = params.find(([name]) => name === 'query')?.[1] ?? '';
    const [, from = '*', to = '*'] = /created:\[(\S+) TO (\S+)[\]}]/.exec(query) ?? [];
    return rows.filter(
      ({ created }) =>
        (from === '*' || created >= Date.parse(from)) && (to === '*' || created < Date.parse(to)),
    );
  };
  const source: WindowSource = {
    now: () => T0 + 1e10,
    url: (params) =>
      new URL(`http://127.0.0.1/dois?${new URLSearchParams(params as [string, string][])}`),
    count: async (params) => matching(params).length,
    fetch: async (params) => {
      const values = new Map(params as [string, string][]);
      const size = Number(values.get('page[size]'));
      const all = matching(params);
      froms.push(all[0]?.created ?? Number.NaN);
      const after = values.get('page[cursor]') ?? '';
      const from = all.findIndex(({ id }) => id === after) + 1;
      sizes.push(size);
      const data = all.slice(from, from + size);
      const whole = {
        data,
        total: all.length,
        next: data.length === size ? data.at(-1)?.id : undefined,
      };
      const answer = spoil(whole, { number: sizes.length, size, from });
      if (answer === 'fail') throw new CliError('unavailable', 'HTTP 504');
      return pageOf({
        data: answer.data.map(({ id, created }) => ({
          id,
          attributes: { created: new Date(created).toISOString() },
        })),
        meta: { total: answer.total },
        links: answer.next === undefined ? {} : { next: linkTo(answer.next) },
      });
    },
  };
  return { source, sizes, froms };
}

const query = { params: [], span: { from: null, to: null }, clauses: [], pageSize: 10 };

function idsOf(step: WalkStep): string[] {
  if ('gap' in step) return [];
  const { page, fresh } = step.page;
  return Array.from({ length: page.count }, (_, index) => index)
    .filter(fresh)
    .map((index) => page.id(index) ?? '');
}

/** Continues a walk from the position of an earlier one, for at most `most` steps. */
async function walk(
  source: WindowSource,
  start = BEGIN,
  known: readonly string[] = [],
  most = Infinity,
) {
  const ids = [...known];
  const gaps: Gap[] = [];
  let position = start;
  if (most === 0) return { ids, gaps, position, ended: false };
  let steps = 0;
  for await (const step of walkWindow(source, query, { ...start, known, taken: known.length })) {
    ids.push(...idsOf(step));
    if ('gap' in step) gaps.push(step.gap);
    position = step.position;
    steps += 1;
    if (steps >= most) return { ids, gaps, position, ended: false };
  }
  return { ids, gaps, position, ended: true };
}

const all = (rows: readonly Row[]) => rows.map(({ id }) => id);

describe('a walk over a window', () => {
  it('yields each record once, with wrong answers, and from any position', async () => {
    const kinds = [
      'lose',
      'empty',
      'repeat',
      'restart',
      'duplicate',
      'foreign',
      'fail',
      'fine',
      'fine',
      'fine',
    ] as const;
    const plan = fc.record({
      count: fc.integer({ min: 0, max: 120 }),
      ties: fc.integer({ min: 1, max: 25 }),
      faults: fc.array(fc.constantFrom(...kinds), { maxLength: 60 }),
      stops: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ count, ties, faults, stops }) => {
        const rows = rowsOf(count, ties);
        // Never twice in a row: the walk accepts an answer that stays wrong in the end.
        const spoil: Spoil = (answer, { number, size, from }) => {
          const kind = number % 2 === 0 ? 'fine' : (faults[(number - 1) / 2] ?? 'fine');
          const { data, next } = answer;
          if (kind === 'fail') return size > 1 ? 'fail' : answer;
          if (kind === 'lose')
            return { ...answer, data: data.toSpliced(Math.floor(data.length / 2), 1) };
          if (kind === 'empty') return { ...answer, data: [], next: undefined };
          if (next === undefined) return answer;
          if (kind === 'repeat')
            return { ...answer, next: from === 0 ? '1' : (rows[from - 1]?.id ?? '1') };
          if (kind === 'restart') return { ...answer, next: `unreadable-${number}` };
          if (kind === 'foreign') return { ...answer, next: FOREIGN };
          const before = rows[from - 1];
          if (kind === 'duplicate' && before !== undefined && from > 0 && size > 1) {
            const shown = [before, ...data].slice(0, size);
            return { ...answer, data: shown, next: shown.at(-1)?.id };
          }
          return answer;
        };
        const { source } = fakeSource(rows, spoil);
        let state = await walk(source, BEGIN, [], stops[0] ?? Infinity);
        for (const most of [...stops.slice(1), Infinity]) {
          // The position shows the end of a walk that never started over.
          if (state.ended || (state.position.cursor === null && state.position.restart === null))
            break;
          state = await walk(source, state.position, state.ids, most);
        }
        // After a start over, the walk may accept an answer that lacks records: the window's count
        // finds them, and a further start over brings them late. No record ever comes twice, or out
        // of order else.
        const lost = faults.some((kind) => kind === 'lose' || kind === 'empty');
        const inOrder = lost ? state.ids.toSorted() : state.ids;
        expect(inOrder).toEqual(
          lost ? all(rows).filter((id) => state.ids.includes(id)) : all(rows),
        );
        expect(state.gaps).toEqual([]);
      }),
      { numRuns: runs(150) },
    );
  });

  it('starts over at the latest record where a cursor leads back', async () => {
    const rows = rowsOf(60, 3);
    const { source, sizes } = fakeSource(rows, (answer, { number }) =>
      number === 3 ? { ...answer, next: 'unreadable' } : answer,
    );
    const { ids, position } = await walk(source);
    expect(ids).toEqual(all(rows));
    expect(position.restart).toBe(rows[29]?.created);
    // One page led back, and the walk reads the last of three pages again in part.
    expect(sizes.length).toBeLessThan(11);
  });

  it('does so too where the cursor is one that an earlier run was given', async () => {
    const rows = rowsOf(60, 3);
    const { source } = fakeSource(rows);
    const known = all(rows).slice(0, 30);
    const start = { cursor: 'unreadable', restart: null, latest: rows[29]?.created ?? 0 };
    expect((await walk(source, start, known)).ids).toEqual(all(rows));
  });

  it('does not go back behind a gap of an earlier run', async () => {
    const rows = rowsOf(60);
    const [before, behind] = [rows[29], rows[31]] as [Row, Row];
    const { source, froms } = fakeSource(rows, (answer, { number }) =>
      number < 6 ? { ...answer, next: '1' } : answer,
    );
    const start = { cursor: null, restart: behind.created, latest: before.created };
    const { ids } = await walk(source, start, all(rows).slice(0, 30));
    expect(ids).toEqual(all(rows).toSpliced(30, 1));
    expect(froms.filter((from) => from < behind.created)).toEqual([]);
  });

  it('gives up where no record tells its time', async () => {
    const rows = rowsOf(40).map(({ id }) => ({ id, created: Number.NaN }));
    const { source } = fakeSource([]);
    const pages = [rows.slice(0, 10), rows.slice(10, 20), rows.slice(0, 10)];
    let number = 0;
    const fetch: WindowSource['fetch'] = async () => {
      number += 1;
      return pageOf({
        data: pages[Math.min(number, pages.length) - 1]?.map(({ id }) => ({ id })) ?? [],
        meta: { total: 40 },
        links: { next: `http://127.0.0.1/dois?page[cursor]=c${number}` },
      });
    };
    await expect(walk({ ...source, fetch })).rejects.toThrow(CannotResume);
  });
});

describe('a page that keeps failing', () => {
  it('is requested in smaller pages that the service can send, and grows back', async () => {
    const rows = rowsOf(100);
    const poison = 25;
    const { source, sizes } = fakeSource(rows, (answer, { size, from }) =>
      size > 1 && from <= poison && poison < from + size ? 'fail' : answer,
    );
    const { ids, gaps } = await walk(source);
    expect(ids).toEqual(all(rows));
    expect(gaps).toEqual([]);
    expect(sizes).toEqual(
      [10, 10, 10, 1, 1, 10, 1, 1, 10, 1, 1, 10, 10, 10, 10, 10, 10, 10, 10].slice(0, sizes.length),
    );
    expect(sizes.at(-1)).toBe(10);
  });

  it.each([
    ['the first', 0, 1],
    ['one in the middle', 25, 1],
    ['the last', 49, 1],
    ['one among ties', 25, 4],
    ['the first of ties', 24, 4],
    ['the last of ties', 27, 4],
  ])('is a gap where one record cannot be had at all: %s', async (_, poison, ties) => {
    const rows = rowsOf(50, ties);
    const { source } = fakeSource(rows, (answer, { size, from }) => {
      return answer.data.includes(rows[poison] as Row) && size > 0 && from >= 0 ? 'fail' : answer;
    });
    const { ids, gaps, position } = await walk(source);
    expect(gaps).toMatchObject([
      { after: poison === 0 ? null : rows[poison - 1]?.id, reason: 'HTTP 504' },
    ]);
    const lost = gaps[0]?.records ?? 0;
    // No available cursor leads to the records after it that share its instant.
    expect(lost).toBe(ties - (poison % ties));
    expect(ids).toEqual([...all(rows).slice(0, poison), ...all(rows).slice(poison + lost)]);
    expect(position.cursor).toBeNull();
  });

  it('is no gap where nothing is left to fetch', async () => {
    const rows = rowsOf(30);
    const { source } = fakeSource(rows, (answer, { from }) => (from === 30 ? 'fail' : answer));
    const { ids, gaps, ended } = await walk(source);
    expect([ids, gaps, ended]).toEqual([all(rows), [], true]);
  });

  it('ends the walk where the service is down altogether', async () => {
    const { source } = fakeSource(rowsOf(50), () => 'fail');
    const count = () => Promise.reject(new CliError('unavailable', 'HTTP 503'));
    await expect(walk({ ...source, count })).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'HTTP 503',
    });
  });
});

describe('a record whose identifier alone can be had', () => {
  const rows = rowsOf(50, 4);
  const poison = 25;
  /**
   * Fails unless only identifiers are asked for; if `wrong`, the first answer to that is about
   * another record.
   */
  function source(wrong = false) {
    const { source: healthy } = fakeSource(rows);
    let looks = 0;
    const fetch: WindowSource['fetch'] = async (params) => {
      const page = await healthy.fetch(params);
      if (params.some(([name]) => name === 'fields[dois]')) {
        looks += 1;
        if (wrong && looks === 1) {
          return pageOf({ data: [{ id: rows[poison - 1]?.id }], meta: { total: 50 }, links: {} });
        }
        return page;
      }
      const ids = Array.from({ length: page.count }, (_, index) => page.id(index));
      if (ids.includes(rows[poison]?.id)) throw new CliError('unavailable', 'HTTP 504');
      return page;
    };
    return { ...healthy, fetch };
  }

  it.each([false, true])(
    'is named, and alone is left out (another one answered first: %s)',
    async (wrong) => {
      const { ids, gaps } = await walk(source(wrong));
      expect(gaps).toMatchObject([
        { doi: rows[poison]?.id, records: 1, after: rows[poison - 1]?.id },
      ]);
      expect(ids).toEqual(all(rows).toSpliced(poison, 1));
    },
  );

  it('does not hide that the run is to stop', async () => {
    const broken = source();
    const fetch: WindowSource['fetch'] = (params, retries) =>
      params.some(([name]) => name === 'fields[dois]')
        ? Promise.reject(new CliError('interrupted', 'interrupted'))
        : broken.fetch(params, retries);
    await expect(walk({ ...broken, fetch })).rejects.toMatchObject({ kind: 'interrupted' });
  });
});
