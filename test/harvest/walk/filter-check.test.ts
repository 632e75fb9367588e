import { expect, it } from 'vitest';
import { filterCheck } from '../../../src/harvest/walk/filter-check.ts';
import { pageOf } from '../../helpers/pages.ts';

const page = pageOf({ data: [{ id: '10.5072/a', attributes: { state: 'findable' } }], links: {} });

it('refuses a record that a filter excludes', () => {
  expect(filterCheck([['prefix', '10.5072']])(page)).toBe(page);
  expect(() => filterCheck([['prefix', '10.5073']])(page)).toThrow(/10\.5072\/a has the prefix/);
});

it('takes any record where a filter is repeated: the service may read either value', () => {
  for (const [first, second] of [
    ['prefix', 'prefix'],
    ['client-id', 'client_id'],
  ] as const) {
    const params = [
      [first, '10.5073'],
      [second, '10.5072'],
      ['state', 'draft'],
    ] as const;
    expect(filterCheck(params)(page)).toBe(page);
  }
});

it('compares enriched records with the filters, and lists of ids with none', () => {
  const params = [['prefix', '10.5073']] as const;
  expect(() => filterCheck([...params, ['enriched', 'true']])(page)).toThrow(/has the prefix/);
  expect(filterCheck([...params, ['ids', '10.5072/a']])(page)).toBe(page);
});
