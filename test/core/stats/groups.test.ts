import { describe, expect, it } from 'vitest';
import { groupOf, groupsOf, shown } from '../../../src/core/stats/groups.ts';

const buckets = Array.from({ length: 12 }, (_, at) => ({
  id: `v${at}`,
  title: `v${at}`,
  count: 20 - at,
}));
const rowsOf = (by: string) => shown(groupOf(by, buckets, { none: 3 }));

describe('the rows of a group', () => {
  it('end with the records of the values that are not shown', () => {
    const { extent, rows } = rowsOf('language');
    expect(extent).toBe(' (10 of 12)');
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

it('an id with several names is one bucket with its most frequent name (service.md, P21)', () => {
  const pairs = [
    { id: 'ror.org/1', title: 'CERN', count: 5 },
    { id: 'ror.org/2', title: 'DESY', count: 4 },
    { id: 'ror.org/1', title: 'Cern', count: 3 },
  ];
  const warnings: string[] = [];
  const facets = { total: 9, buckets: new Map([['affiliations', pairs]]) };
  const { groups } = groupsOf(facets, ['affiliation'], (text) => warnings.push(text));
  expect(groups[0]?.buckets).toEqual([
    { id: 'ror.org/1', title: 'CERN', count: 8 },
    { id: 'ror.org/2', title: 'DESY', count: 4 },
  ]);
  expect(warnings).toEqual([/several names, by affiliation$/]);
});
