import { describe, expect, it } from 'vitest';
import { ALL_TIME } from '../../../src/harvest/walk/creation-time.ts';
import { endsBefore, isWithin, numbersOf } from '../../../src/harvest/walk/page-numbers.ts';
import { pageOf } from '../../helpers/pages.ts';

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
