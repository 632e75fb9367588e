import { describe, expect, it } from 'vitest';
import { Tally } from '../../../src/harvest/walk/tally.ts';
import { pageOf } from '../../helpers/pages.ts';

/** A tally of pages given as [records, repeats, total]. */
function tallyOf(...pages: readonly (readonly [number, number, number | undefined])[]): Tally {
  const tally = new Tally();
  for (const [count, repeats, total] of pages) {
    const page = pageOf({ data: Array.from({ length: count + repeats }, () => ({})), meta: { total } });
    tally.addPage({ page, count });
  }
  return tally;
}

describe('the verdict of a harvest', () => {
  it('has nothing to remark when every record came', () => {
    expect(tallyOf([2, 0, 3], [1, 0, 3]).verdict()).toEqual([]);
    expect(tallyOf([0, 0, 0]).verdict()).toEqual([]);
  });
  it('names both numbers of a shortfall and of a surplus', () => {
    expect(() => tallyOf([2, 0, 36_409]).verdict()).toThrow(/counts 36,409 DOIs, but gave only 2/);
    expect(() => tallyOf([4, 0, 3]).verdict()).toThrow(/counts 3 DOIs, but gave 4/);
  });
  it('counts repeats apart from records', () => {
    expect(tallyOf([2, 0, 3], [1, 1, 3]).verdict()).toEqual(['1 repeated record left out']);
    expect(() => tallyOf([2, 0, 3], [0, 1, 3]).verdict()).toThrow(/gave only 2/);
  });
  it('tells a total that moved from a loss', () => {
    expect(tallyOf([2, 0, 3], [2, 0, 4]).verdict()).toEqual([
      'the total moved from 3 to 4 DOIs during the harvest',
    ]);
    expect(tallyOf([2, 0, 4], [1, 0, 3]).verdict()).toHaveLength(1);
    expect(() => tallyOf([1, 0, 4], [1, 0, 3]).verdict()).toThrow(/counts 3 to 4 DOIs, but gave only 2/);
  });
  it('lets no page in between excuse a loss', () => {
    expect(() => tallyOf([2, 0, 9], [2, 0, 0], [2, 0, 9]).verdict()).toThrow(
      /counts 9 DOIs, but gave only 6/,
    );
    expect(tallyOf([2, 0, 4], [2, 0, 0], [0, 0, 4]).verdict()).toEqual([]);
  });
  it('says so where the service gives no total', () => {
    expect(tallyOf([2, 0, undefined]).verdict()).toEqual([expect.stringMatching(/could not be checked/)]);
  });
});
