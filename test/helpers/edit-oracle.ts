import type { Attributes } from './editing.ts';

/**
 * A creator. Its number, or the name of one that was added, is part of every name that it ever has.
 */
export interface Person {
  readonly name: string;
  readonly given: string;
}

/** The values of a record that are edited, as texts; empty for none. */
export interface Values {
  readonly single: Readonly<Record<Single, string>>;
  readonly people: readonly Person[];
}

/** Values that a record has once: the column of each, and the attribute that it is sent with. */
export const SINGLE = {
  url: 'url',
  version: 'version',
  publicationYear: 'publicationYear',
  'publisher.name': 'publisher',
  'types.resourceType': 'types',
  'titles[0].title': 'titles',
  'dates[0].date': 'dates',
} as const;
export type Single = keyof typeof SINGLE;
export const SINGLES = Object.keys(SINGLE) as Single[];

/** The texts that a single value may get; few, so that two people choose the same now and then. */
export const textFor = (name: Single, pick: number): string => {
  const texts: Record<Single, string> = {
    url: `https://example.org/${pick}`,
    version: pick === 0 ? '' : `${pick}.0`,
    publicationYear: String(2020 + pick),
    'publisher.name': `Institute ${pick}`,
    'types.resourceType': `Table ${pick}`,
    'titles[0].title': `Title ${pick}`,
    'dates[0].date': `2021-0${pick + 1}-15`,
  };
  return texts[name];
};

export type Edit =
  | { readonly kind: 'single'; readonly record: number; readonly of: number; readonly pick: number }
  | {
      readonly kind: 'given' | 'rename';
      readonly record: number;
      readonly of: number;
      readonly pick: number;
    }
  | {
      readonly kind: 'remove' | 'add' | 'turn';
      readonly record: number;
      readonly of: number;
      readonly pick: number;
    };

/** The values after an edit; the same ones where it has no effect. */
export function edited({ single, people }: Values, { kind, of, pick }: Edit): Values {
  if (kind === 'single') {
    const name = SINGLES[of % SINGLES.length] ?? 'url';
    return { single: { ...single, [name]: textFor(name, pick) }, people };
  }
  const place = people.length === 0 ? -1 : of % people.length;
  const person = people[place];
  if (kind === 'turn') return { single, people: people.toReversed() };
  if (kind === 'add') {
    const name = `New ${'ABC'[pick % 3]}`;
    // A person of that id who was renamed would be taken for the new one.
    const isThere = people.length > 3 || people.some((one) => idOf(one) === name);
    return isThere ? { single, people } : { single, people: [...people, { name, given: '' }] };
  }
  if (person === undefined) return { single, people };
  // A record keeps a creator.
  if (kind === 'remove')
    return { single, people: people.length > 1 ? people.toSpliced(place, 1) : people };
  const after =
    kind === 'given'
      ? { ...person, given: `G. ${pick}` }
      : { ...person, name: `${idOf(person)} as ${pick}` };
  return { single, people: people.with(place, after) };
}

/** What a creator is, whatever its name. */
export const idOf = ({ name }: Person): string => name.replace(/ as \d$/, '');

/** The values of a record. */
export function valuesOf(attributes: Attributes): Values {
  const { url, version, publicationYear, publisher, types, titles, dates, creators } =
    attributes as Attributes & {
      readonly publisher: unknown;
      readonly types: { readonly resourceType?: string };
      readonly titles: readonly { readonly title: string }[];
      readonly dates: readonly { readonly date: string }[];
      readonly creators: readonly { readonly name: string; readonly givenName?: string }[];
    };
  const text = (value: unknown) => String(value ?? '');
  const institute =
    typeof publisher === 'object' ? (publisher as { name?: string } | null)?.name : publisher;
  return {
    single: {
      url: text(url),
      version: text(version),
      publicationYear: text(publicationYear),
      'publisher.name': text(institute),
      'types.resourceType': text(types.resourceType),
      'titles[0].title': text(titles[0]?.title),
      'dates[0].date': text(dates[0]?.date),
    },
    people: creators.map(({ name, givenName }) => ({ name, given: text(givenName) })),
  };
}

/** The attributes of a record with other values, as far as those differ. */
export function attributesWith(attributes: Attributes, before: Values, after: Values): Attributes {
  const changed: Record<string, unknown> = {};
  for (const name of SINGLES) {
    const value = after.single[name];
    if (value === before.single[name]) continue;
    const root = SINGLE[name];
    if (root === 'publisher') changed[root] = { name: value };
    else if (root === 'types')
      changed[root] = { ...(attributes['types'] as object), resourceType: value };
    else if (root === 'titles' || root === 'dates') {
      const [first, ...others] = attributes[root] as object[];
      changed[root] = [{ ...first, [root === 'titles' ? 'title' : 'date']: value }, ...others];
    } else if (root === 'publicationYear') changed[root] = Number(value);
    else changed[root] = value === '' ? null : value;
  }
  if (!samePeople(before, after)) {
    const items = attributes['creators'] as { readonly name: string }[];
    const own = new Map(items.map((item) => [idOf({ name: item.name, given: '' }), item]));
    changed['creators'] = after.people.map((person) => ({
      ...own.get(idOf(person)),
      name: person.name,
      ...(person.given === '' ? {} : { givenName: person.given }),
    }));
  }
  return changed;
}

const samePeople = (one: Values, other: Values): boolean =>
  JSON.stringify(one.people) === JSON.stringify(other.people);
export const sameValues = (one: Values, other: Values): boolean =>
  SINGLES.every((name) => one.single[name] === other.single[name]) && samePeople(one, other);

/** The attributes in which two versions differ. */
export function rootsOf(one: Values, other: Values): ReadonlySet<string> {
  const singles = SINGLES.filter((name) => one.single[name] !== other.single[name]).map(
    (name) => SINGLE[name],
  );
  return new Set([...singles, ...(samePeople(one, other) ? [] : ['creators'])]);
}

export interface Expected {
  /** What the record holds after a success. */
  readonly after: Values;
  /** Whether an edit is in conflict with one of theirs. */
  readonly mustFail: boolean;
  /** Whether it may be taken for one. */
  readonly mayFail: boolean;
}

/** What a plain reading of the rule says of three versions of a record: each attribute is a value. */
export function expectedOf(base: Values, mine: Values, theirs: Values): Expected {
  let mustFail = false;
  const merged = <T>(was: T, edit: T, is: T): T => {
    const [before, mineNow, theirsNow] = [was, edit, is].map((value) => JSON.stringify(value));
    if (mineNow === before) return is;
    if (theirsNow !== before && theirsNow !== mineNow) mustFail = true;
    return edit;
  };
  const single = { ...theirs.single };
  for (const name of SINGLES)
    single[name] = merged(base.single[name], mine.single[name], theirs.single[name]);
  const people = merged(base.people, mine.people, theirs.people);
  return { after: { single, people }, mustFail, mayFail: false };
}
