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
    // A month or a year alone is its first day (service.md, F17).
    ['created:2025-11', at('2025-11-01'), at('2025-11-02')],
    ['created:[2025-11 TO 2025-12]', at('2025-11-01'), at('2025-12-02')],
    ['created:{2025-11 TO 2025-12}', at('2025-11-02'), at('2025-12-01')],
    ['created:>2025-11-03', at('2025-11-04'), Infinity],
    ['created:<=2025', -Infinity, at('2025-01-02')],
    ['created:2026-06-15', at('2026-06-15'), at('2026-06-16')],
    ['created:"2026-06-15T10:20"', at('2026-06-15T10:20Z'), at('2026-06-15T10:21Z')],
    ['created:(2026-06-15)', at('2026-06-15'), at('2026-06-16')],
    ['created:[2025-11-07||/M TO 2025-11-07||/M]', at('2025-11-01'), at('2025-12-01')],
    ['created:[2024-01-31||+1M TO 2024-01-31||+1M/d}', at('2024-02-29'), at('2024-02-29')],
    ['created:[2026-06-17||/w TO *]', at('2026-06-15'), Infinity],
    ['created:[1700000000000 TO *]', 1_700_000_000, Infinity],
    ['created:*', -Infinity, Infinity],
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
      'client.uid:Cern.Zenodo && client_id:A.B && doi:10.5072\\/AB prefix:"10.5072" AND *',
    );
    expect(terms).toEqual([
      { field: 'client', value: 'cern.zenodo' },
      { field: 'client', value: 'A.B' },
      { field: 'doi', value: '10.5072/ab' },
      { field: 'prefix', value: '10.5072' },
    ]);
  });

  it.each([
    'created:[2024-01-01 TO',
    'created:[',
    'created:[yesterday TO *]',
    'created:[2024-13-01 TO *]',
    'created:2024-02-30',
    'created:2024-02*',
    'created:yesterday',
    'publicationYear:2024-05',
    'citationCount:many',
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
