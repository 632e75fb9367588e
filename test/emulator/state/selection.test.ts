import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Params } from '../../../src/emulator/http/params.ts';
import { Corpus } from '../../../src/emulator/records/corpus.ts';
import { matches, readFilter } from '../../../src/emulator/state/filter.ts';
import { timesAt } from '../../../src/emulator/state/searched.ts';
import { Selection } from '../../../src/emulator/state/selection.ts';
import { runs } from '../../helpers/runs.ts';

const TYPES = ['dataset', 'text', 'image', 'software', 'physical-object'];

const year = fc.integer({ min: 2010, max: 2027 });
const day = fc
  .date({ min: new Date('2010-06-01'), max: new Date('2027-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19));
const bound = fc.oneof({ arbitrary: fc.constant('*'), weight: 1 }, { arbitrary: day, weight: 3 });
const range = fc
  .tuple(
    fc.constantFrom('created', 'updated', 'registered'),
    fc.constantFrom('[', '{'),
    bound,
    bound,
    fc.constantFrom(']', '}'),
  )
  .map(([field, open, low, high, close]) => `${field}:${open}${low} TO ${high}${close}`);

const filters = fc.record(
  {
    'provider-id': fc.constantFrom('caltech', 'cern', 'demo', 'cern,dryad'),
    'client-id': fc.constantFrom('caltech.library', 'demo.repo', 'gesis.die,cos.osf'),
    prefix: fc.constantFrom('10.5281', '10.5072,10.22002'),
    state: fc.constantFrom('draft', 'registered', 'findable,draft'),
    'resource-type-id': fc.constantFrom(...TYPES),
    created: fc.oneof(year.map(String), fc.tuple(year, year).map(String)),
    registered: year.map(String),
    published: year.map(String),
    query: fc.array(range, { minLength: 1, maxLength: 3 }).map((list) => list.join(' AND ')),
  },
  { requiredKeys: [] },
);

function filterOf(parameters: object, anonymous: boolean) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return readFilter(new Params(new URLSearchParams(given).toString()), anonymous);
}

function scan(corpus: Corpus, filter: ReturnType<typeof filterOf>): number[] {
  return Array.from({ length: corpus.size }, (_, index) => index).filter((index) =>
    matches(filter, {
      doi: corpus.doi(index),
      kind: corpus.kind(index),
      times: timesAt(corpus, index),
    }),
  );
}

describe('selection by arithmetic', () => {
  const corpora = [0, 1, 40, 999, 1000, 3456].map(
    (size, n) => new Corpus(n + 1, size, 'demo.repo'),
  );

  it('finds exactly what a scan of every record finds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...corpora),
        filters,
        fc.boolean(),
        fc.nat(),
        (corpus, parameters, anonymous, from) => {
          const filter = filterOf(parameters, anonymous);
          const expected = scan(corpus, filter);
          const selection = new Selection(corpus, filter);
          expect(selection.total).toBe(expected.length);
          expect([...selection.from(0)]).toEqual(expected);
          const start = from % (corpus.size + 1);
          expect([...selection.from(start)]).toEqual(expected.filter((index) => index >= start));
          const rank = from % (expected.length + 1);
          const { start: begin, skip } = selection.seek(rank);
          expect([...selection.from(begin)].slice(skip)).toEqual(expected.slice(rank));
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it('draws every boundary to the second', () => {
    const corpus = new Corpus(7, 2500, 'demo.repo');
    const field = fc.constantFrom('created' as const, 'updated' as const, 'registered' as const);
    const bounds = fc.constantFrom(['[', ']'], ['[', '}'], ['{', ']'], ['{', '*']);
    fc.assert(
      fc.property(field, bounds, fc.nat({ max: corpus.size - 1 }), (name, [open, close], index) => {
        const seconds = corpus.timeline[name](index);
        fc.pre(seconds !== undefined);
        const time = new Date((seconds ?? 0) * 1000).toISOString();
        const high = close === '*' ? '*]' : `${time}${close}`;
        const filter = filterOf({ query: `${name}:${open}${time} TO ${high}` }, false);
        const found = [...new Selection(corpus, filter).from(0)];
        expect(found).toEqual(scan(corpus, filter));
        expect(found.includes(index)).toBe(open === '[' && close === ']');
      }),
      { numRuns: runs(40) },
    );
  });

  it('finds one record by its DOI', () => {
    const corpus = new Corpus(1, 3000, 'demo.repo');
    const filter = filterOf({ query: `doi:"${corpus.doi(1700).toUpperCase()}"` }, false);
    expect([...new Selection(corpus, filter).from(0)]).toEqual([1700]);
    expect(new Selection(corpus, filterOf({ query: 'doi:10.5281/none' }, false)).total).toBe(0);
  });
});
