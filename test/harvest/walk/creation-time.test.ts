import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/emulator/state/query.ts';
import {
  ALL_TIME,
  createdClause,
  createdOf,
  endsBefore,
  isWithin,
  numbersOf,
  type Span,
  understandsTimes,
} from '../../../src/harvest/walk/creation-time.ts';
import { combinedQuery } from '../../../src/harvest/walk/query-params.ts';
import { pageOf } from '../../helpers/pages.ts';

const OTHERS = fc.array(
  fc.constantFrom('"x":"created"', '"createdBy":"a"', '"dd":[1]', '"é":"\\"created"'),
  {
    maxLength: 6,
  },
);
const TIMES = fc.oneof(
  fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString())
    .chain((time) => fc.constantFrom(time, time.replace(/\.\d+Z$/, 'Z'), time.slice(0, 10))),
  fc.constantFrom(
    '2024-02-30T00:00:00Z',
    '2024-05-01T24:00:00Z',
    '2024-05-01 10:00',
    '2024-13-01T00:00:00Z',
    '',
  ),
);

describe('createdOf', () => {
  it('is the creation time of a record as JSON.parse reads it', () => {
    fc.assert(
      fc.property(OTHERS, TIMES, OTHERS, (before, time, after) => {
        const members = [...before, `"created":"${time}"`, ...after];
        const record = Buffer.from(`{"id":"a","attributes":{${members.join(',')}}}`);
        const { attributes } = JSON.parse(record.toString()) as { attributes: { created: string } };
        expect(createdOf(record)).toBe(Date.parse(attributes.created));
      }),
    );
  });

  it('is not a number for a record without one', () => {
    expect(createdOf(Buffer.from('{"a":1}'))).toBeNaN();
    expect(createdOf(Buffer.from('{"a":'))).toBeNaN();
  });

  it('is not that of another object', () => {
    const media = '{"created":"2020-01-01T00:00:00Z"}';
    const record = `{"attributes":{"created":"2024-01-01T00:00:00Z","media":${media}}}`;
    expect(createdOf(Buffer.from(record))).toBe(Date.UTC(2024, 0));
  });
});

describe('createdClause', () => {
  const [from, to] = [Date.UTC(2024, 0), Date.UTC(2024, 1)];
  it.each([
    [{ from, to }, 'created:[2024-01-01T00:00:00.000Z TO 2024-02-01T00:00:00.000Z}'],
    [{ from: null, to }, 'created:[* TO 2024-02-01T00:00:00.000Z}'],
    [{ from, to: null }, 'created:[2024-01-01T00:00:00.000Z TO *]'],
    [{ from: null, to: null }, undefined],
  ])('%o', (span, clause) => {
    expect(createdClause(span)).toBe(clause);
  });
  it('is understood by the emulator together with a query', () => {
    const query = combinedQuery(
      'aasm_state:findable',
      createdClause({ from, to }),
      createdClause({ from, to: null }),
    );
    expect(parseQuery(query ?? '')).toEqual({
      ranges: { created: { from: from / 1000, to: to / 1000 } },
      terms: [{ field: 'state', value: 'findable' }],
      rest: [],
    });
  });
});

const T0 = Date.UTC(2020, 0);
const iso = (second: number) => new Date(T0 + second * 1000).toISOString();
const at = (second: number) => T0 + second * 1000;

/** A page of records that were created in these seconds; null for one that does not show it. */
function pageAt(...seconds: readonly (number | null)[]) {
  const data = seconds.map((second, index) => ({
    id: `10.5072/R${index}`,
    attributes: second === null ? {} : { created: iso(second) },
  }));
  return pageOf({ data, meta: { total: 70 }, links: {} });
}

const cursorAfter = (second: number, doi: string) =>
  Buffer.from(`${at(second)},${doi}`).toString('base64url');

describe('the numbers of a page', () => {
  it('are its count, the total, and the times of the first, the middle and the last record', () => {
    const asked = { from: null, to: at(9) };
    expect(numbersOf(pageAt(1, 2, 3, 5), 'next', asked)).toEqual({
      ...{ asked, total: 70, count: 4, isLast: false },
      ...{ first: at(1), middle: at(3), last: at(5) },
    });
    expect(numbersOf(pageAt(), null, ALL_TIME)).toEqual({
      ...{ asked: ALL_TIME, total: 70, count: 0, isLast: true },
      ...{ first: Number.NaN, middle: Number.NaN, last: Number.NaN },
    });
  });

  it('do not take a wrong link for the end', () => {
    expect(numbersOf(pageAt(1), undefined, ALL_TIME).isLast).toBe(false);
  });

  it.each([
    ['the cursor behind the last record', cursorAfter(8, '10.5072/r1'), at(8)],
    ['a cursor behind another record', cursorAfter(8, '10.5072/r7'), Number.NaN],
    ['a cursor of another kind', 'c10', Number.NaN],
    ['no cursor', null, Number.NaN],
  ])('take the last time from %s where the record shows none', (_, next, last) => {
    expect(numbersOf(pageAt(null, null), next, ALL_TIME).last).toBe(last);
    expect(numbersOf(pageAt(null, 3), next, ALL_TIME).last).toBe(at(3));
  });
});

describe('a page of a span that ends earlier now', () => {
  it.each([
    ['ends before it', pageAt(1, 4), 'c', 5, true],
    ['ends in it', pageAt(1, 5), 'c', 5, false],
    ['is empty', pageAt(), null, 5, true],
    ['is before no end', pageAt(1, 4), 'c', null, true],
    ['does not show when it ends', pageAt(1, null), 'c', 5, false],
    ['ends before it, by its cursor', pageAt(1, null), cursorAfter(4, '10.5072/r1'), 5, true],
  ])('%s', (_, page, next, to, isBefore) => {
    expect(endsBefore(page, next, { from: null, to: to === null ? null : at(to) })).toBe(isBefore);
  });
});

describe('whether a page is within a span', () => {
  const span = { from: at(2), to: at(6) };
  it.each([
    ['all of its records are', pageAt(2, 5), true],
    ['it has none', pageAt(), true],
    ['its first record is too early', pageAt(1, 5), false],
    ['its last record is too late', pageAt(2, 6), false],
    ['no record tells', pageAt(null, null), true],
    ['it is no list', pageOf({ data: { id: 'a' } }), true],
  ])('%s', (_, page, is) => {
    expect(isWithin(page, span)).toBe(is);
    expect(isWithin(page, ALL_TIME)).toBe(true);
  });

  it('is judged by the attributes, not by other members of that name', () => {
    const record = { id: '10.5072/a', attributes: { created: iso(3), x: { created: iso(9) } } };
    expect(isWithin(pageOf({ data: [record] }), span)).toBe(true);
  });
});

describe('a service whose whole has 100 records', () => {
  it.each([
    ['as many on both sides of a time', [30, 70], 100, true],
    ['too few records', [30, 69], 100, false],
    ['all records on each side', [100, 100], 100, false],
    ['none on either', [0, 0], 100, false],
    ['some of the records that were added since', [30, 73], 105, true],
    ['fewer records, because some were hidden since', [30, 65], 95, true],
    ['more records than now and before', [30, 77], 105, false],
  ])('and %s is judged by counts', async (_, [before, after], now, understands) => {
    const count = async ({ from, to }: Span) => {
      if (to !== null) return before ?? 0;
      return from !== null ? (after ?? 0) : now;
    };
    expect(await understandsTimes(count, 5000, 100)).toBe(understands);
  });
});
