import fc from 'fast-check';
import { isObject, type JsonObject } from '../../src/text/json-values.ts';

/** The attributes of a record as exported, as edited in a file, and as stored now. */
export interface Scenario {
  readonly base: JsonObject;
  readonly mine: JsonObject;
  readonly theirs: JsonObject;
}

/** Decisions read from bytes. Zeros, and the end of the bytes, stand for the simplest decisions. */
class Choices {
  readonly #bytes: readonly number[];
  #at = 0;

  constructor(bytes: readonly number[]) {
    this.#bytes = bytes;
  }

  below(limit: number): number {
    const byte = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return byte % limit;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}

type Draw = (choices: Choices) => unknown;
type List = readonly unknown[];

const of =
  (...values: readonly unknown[]): Draw =>
  (choices) =>
    choices.of(values);

const listOf =
  (name: string): Draw =>
  (choices) =>
    Array.from({ length: choices.below(3) }, () => draw(name, choices));

// Few values, so that edits often collide, and some values in two spellings.
const SCHEME = of(undefined, 'https://schema.example/1', '');
const DOI = of('10.5072/a', 'https://doi.org/10.5072/A', '10.5072/b');
const ORCID = of(
  '0000-0002-1825-0097',
  'https://orcid.org/0000-0002-1825-0097',
  '0000-0001-5109-3700',
);
const ROR = of(undefined, '05gq02987', 'https://ror.org/05gq02987', 'https://ror.org/02nr0ka47');
const LANGUAGE = of(undefined, 'en', 'de', null);

/** The members of objects and of the items of lists, with their values. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, Draw>>>> = {
  titles: { title: of('A', 'B', 'C', 'D'), titleType: of(undefined, 'Subtitle'), lang: LANGUAGE },
  creators: {
    name: of('A', 'B', 'C', 'D'),
    givenName: of(undefined, 'x', 'y'),
    affiliation: listOf('affiliation'),
    nameIdentifiers: listOf('nameIdentifiers'),
  },
  affiliation: {
    name: of('M', 'N', 'O'),
    affiliationIdentifier: ROR,
    affiliationIdentifierScheme: of('ROR', ''),
  },
  nameIdentifiers: {
    nameIdentifier: ORCID,
    nameIdentifierScheme: of('ORCID', 'ORCID', 'ISNI'),
    schemeUri: SCHEME,
  },
  subjects: { subject: of('A', 'B', 'C'), schemeUri: SCHEME, lang: LANGUAGE },
  relatedIdentifiers: {
    relatedIdentifier: DOI,
    relationType: of('Cites', 'IsPartOf'),
    resourceTypeGeneral: of(undefined, 'Text', 'Dataset'),
  },
  geoLocations: {
    geoLocationPlace: of('A', 'B', 'C'),
    geoLocationPoint: of(undefined, { pointLatitude: 5 }),
  },
  publisher: { name: of('A', 'B'), publisherIdentifier: ROR, schemeUri: SCHEME, lang: LANGUAGE },
  types: {
    resourceTypeGeneral: of('Text', 'Dataset'),
    resourceType: of('x', 'y', undefined),
    ris: of('1', 1),
  },
  container: { title: of('A', 'B'), volume: of(1, '1', 2) },
};

const SCALARS: Readonly<Record<string, Draw>> = {
  version: of('1', '2', undefined, null),
  publicationYear: of(2024, '2024', 2025),
  sizes: of('1 MB', '2 MB', '3 MB', '4 MB', 5, '5'),
};

const LISTS = ['creators', 'titles', 'subjects', 'relatedIdentifiers', 'geoLocations', 'sizes'];
const ATTRIBUTES = [
  ...LISTS,
  ...LISTS,
  'publisher',
  'types',
  'container',
  'version',
  'publicationYear',
];

/** An item of the list of this name, or an object or scalar of this name. */
function draw(name: string, choices: Choices): unknown {
  const members = MEMBERS[name];
  if (members === undefined) return SCALARS[name]?.(choices);
  const value = Object.fromEntries(
    Object.entries(members).flatMap(([member, values]) => {
      const drawn = values(choices);
      return drawn === undefined ? [] : [[member, drawn]];
    }),
  );
  return name === 'affiliation' && choices.below(4) === 1 ? value['name'] : value;
}

function whole(name: string, choices: Choices): unknown {
  if (!LISTS.includes(name)) return draw(name, choices);
  return Array.from({ length: choices.of([1, 2, 3, 4, 5, 0]) }, () => draw(name, choices));
}

/** A value after an edit. */
function edited(name: string, value: unknown, choices: Choices): unknown {
  const edit = choices.below(16);
  if (edit === 1) return choices.of([null, [], '']);
  if (edit === 2) return whole(name, choices);
  if (Array.isArray(value)) return editedList(name, value, choices);
  if (isObject(value)) return withMember(name, value, choices);
  return name in SCALARS || value === null
    ? whole(name, choices)
    : choices.of([value, { name: value }]);
}

function editedList(name: string, list: List, choices: Choices): List {
  const edit = choices.below(10);
  const at = choices.below(Math.max(1, list.length));
  if (edit === 1 || list.length === 0) return [...list, draw(name, choices)];
  if (edit === 2) return list.toSpliced(at, 1);
  if (edit === 3) return list.toSpliced(at, 0, draw(name, choices));
  if (edit === 4 || edit === 5) return swapped(list, at, choices.below(list.length));
  if (edit === 6) return list.toSpliced(at, 0, list[choices.below(list.length)]);
  const item = list[at];
  return list.with(at, isObject(item) ? withMember(name, item, choices) : draw(name, choices));
}

const swapped = (list: List, a: number, b: number): List => list.with(a, list[b]).with(b, list[a]);

/**
 * An object with another value of a member: a new name, a removed value, an edit of a list in it.
 */
function withMember(name: string, object: JsonObject, choices: Choices): JsonObject {
  const members = MEMBERS[name] ?? {};
  const member = choices.of(Object.keys(members));
  const before = object[member];
  const value = Array.isArray(before)
    ? editedList(member, before, choices)
    : members[member]?.(choices);
  return { ...object, [member]: value };
}

/** A record after up to three edits. */
function editedRecord(record: JsonObject, names: readonly string[], choices: Choices): JsonObject {
  const edits = choices.of([1, 2, 3, 2, 1, 0]);
  let now = record;
  for (let edit = 0; edit < edits; edit += 1) {
    const name = choices.of(names);
    now = { ...now, [name]: edited(name, now[name], choices) };
  }
  return now;
}

function scenarioOf(bytes: readonly number[]): Scenario {
  const choices = new Choices(bytes);
  const names =
    choices.below(4) === 1
      ? [choices.of(ATTRIBUTES), choices.of(ATTRIBUTES)]
      : [choices.of(ATTRIBUTES)];
  const base = Object.fromEntries(names.map((name) => [name, whole(name, choices)]));
  // Sometimes both sides share edits.
  const start = choices.below(6) === 1 ? editedRecord(base, names, choices) : base;
  const mine = editedRecord(start, names, choices);
  const theirs = editedRecord(start, names, choices);
  return { base: asJson(base), mine: asJson(mine), theirs: asJson(theirs) };
}

/** A record as JSON has it, without undefined members. Its modification throws. */
const asJson = (record: JsonObject): JsonObject => frozen(JSON.parse(JSON.stringify(record)));

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

const bytes = fc.array(fc.nat(255), { minLength: 20, maxLength: 90, size: 'max' });

/**
 * Three versions of a record with one or two attributes, short lists and edits that often collide.
 */
export const scenarios: fc.Arbitrary<Scenario> = bytes.map(scenarioOf);

/** An equal value in another spelling. */
export function respelled<T>(value: T, name?: string): T;
export function respelled(value: unknown, name = ''): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return respelledText(value, name);
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((item) => respelled(item, name));
  if (!isObject(value)) return value === null ? '' : value;
  const members = Object.entries(value).map(([member, inner]) => [
    member,
    respelled(inner, member),
  ]);
  // An empty member makes no difference in an object. An empty attribute of a record is an edit of
  // its own.
  const empty = name === '' ? [] : [['nameType', []]];
  return Object.fromEntries([...empty, ...members].reverse());
}

function respelledText(text: string, name: string): unknown {
  if (name === 'affiliation' || name === 'publisher') return text === '' ? null : { name: text };
  if (text.startsWith('10.')) return `https://doi.org/${text.toUpperCase()}`;
  if (text.startsWith('0000-')) return `https://orcid.org/${text}`;
  if (text.startsWith('0')) return `https://ror.org/${text}`;
  return text.replace(/^https:\/\/(doi|orcid|ror)\.org\//, '');
}
