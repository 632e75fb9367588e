import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/emulator/state/query.ts';
import { QueryError } from '../../../src/emulator/state/query-times.ts';

const at = (text: string) => Date.parse(text) / 1000;

describe('query', () => {
  it.each([
    ['created:[2024-01-01T00:00:00Z TO 2024-02-01T00:00:00Z}', at('2024-01-01'), at('2024-02-01')],
    ['created:[2024-01-01 TO 2024-02-01}', at('2024-01-01'), at('2024-02-01')],
    ['created:[2024-01-01 TO 2024-01-31]', at('2024-01-01'), at('2024-02-01')],
    ['created:{2024-01-01T00:00:00Z TO *]', at('2024-01-01') + 1, Infinity],
    ['created:[* TO 2024-01-01T00:00:00Z]', -Infinity, at('2024-01-01') + 1],
    ['created:[2024 TO 2025}', at('2024-01-01'), at('2025-01-01')],
    ['created:[2024-01-01T00:00:00.500Z TO *]', at('2024-01-01') + 1, Infinity],
    ['created:[2024-01-01T00:00:00+02:00 TO *]', at('2024-01-01') - 7200, Infinity],
    ['  ( created:[2024-01-01 TO *] )  ', at('2024-01-01'), Infinity],
  ])('reads %s', (text, from, to) => {
    expect(parseQuery(text).ranges).toEqual({ created: { from, to } });
  });

  it('joins clauses, written or implied, and narrows a field named twice', () => {
    const { ranges } = parseQuery(
      '(created:[2020 TO *] AND updated:[2021 TO *]) created:[* TO 2022}',
    );
    expect(ranges).toEqual({
      created: { from: at('2020-01-01'), to: at('2022-01-01') },
      updated: { from: at('2021-01-01'), to: Infinity },
    });
  });

  it('reads terms, quoted and escaped', () => {
    const { terms } = parseQuery(
      'client_id:Cern.Zenodo && doi:10.5072\\/AB prefix:"10.5072" AND *',
    );
    expect(terms).toEqual([
      { field: 'client', value: 'cern.zenodo' },
      { field: 'doi', value: '10.5072/ab' },
      { field: 'prefix', value: '10.5072' },
    ]);
  });

  it.each([
    'created:[2024-01-01 TO',
    'created:[',
    'created:[yesterday TO *]',
    'created:[2024-13-01 TO *]',
    '(created:[2024 TO *]',
    'created:[2024 TO *])',
    '()',
    'AND',
    'created:[2024 TO *] AND',
    'AND created:[2024 TO *]',
    'created:[2024 TO *] OR',
    'titles.title:(a',
    '"',
  ])('rejects %s', (text) => {
    expect(() => parseQuery(text)).toThrow(QueryError);
  });

  // Fields that the index does not know match nothing, and the search engine reads all of these.
  it.each([
    'climate',
    'created:[2024 TO *] OR updated:[2024 TO *]',
    'nosuchfield:1',
    'doi:[a TO b]',
  ])('leaves %s to a search of the metadata', (text) => {
    const { ranges, terms, rest } = parseQuery(text);
    expect([ranges, terms, rest.length]).toEqual([{}, [], 1]);
  });
});
