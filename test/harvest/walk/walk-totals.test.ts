import { describe, expect, it } from 'vitest';
import { WalkTotals } from '../../../src/harvest/walk/walk-totals.ts';
import { pageOf } from '../../helpers/pages.ts';

/** The totals of pages given as [records, repeats, total]. */
function totalsOf(...pages: readonly (readonly [number, number, number | undefined])[]): WalkTotals {
  const totals = new WalkTotals();
  for (const [count, repeats, total] of pages) {
    const page = pageOf({ data: Array.from({ length: count + repeats }, () => ({})), meta: { total } });
    totals.addPage({ page, count });
  }
  return totals;
}

describe('the verdict of a harvest', () => {
  it('has nothing to remark when every record came', () => {
    expect(totalsOf([2, 0, 3], [1, 0, 3]).compare()).toEqual([]);
    expect(totalsOf([0, 0, 0]).compare()).toEqual([]);
  });
  it('names both numbers of a shortfall and of a surplus', () => {
    expect(() => totalsOf([2, 0, 36_409]).compare()).toThrow(/counts 36,409 DOIs, but gave only 2/);
    expect(() => totalsOf([4, 0, 3]).compare()).toThrow(/counts 3 DOIs, but gave 4/);
  });
  it('counts repeats apart from records', () => {
    expect(totalsOf([2, 0, 3], [1, 1, 3]).compare()).toEqual(['1 repeated record left out']);
    expect(() => totalsOf([2, 0, 3], [0, 1, 3]).compare()).toThrow(/gave only 2/);
  });
  it('tells a total that moved from a loss', () => {
    expect(totalsOf([2, 0, 3], [2, 0, 4]).compare()).toEqual([
      'the total moved from 3 to 4 DOIs during the harvest',
    ]);
    expect(totalsOf([2, 0, 4], [1, 0, 3]).compare()).toHaveLength(1);
    expect(() => totalsOf([1, 0, 4], [1, 0, 3]).compare()).toThrow(/counts 3 to 4 DOIs, but gave only 2/);
  });
  it('lets no page in between excuse a loss', () => {
    expect(() => totalsOf([2, 0, 9], [2, 0, 0], [2, 0, 9]).compare()).toThrow(
      /counts 9 DOIs, but gave only 6/,
    );
    expect(totalsOf([2, 0, 4], [2, 0, 0], [0, 0, 4]).compare()).toEqual([]);
  });
  it('says so where the service gives no total', () => {
    expect(totalsOf([2, 0, undefined]).compare()).toEqual([expect.stringMatching(/could not be checked/)]);
  });
});
