import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, listOf } from '../../src/text/json-values.ts';
import { merge } from '../../src/writing/merge.ts';
import { runs } from '../helpers/runs.ts';
import { respelled, type Scenario, scenarios } from './merge-arbitraries.ts';
import {
  expectationOf,
  MAIN_MEMBERS,
  membersOf,
  minus,
  plain,
  same,
  sameInAnyOrder,
  sameName,
} from './merge-oracle.ts';

type List = readonly unknown[];

/** The outcome for an attribute that is not sent, or that has a conflict. */
type Result = 'conflict' | 'unchanged' | 'done';

/** Creators in short: `A/x+M+N` is A with the given name x and the affiliations M and N. */
function creatorsIn(text: string): readonly JsonObject[] {
  return text.split(' ').flatMap((word) => {
    const [person = '', ...names] = word.split('+');
    const [name, givenName] = person.split('/');
    const affiliation = names.map((each) => ({ name: each }));
    return name
      ? [{ name, ...(givenName && { givenName }), ...(names.length > 0 && { affiliation }) }]
      : [];
  });
}

const LISTS: readonly [
  what: string,
  base: string,
  mine: string,
  theirs: string,
  expected: string | Result,
][] = [
  ['an addition', 'A B', 'A B C', 'A/x B', 'A/x B C'],
  ['different additions of both', 'A', 'A B', 'A C', 'A B C'],
  ['an addition at the front', 'A', 'B A', 'C A', 'B C A'],
  ['an addition behind a creator that theirs moved', 'A B C', 'A X B C', 'B C A', 'B C A X'],
  ['an addition behind a creator that theirs removed', 'A B C', 'A B X C', 'A C', 'A X C'],
  ['the same addition of both', 'A', 'A B', 'A B C', 'done'],
  ['two additions, of which theirs has made one', 'A', 'A B C', 'A C', 'A B C'],
  ['different additions of the same name', 'A', 'A B/x', 'A B/y', 'conflict'],
  ['an addition of a name that theirs changed', 'A', 'A A/x', 'A/y', 'conflict'],
  ['the same edit by both, and different additions', 'A', 'A/x B', 'A/x C', 'A/x B C'],
  ['a removal', 'A B', 'A', 'A B C', 'A C'],
  ['a removal by both', 'A B', 'A', 'A C', 'done'],
  ['a removal by both, and an addition', 'A B', 'A C', 'A', 'A C'],
  ['a removal of what theirs changed', 'A B', 'A', 'A B/x', 'conflict'],
  ['a change of what theirs removed', 'A B', 'A B/x', 'A', 'conflict'],
  ['an edit, and a removal by theirs', 'A B', 'A/x B', 'A', 'A/x'],
  ['the removal of all, and an addition of theirs', 'A', '', 'A B', 'B'],
  ['the removal of all, and a change of theirs', 'A B', '', 'A B/x', 'conflict'],
  ['a creator listed twice, removed once', 'A A B', 'A B', 'A A B C', 'A B C'],
  ['a creator listed twice, removed once by both', 'A A B', 'A B', 'A B C', 'done'],
  ['a creator listed twice, added again', 'A A', 'A A A', 'A A B', 'A A A B'],
  ['a creator listed twice, changed once', 'A A', 'A A/x', 'A A B', 'A A/x B'],
  ['a replacement', 'A B', 'X B', 'A B C', 'X B C'],
  ['the same replacement by both', 'A B', 'X B', 'X B C', 'done'],
  ['different replacements', 'A B', 'X B', 'Y B', 'conflict'],
  ['a replacement of what theirs changed', 'A B', 'X B', 'A/x B', 'conflict'],
  ['a replacement of what theirs removed', 'A B', 'X B', 'B C/x', 'conflict'],
  ['a change of what theirs replaced', 'A B', 'A/x B', 'X B', 'conflict'],
  ['changes of different creators', 'A B', 'A/x B', 'A B/y', 'A/x B/y'],
  ['changes of different members', 'A', 'A/x', 'A+M', 'A/x+M'],
  ['different changes of a member', 'A/x', 'A/y', 'A/z', 'conflict'],
  ['the same change by both', 'A/x', 'A/y', 'A/y B', 'done'],
  ['the removal of a member', 'A/x B', 'A B', 'A/x+M B', 'A+M B'],
  ['a change of a creator that theirs moved', 'A B', 'A/x B', 'B A', 'B A/x'],
  ['a move of a creator that theirs changed', 'A B', 'B A', 'A/x B', 'B A/x'],
  ['the same move by both', 'A B C', 'B A C', 'B A C/x', 'done'],
  ['a move, and an addition of theirs', 'A B C', 'B A C', 'A B C D', 'B A C D'],
  ['different moves', 'A B C', 'B A C', 'A C B', 'conflict'],
  ['an affiliation of a creator that theirs moved', 'A B', 'A+M B', 'B A', 'B A+M'],
  ['different affiliations', 'A+M', 'A+M+N', 'A+M+O', 'A+M+N+O'],
  ['the removal of an affiliation, and an addition', 'A+M', 'A', 'A+M+N', 'A+N'],
  ['different replacements of an affiliation', 'A+M', 'A+N', 'A+O', 'conflict'],
];

const id = (nameIdentifier: string) => ({
  creators: [{ name: 'A', nameIdentifiers: [{ nameIdentifier }] }],
});
const related = (relatedIdentifier: string, ...more: object[]) => ({
  relatedIdentifiers: [{ relatedIdentifier }, ...more],
});
const publisher = (members: object) => ({ publisher: { name: 'A', ...members } });
const ROR = '05gq02987';
const ORCID = '0000-0002-1825-0097';

type Attributes = readonly [
  what: string,
  base: object,
  mine: object,
  theirs: object,
  expected: object | Result,
];
const ATTRIBUTES: readonly Attributes[] = [
  ['a new value', { version: '1' }, { version: '2' }, { version: '1' }, { version: '2' }],
  ['the same new value', { version: '1' }, { version: '2' }, { version: '2' }, 'done'],
  ['different new values', { version: '1' }, { version: '2' }, { version: '3' }, 'conflict'],
  ['no new value', { version: '1' }, { version: '1' }, { version: '3' }, 'unchanged'],
  ['an attribute that the file does not name', { version: '1' }, {}, { version: '2' }, {}],
  [
    'an empty value for a value',
    { version: '1' },
    { version: null },
    { version: '1' },
    { version: null },
  ],
  [
    'an empty value for none',
    {},
    { titles: [{ title: '' }] },
    { titles: [{ title: 'A' }] },
    'unchanged',
  ],
  [
    'a number as text',
    { publicationYear: 2024 },
    { publicationYear: '2024' },
    { publicationYear: 2025 },
    'unchanged',
  ],
  [
    'a new number as text',
    { publicationYear: 2024 },
    { publicationYear: '2025' },
    { publicationYear: 2025 },
    'done',
  ],
  ['an ORCID with its resolver', id(ORCID), id(`https://orcid.org/${ORCID}`), id('0'), 'unchanged'],
  [
    'a DOI with its resolver',
    related('10.5072/a'),
    related('https://doi.org/10.5072/A'),
    {},
    'unchanged',
  ],
  [
    'a DOI with its resolver, next to an addition',
    related('https://doi.org/10.5072/A'),
    related('10.5072/a', { relatedIdentifier: 'urn:b' }),
    related('https://doi.org/10.5072/A', { relatedIdentifier: 'urn:c' }),
    related(
      'https://doi.org/10.5072/A',
      { relatedIdentifier: 'urn:b' },
      { relatedIdentifier: 'urn:c' },
    ),
  ],
  [
    'a publisher as text',
    { publisher: 'A' },
    publisher({}),
    publisher({ lang: 'en' }),
    'unchanged',
  ],
  [
    'a publisher with a ROR',
    publisher({ publisherIdentifier: ROR }),
    publisher({ publisherIdentifier: `https://ror.org/${ROR}`, lang: 'en' }),
    publisher({ publisherIdentifier: ROR, publisherIdentifierScheme: 'ROR' }),
    publisher({ publisherIdentifier: ROR, publisherIdentifierScheme: 'ROR', lang: 'en' }),
  ],
  [
    'an identifier and another scheme of it',
    publisher({ publisherIdentifier: '1', publisherIdentifierScheme: 'ROR' }),
    publisher({ publisherIdentifier: '2', publisherIdentifierScheme: 'ROR' }),
    publisher({ publisherIdentifier: '1', publisherIdentifierScheme: 'Wikidata' }),
    'conflict',
  ],
  [
    'another publisher',
    publisher({}),
    { publisher: { name: 'B' } },
    publisher({ lang: 'en' }),
    'conflict',
  ],
  [
    'types by member',
    { types: { resourceType: 'x', resourceTypeGeneral: 'Text' } },
    { types: { resourceType: 'y', resourceTypeGeneral: 'Text' } },
    { types: { resourceType: 'x', resourceTypeGeneral: 'Dataset' } },
    { types: { resourceType: 'y', resourceTypeGeneral: 'Dataset' } },
  ],
  ['types of both', {}, { types: { ris: 'GEN' } }, { types: { ris: 'RPRT' } }, 'conflict'],
  ['another object', {}, { container: { volume: '1' } }, { container: { issue: '2' } }, 'conflict'],
  ['a text for a list', { sizes: ['1'] }, { sizes: ['1', '2'] }, { sizes: '3' }, 'conflict'],
  [
    'sizes',
    { sizes: ['1', '2'] },
    { sizes: ['1', '3'] },
    { sizes: ['0', '1', '2'] },
    { sizes: ['0', '1', '3'] },
  ],
  [
    'subjects of the same name in two schemes',
    { subjects: [{ subject: 'A' }] },
    { subjects: [{ subject: 'A' }, { subject: 'A', subjectScheme: 'X' }] },
    { subjects: [{ subject: 'A', lang: 'en' }] },
    {
      subjects: [
        { subject: 'A', lang: 'en' },
        { subject: 'A', subjectScheme: 'X' },
      ],
    },
  ],
  [
    'a place, which is named by its whole value',
    { geoLocations: [{ geoLocationPlace: 'A' }] },
    { geoLocations: [{ geoLocationPlace: 'A', geoLocationPoint: { pointLatitude: 1 } }] },
    { geoLocations: [{ geoLocationPlace: 'A', geoLocationPoint: { pointLatitude: 2 } }] },
    'conflict',
  ],
];

function resultOf(
  name: string,
  { attributes, unchanged, done, conflicts }: ReturnType<typeof merge>,
) {
  if (conflicts.some(({ path }) => path[0] === name)) return 'conflict';
  if (unchanged.includes(name)) return 'unchanged';
  return done.includes(name) ? 'done' : attributes[name];
}

describe('a merge', () => {
  it.each(LISTS)('of creators: %s', (_, base, mine, theirs, expected) => {
    const [b, m, t] = [base, mine, theirs].map((text) => ({ creators: creatorsIn(text) }));
    const isWord = /^[a-z]/.test(expected);
    expect(resultOf('creators', merge(b, m as JsonObject, t as JsonObject))).toEqual(
      isWord ? expected : creatorsIn(expected),
    );
  });

  it.each(ATTRIBUTES)('of attributes: %s', (_, base, mine, theirs, expected) => {
    const merged = merge({ ...base }, { ...mine }, { ...theirs });
    if (typeof expected === 'object') {
      expect(merged.attributes).toEqual(expected);
      expect(merged.conflicts).toEqual([]);
    } else expect(Object.keys(mine).map((name) => resultOf(name, merged))).toEqual([expected]);
  });

  it.each(Object.entries(MAIN_MEMBERS))(
    'names the items of %s by their main members',
    (list, main) => {
      const isNested = list === 'affiliation' || list === 'nameIdentifiers';
      const record = (item: object) =>
        isNested ? { creators: [{ name: 'A', [list]: [item] }] } : { [list]: [item] };
      const item = Object.fromEntries(
        [...main, 'lang', 'schemeUri'].map((member) => [member, 'x']),
      );
      for (const member of Object.keys(item)) {
        const mine = { ...item, [member]: 'y' };
        const merged = merge(record(item), record(mine), record({ ...item, other: 'z' }));
        if (main.includes(member)) expect(conflictsOf(merged).size).toBe(1);
        else
          expect(merged).toMatchObject({
            attributes: record({ ...mine, other: 'z' }),
            conflicts: [],
          });
      }
    },
  );

  it('has the value of mine at a conflict, and reports all three values', () => {
    const merged = merge(
      { version: '1', types: { ris: 'GEN' }, publisher: { name: 'A' }, language: 'en' },
      { version: '2', types: { ris: 'RPRT' }, publisher: { name: 'B' }, language: 'de' },
      { version: '3', types: { ris: 'BOOK' }, publisher: { name: 'C' }, language: 'en' },
    );
    expect(merged.conflicts).toEqual([
      { path: ['version'], base: '1', mine: '2', theirs: '3' },
      { path: ['types', 'ris'], base: 'GEN', mine: 'RPRT', theirs: 'BOOK' },
      { path: ['publisher'], base: { name: 'A' }, mine: { name: 'B' }, theirs: { name: 'C' } },
    ]);
    expect(merged.attributes).toEqual({
      version: '2',
      types: { ris: 'RPRT' },
      publisher: { name: 'B' },
      language: 'de',
    });
  });

  it('has a conflict of the whole list where both sides move items differently', () => {
    const [base, mine, theirs] = ['A B C', 'B A C', 'A C B'].map(creatorsIn);
    const { conflicts } = merge({ creators: base }, { creators: mine }, { creators: theirs });
    expect(conflicts).toEqual([{ path: ['creators'], base, mine, theirs }]);
  });

  it('has a conflict wherever the record differs from mine where base is unknown', () => {
    const mine = { version: '2', language: 'en', sizes: ['1', '2'] };
    const { attributes, conflicts } = merge(undefined, mine, {
      version: '1',
      language: 'en',
      sizes: ['1'],
    });
    expect(attributes).toEqual({ version: '2', sizes: ['1', '2'] });
    expect(conflicts).toEqual([
      { path: ['version'], base: undefined, mine: '2', theirs: '1' },
      { path: ['sizes'], base: undefined, mine: ['1', '2'], theirs: ['1'] },
    ]);
  });
});

/** A property of all scenarios. */
const always =
  (holds: (scenario: Scenario) => boolean, usual = 800) =>
  () =>
    fc.assert(fc.property(scenarios, holds), { numRuns: runs(usual) });

const plainRecord = (record: JsonObject) => (plain(record) ?? {}) as JsonObject;
const conflictsOf = ({ conflicts }: ReturnType<typeof merge>) =>
  new Set(conflicts.map(({ path }) => path[0]));
const sendsNothing = ({ attributes, conflicts }: ReturnType<typeof merge>) =>
  Object.keys(attributes).length + conflicts.length === 0;

/**
 * Tests each attribute without a conflict, by its plain values in all versions and after the merge.
 */
function everyMerged(
  { base, mine, theirs }: Scenario,
  test: (name: string, base: unknown, mine: unknown, theirs: unknown, after: unknown) => boolean,
): boolean {
  const merged = merge(base, mine, theirs);
  const inConflict = conflictsOf(merged);
  const [b, m, t, after] = [base, mine, theirs, { ...theirs, ...merged.attributes }].map(
    plainRecord,
  );
  const names = Object.keys(mine).filter((name) => !inConflict.has(name));
  return names.every((name) => test(name, b?.[name], m?.[name], t?.[name], after?.[name]));
}

/** Whether a value after the merge has the edits that a version made to base. */
function hold(
  name: string,
  base: unknown,
  version: unknown,
  other: unknown,
  after: unknown,
): boolean {
  if (same(version, base)) return same(after, other);
  if (same(other, base) || same(other, version)) return same(after, version);
  const all = [base, version, other, after];
  if (all.every((value) => value === undefined || Array.isArray(value))) {
    const [b, v, o, a] = all.map(listOf) as [List, List, List, List];
    return [...b, ...v, ...o, ...a].every((item) => {
      const [inB, inV, inO, inA] = [b, v, o, a].map((list) =>
        list.filter((each) => sameName(name, each, item)),
      );
      return itemsHold(inB as List, inV as List, inO as List, inA as List);
    });
  }
  return ['publisher', 'types'].includes(name) && membersHold(base, version, other, after);
}

function membersHold(...versions: readonly unknown[]): boolean {
  const objects = versions.map((value) => (isObject(value) ? value : {}));
  return membersOf(...objects).every((member) => {
    const [base, version, other, after] = objects.map((object) => object[member]);
    return hold(member, base, version, other, after);
  });
}

/** The same for the items of one name in a list. */
function itemsHold(base: List, version: List, other: List, after: List): boolean {
  const [gone, added] = [minus(base, version), minus(version, base)];
  const [otherGone, otherAdded] = [minus(base, other), minus(other, base)];
  const isAfter = (list: List) => list.length === after.length && minus(list, after).length === 0;
  if (gone.length + added.length === 0) return isAfter(other);
  if (otherGone.length + otherAdded.length === 0) return isAfter(version);
  const areChanges = [gone, added, otherGone, otherAdded].every(({ length }) => length === 1);
  if (areChanges && same(gone[0], otherGone[0]) && !same(added[0], otherAdded[0])) {
    const [changed, ...others] = minus(after, minus(base, gone));
    return others.length === 0 && membersHold(gone[0], added[0], otherAdded[0], changed);
  }
  return [...base, ...version].every((item) => {
    const count = (list: List) => list.filter((each) => same(each, item)).length;
    const more = count(version) - count(base);
    if (more >= 0) return count(after) >= more;
    return count(after) <= count(version) + Math.max(0, count(other) - count(base));
  });
}

/** The scalars in a value. */
function scalarsIn(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(scalarsIn)
    : [value];
}

describe('every merge', () => {
  it(
    'has the outcome of a plain count of items',
    always(({ base, mine, theirs }) => {
      const merged = merge(base, mine, theirs);
      const inConflict = conflictsOf(merged);
      const [b, m, t, after] = [base, mine, theirs, { ...theirs, ...merged.attributes }].map(
        plainRecord,
      );
      const expected = expectationOf(b, m as JsonObject, t as JsonObject);
      return Object.keys(m as JsonObject).every((name) => {
        if (expected.conflicts.includes(name)) return inConflict.has(name);
        if (expected.open.includes(name)) return true;
        const equal = expected.anyOrder.includes(name) ? sameInAnyOrder : same;
        return !inConflict.has(name) && equal(after?.[name], expected.merged[name]);
      });
    }, 8000),
  );

  it(
    'loses no edit of either side without a conflict',
    always(
      (scenario) =>
        everyMerged(
          scenario,
          (name, b, m, t, after) => hold(name, b, m, t, after) && hold(name, b, t, m, after),
        ),
      40_000,
    ),
  );

  it(
    'sends edited attributes only, and accounts for the others',
    always(({ base, mine, theirs }) => {
      const merged = merge(base, mine, theirs);
      const sorted = [...Object.keys(merged.attributes), ...merged.unchanged, ...merged.done];
      const [b, m] = [plainRecord(base), plainRecord(mine)];
      return (
        sorted.sort().join() === Object.keys(mine).sort().join() &&
        Object.keys(mine).every(
          (name) => merged.unchanged.includes(name) === same(b[name], m[name]),
        ) &&
        [...conflictsOf(merged)].every((name) => name !== undefined && name in merged.attributes) &&
        // JSON has no undefined: an attribute that is to be empty would not be sent.
        !Object.values(merged.attributes).includes(undefined)
      );
    }),
  );

  it(
    'sends nothing when it is repeated',
    always(({ base, mine, theirs }) => {
      const { attributes, conflicts } = merge(base, mine, theirs);
      const after = { ...theirs, ...attributes };
      return (
        conflicts.length > 0 ||
        (sendsNothing(merge(base, mine, after)) && sendsNothing(merge(mine, mine, after)))
      );
    }, 6000),
  );

  it(
    'has the edited version where only one side has edits',
    always(({ base, mine, theirs }) => {
      const { attributes, conflicts } = merge(base, mine, base);
      const [b, m] = [plainRecord(base), plainRecord(mine)];
      const edited = Object.keys(mine).filter((name) => !same(b[name], m[name]));
      return (
        sendsNothing(merge(base, base, theirs)) &&
        sendsNothing(merge(base, mine, mine)) &&
        conflicts.length === 0 &&
        Object.keys(attributes).sort().join() === edited.sort().join() &&
        edited.every((name) => JSON.stringify(attributes[name]) === JSON.stringify(mine[name]))
      );
    }),
  );

  it(
    'does not depend on how equal values are spelled',
    always(({ base, mine, theirs }) => {
      const merged = merge(base, mine, theirs);
      const versions = [
        merge(respelled(base), mine, theirs),
        merge(base, respelled(mine), theirs),
        merge(base, mine, respelled(theirs)),
      ];
      const outcome = ({ attributes, unchanged, done, conflicts }: typeof merged) =>
        [Object.keys(attributes), unchanged, done, conflicts.map(({ path }) => path[0])]
          .map((names) => names.toSorted().join())
          .join(';');
      return versions.every(
        (other) =>
          outcome(other) === outcome(merged) &&
          Object.keys(mine).every((name) =>
            same(plain(other.attributes[name], name), plain(merged.attributes[name], name)),
          ),
      );
    }, 1000),
  );

  it(
    'sends values in the spelling of mine or theirs',
    always(({ base, mine, theirs }) => {
      const spelled = new Set([...scalarsIn(mine), ...scalarsIn(theirs), null, undefined]);
      return scalarsIn(merge(base, mine, theirs).attributes).every((scalar) => spelled.has(scalar));
    }),
  );

  it(
    'reports each difference as a conflict where base is unknown',
    always(({ mine, theirs }) => {
      const merged = merge(undefined, mine, theirs);
      const [m, t] = [plainRecord(mine), plainRecord(theirs)];
      const differing = Object.keys(mine).filter((name) => !same(m[name], t[name]));
      return (
        Object.keys(merged.attributes).sort().join() === differing.sort().join() &&
        [...conflictsOf(merged)].sort().join() === differing.join() &&
        differing.every((name) => same(plain(merged.attributes[name], name), m[name]))
      );
    }),
  );

  it('is tested by scenarios of each kind', () => {
    const counts = { conflict: 0, open: 0, done: 0, merged: 0, reordered: 0 };
    for (const { base, mine, theirs } of fc.sample(scenarios, { numRuns: 5000, seed: 1 })) {
      const [b, m, t] = [base, mine, theirs].map(plainRecord) as [
        JsonObject,
        JsonObject,
        JsonObject,
      ];
      const expected = expectationOf(b, m, t);
      if (expected.conflicts.length > 0) counts.conflict += 1;
      else if (expected.open.length > 0) counts.open += 1;
      else if (expected.anyOrder.length > 0) counts.reordered += 1;
      else {
        const both = Object.keys(m).filter(
          (name) => !same(b[name], m[name]) && !same(b[name], t[name]),
        );
        const { merged } = expected;
        if (both.some((name) => same(merged[name], t[name]))) counts.done += 1;
        else if (both.length > 0) counts.merged += 1;
      }
    }
    // Each is more than 1 % of all.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50);
    expect(counts.open).toBeLessThan(1000);
  });
});

/** The creators of a long list, by their index. */
const LONG: readonly [what: string, item: (index: number) => object, isMoved?: boolean][] = [
  ['different items', (index) => ({ name: `${index}`, givenName: 'x' })],
  ['different items in another order', (index) => ({ name: `${index}`, givenName: 'x' }), true],
  ['items of one name', (index) => ({ name: 'A', givenName: `${index}` })],
  ['items that are the same', () => ({ name: 'A', givenName: 'x' })],
];

/** The list with a tenth of its items removed, a tenth changed, and items added behind these. */
function manyEdits(list: readonly object[], edit: string, from: number): object[] {
  return list.flatMap((item, index) => {
    if (index % 10 === from) return [];
    return index % 10 === from + 1
      ? [{ ...item, givenName: edit }, { name: `${edit}${index}` }]
      : [item];
  });
}

function timeOf(length: number, item: (index: number) => object, isMoved = false): number {
  const base = Array.from({ length }, (_, index) => item(index));
  const mine = manyEdits(base, 'mine', 0);
  const theirs = manyEdits(base, 'theirs', 5);
  const creators = isMoved ? mine.toReversed() : mine;
  const start = performance.now();
  merge({ creators: base }, { creators }, { creators: theirs });
  return performance.now() - start;
}

describe('the time of a merge', () => {
  it.each(LONG)('grows with the length of a list: %s', async (_, item, isMoved) => {
    const short = () => timeOf(2000, item, isMoved);
    // Other work on the machine may lengthen a measurement, hence the minimum of several, and new
    // attempts.
    await expect
      .poll(() => timeOf(20_000, item, isMoved) / Math.min(short(), short(), short()))
      .toBeLessThan(30);
  });
});
