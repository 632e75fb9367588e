import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/text/json-values.ts';
import { merge } from '../../src/writing/merge.ts';
import { runs } from '../helpers/runs.ts';

/** What becomes of an attribute: it is sent as in mine, or not at all, or it is a conflict. */
type Result = 'sent' | 'kept' | 'conflict';

function resultOf(name: string, merged: ReturnType<typeof merge>): Result {
  if (merged.conflicts.some((conflict) => conflict.name === name)) return 'conflict';
  return name in merged.attributes ? 'sent' : 'kept';
}

const people = (text: string) =>
  text.split(' ').map((word) => {
    const [name, givenName] = word.split('/');
    return { name, ...(givenName && { givenName }) };
  });
const [DOI, DX, UPPER] = ['https://doi.org/10.5072/a', 'http://dx.doi.org/10.5072/a', '10.5072/A'];
const ORCID = '0000-0002-1825-0097';
const orcid = (nameIdentifier: string) => [{ name: 'A', nameIdentifiers: [{ nameIdentifier }] }];

type Row = readonly [what: string, base: unknown, mine: unknown, theirs: unknown, result: Result];

const VALUES: readonly Row[] = [
  ['a new value', '1', '2', '1', 'sent'],
  ['the same new value', '1', '2', '2', 'kept'],
  ['different new values', '1', '2', '3', 'conflict'],
  ['no new value', '1', '1', '3', 'kept'],
  ['an empty value for a value', '1', null, '1', 'sent'],
  ['an empty value for one that theirs changed', '1', null, '2', 'conflict'],
  ['a value that theirs removed', '1', '2', undefined, 'conflict'],
  ['an empty value for none', undefined, [{ title: '' }], [{ title: 'A' }], 'kept'],
  ['a number as text', 2024, '2024', 2025, 'kept'],
  ['a new number as text', 2024, '2025', 2025, 'kept'],
  ['another object', undefined, { volume: '1' }, { issue: '2' }, 'conflict'],
  [
    'other members of an object',
    { a: '1', b: '1' },
    { a: '2', b: '1' },
    { a: '1', b: '2' },
    'conflict',
  ],
  ['a publisher as text', 'A', { name: 'A' }, { name: 'A', lang: 'en' }, 'kept'],
  // The service stores the texts of JSON as they are sent (service.md, W21).
  ['a resolver', DX, DOI, DX, 'sent'],
  ['a resolver less', DOI, '10.5072/a', DOI, 'sent'],
  ['the case of a DOI', '10.5072/a', UPPER, '10.5072/a', 'sent'],
  ['a resolver that theirs changed as well', DX, DOI, UPPER, 'conflict'],
  [
    'an ORCID iD with its resolver',
    orcid(ORCID),
    orcid(`https://orcid.org/${ORCID}`),
    orcid(ORCID),
    'sent',
  ],
];

const CREATORS: readonly (readonly [string, string, string, string, Result])[] = [
  ['an edit that only mine has', 'A B', 'A/x B', 'A B', 'sent'],
  ['an edit that only theirs has', 'A B', 'A B', 'B A C', 'kept'],
  ['the same edit by both', 'A B', 'A/x B', 'A/x B', 'kept'],
  ['a correction of a creator whom theirs removed', 'A B', 'A/x B', 'B', 'conflict'],
  ['a removal of a creator whom theirs corrected', 'A B', 'B', 'A/x B', 'conflict'],
  ['corrections of two creators whom theirs exchanged', 'A B', 'A/x B/y', 'B A', 'conflict'],
  ['edits of different creators', 'A B', 'A/x B', 'A B/y', 'conflict'],
  ['additions of both', 'A', 'A B', 'A C', 'conflict'],
  ['another order', 'A B', 'B A', 'A B', 'sent'],
  ['one of two equal creators removed', 'A A B', 'A B', 'A A B', 'sent'],
];

describe('a merge', () => {
  it.each(VALUES)('of %s', (_, base, mine, theirs, result) => {
    const merged = merge({ it: base }, { it: mine }, { it: theirs });
    expect(resultOf('it', merged)).toBe(result);
  });

  it.each(CREATORS)('of creators: %s', (_, base, mine, theirs, result) => {
    const record = (text: string) => ({ creators: people(text) });
    const merged = merge(record(base), record(mine), record(theirs));
    expect(resultOf('creators', merged)).toBe(result);
  });

  it('has the value of mine at a conflict, and reports all three values', () => {
    const merged = merge(
      { version: '1', types: { ris: 'GEN' }, language: 'en' },
      { version: '2', types: { ris: 'RPRT' }, language: 'de' },
      { version: '3', types: { ris: 'BOOK' }, language: 'en' },
    );
    expect(merged.conflicts).toEqual([
      { name: 'version', base: '1', mine: '2', theirs: '3' },
      { name: 'types', base: { ris: 'GEN' }, mine: { ris: 'RPRT' }, theirs: { ris: 'BOOK' } },
    ]);
    expect(merged.attributes).toEqual({ version: '2', types: { ris: 'RPRT' }, language: 'de' });
  });

  it('has a conflict wherever the record differs from mine where base is unknown', () => {
    const mine = { version: '2', language: 'en', sizes: ['1', '2'] };
    const merged = merge(undefined, mine, { version: '1', language: 'en', sizes: ['1'] });
    expect(Object.keys(mine).map((name) => resultOf(name, merged))).toEqual([
      'conflict',
      'kept',
      'conflict',
    ]);
  });
});

/** Few values, so that edits often meet, some of them equal in another form. */
const names = fc.array(
  fc.constantFrom({ name: 'A' }, { name: 'A', givenName: 'x' }, { name: 'B' }, { name: 'C' }),
  { maxLength: 4 },
);
const ATTRIBUTES = {
  creators: names,
  contributors: names,
  sizes: fc.array(fc.constantFrom('1 MB', '2 MB'), { maxLength: 3 }),
  version: fc.constantFrom('1', '2', null, ''),
  publicationYear: fc.constantFrom(2024, '2024', 2025),
  url: fc.constantFrom(DX, DOI, 'https://doi.org/10.5072/A'),
  publisher: fc.constantFrom(
    'A',
    { name: 'A', lang: null },
    { lang: 'en', name: 'A' },
    { name: 'B' },
  ),
};
type Name = keyof typeof ATTRIBUTES;
const whole = fc.record(ATTRIBUTES) as fc.Arbitrary<JsonObject>;
const edits = fc.record(ATTRIBUTES, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
const scenarios = fc
  .tuple(whole, edits, edits, fc.subarray(Object.keys(ATTRIBUTES) as Name[]))
  .map(([base, mine, theirs, both]) => ({
    base,
    mine: { ...base, ...mine },
    theirs: {
      ...base,
      ...theirs,
      ...Object.fromEntries(both.flatMap((name) => (name in mine ? [[name, mine[name]]] : []))),
    } as JsonObject,
  }));

/** A value in the one form of all that the service stores identically. */
function canonical(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : `[${value.map(canonical)}]`;
  if (!isObject(value)) return JSON.stringify(String(value));
  const members = Object.entries(value)
    .map(([name, member]) => [name, canonical(member)])
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : `{${members.map((pair) => pair.join()).sort()}}`;
}
const form = (record: JsonObject | undefined, name: string) => {
  const value = record?.[name];
  return canonical(name === 'publisher' && typeof value === 'string' ? { name: value } : value);
};

describe('every merge', () => {
  it('takes an attribute from the side that changed it, or is a conflict', () => {
    fc.assert(
      fc.property(scenarios, ({ base, mine, theirs }) => {
        const merged = merge(base, mine, theirs);
        const after = { ...theirs, ...merged.attributes };
        for (const name of Object.keys(mine)) {
          const [b, m, t] = [base, mine, theirs].map((record) => form(record, name));
          const result = resultOf(name, merged);
          if (m === b || m === t) expect(result).toBe('kept');
          else expect(result).toBe(t === b ? 'sent' : 'conflict');
          expect(form(after, name)).toBe(m === b ? t : m);
        }
        // The second run sends nothing.
        const again = merge(base, mine, after);
        expect([again.attributes, again.conflicts]).toEqual([{}, []]);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it('reports each difference as a conflict where base is unknown', () => {
    fc.assert(
      fc.property(scenarios, ({ mine, theirs }) => {
        const merged = merge(undefined, mine, theirs);
        for (const name of Object.keys(mine)) {
          const isSame = form(mine, name) === form(theirs, name);
          expect(resultOf(name, merged)).toBe(isSame ? 'kept' : 'conflict');
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});
