import { describe, expect, it } from 'vitest';
import { groupOf, shown } from '../../../../src/commands/dois/stats/groups.ts';

const buckets = Array.from({ length: 12 }, (_, at) => ({
  id: `v${at}`,
  title: `v${at}`,
  count: 20 - at,
}));
const rowsOf = (by: string) => shown(groupOf(by, buckets, { none: 3 }));

describe('the rows of a group', () => {
  it('end with the records of the values that are not shown', () => {
    const { head, rows } = rowsOf('language');
    expect(head).toBe('language (10 of 12)');
    expect(rows.slice(9)).toEqual([
      { label: 'v9', count: 11, isRest: false },
      { label: '(others)', count: 10 + 9, isRest: true },
      { label: '(none)', count: 3, isRest: true },
    ]);
  });
  it('leave them out where a record may have several, because it would count for each', () => {
    expect(rowsOf('subject').rows.slice(9)).toMatchObject([{ label: 'v9' }, { label: '(none)' }]);
  });
});
