import { describe, expect, it } from 'vitest';
import { yearCounts } from '../../../src/harvest/windows/year-counts.ts';

const entries = (length: number) =>
  Array.from({ length }, (_, n) => ({ id: String(1900 + n), title: 'any', count: n }));

describe('yearCounts', () => {
  it('reads the facet of creation years', () => {
    const created = entries(100);
    const counts = yearCounts({ total: 8, created });
    expect(counts).toEqual(created.map(({ id, count }) => ({ year: Number(id), count })));
  });

  it.each([
    ['no meta', undefined],
    ['no facet', { total: 3 }],
    ['an object', { created: { '2019': 3 } }],
    ['a negative count', { created: [{ id: '2019', count: -1 }] }],
    ['a count as text', { created: [{ id: '2019', count: '1' }] }],
    ['a month', { created: [{ id: '2019-01', count: 1 }] }],
    ['the year 0', { created: [{ id: '0000', count: 1 }] }],
    ['the year 9999, after which there is none', { created: [{ id: '9999', count: 1 }] }],
    ['a number as id', { created: [{ id: 2019, count: 1 }] }],
    ['null', { created: [null] }],
  ])('takes none of a facet with %s', (_what, meta) => {
    expect(yearCounts(meta)).toEqual([]);
  });
});
