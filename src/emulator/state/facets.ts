import type { Corpus } from '../records/corpus.ts';
import type { Kind } from '../records/pattern.ts';
import { yearRange } from '../records/ranges.ts';
import { BEGIN, END, yearOf } from '../records/timeline.ts';
import { TYPES } from '../records/types.ts';
import type { Matches } from './catalogue.ts';
import { Selection } from './selection.ts';

/** One row of a facet. */
interface Bucket {
  readonly id: string;
  readonly title: string;
  readonly count: number;
}

/** Facets list only the most frequent values, except facets by year. */
const MAX_BUCKETS = 15;

const STATE_TITLES: Readonly<Record<string, string>> = {
  findable: 'Findable',
  registered: 'Registered',
  draft: 'Draft',
};

/**
 * The facets of the list envelope's `meta`, in the order of the service. Computed from the pattern, never
 * by scanning.
 */
export function facets(matches: Matches): Record<string, Bucket[]> {
  const { clients } = matches.catalogue.corpus.pattern;
  const clientNames = new Map(clients.map((client) => [client.id, client.name]));
  const providerNames = new Map(clients.map((client) => [client.providerId, client.providerName]));
  const typeNames = new Map(TYPES.map((type) => [type.id, type.general]));
  const by = (keyOf: (kind: Kind) => string, titleOf: (id: string) => string) =>
    mostFrequent(countKinds(matches, keyOf), titleOf);
  return {
    states: by(
      (kind) => kind.state,
      (id) => STATE_TITLES[id] ?? id,
    ),
    resourceTypes: by(
      (kind) => kind.resourceTypeId,
      (id) => typeNames.get(id) ?? id,
    ),
    created: byYear(matches, 'created'),
    published: byYear(matches, 'published'),
    registered: byYear(matches, 'registered'),
    providers: by(
      (kind) => kind.providerId,
      (id) => providerNames.get(id) ?? id,
    ),
    clients: by(
      (kind) => kind.clientId,
      (id) => clientNames.get(id) ?? id,
    ),
    prefixes: by(
      (kind) => kind.prefix,
      (id) => id,
    ),
  };
}

/** Numbers of records by state, for the control endpoint. */
export function countStates(matches: Matches): Record<string, number> {
  return Object.fromEntries(countKinds(matches, (kind) => kind.state));
}

function countKinds(matches: Matches, keyOf: (kind: Kind) => string): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (key: string, count: number) => counts.set(key, (counts.get(key) ?? 0) + count);
  for (const { slot, low, high } of matches.generated.stretches) add(keyOf(slot), high - low);
  for (const { kind } of matches.stored) if (keyOf(kind) !== '') add(keyOf(kind), 1);
  for (const index of matches.gone) add(keyOf(matches.catalogue.kind(index)), -1);
  return positive(counts);
}

function positive<Key>(counts: ReadonlyMap<Key, number>): Map<Key, number> {
  return new Map([...counts].filter(([, count]) => count > 0));
}

function mostFrequent(counts: ReadonlyMap<string, number>, titleOf: (id: string) => string): Bucket[] {
  return [...counts]
    .map(([id, count]) => ({ id, title: titleOf(id), count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_BUCKETS);
}

const FIRST_YEAR = yearOf(BEGIN);
const LAST_YEAR = yearOf(END);

type YearField = 'created' | 'published' | 'registered';

function byYear(matches: Matches, field: YearField): Bucket[] {
  const counts = new Map(generatedYears(matches, field));
  const add = (time: number | undefined, count: number) => {
    if (time === undefined) return;
    const year = field === 'published' ? time : yearOf(time);
    counts.set(year, (counts.get(year) ?? 0) + count);
  };
  for (const { times } of matches.stored) add(times[field], 1);
  for (const index of matches.gone) add(matches.catalogue.times(index)[field], -1);
  return [...positive(counts)]
    .sort(([a], [b]) => a - b)
    .map(([year, count]) => ({ id: `${year}`, title: `${year}`, count }));
}

// Cached: facets take some tens of milliseconds and are the same for every page of one list.
const remembered = new WeakMap<Selection, Map<YearField, ReadonlyMap<number, number>>>();

function generatedYears({ catalogue, generated }: Matches, field: YearField): ReadonlyMap<number, number> {
  const known = remembered.get(generated) ?? new Map<YearField, ReadonlyMap<number, number>>();
  remembered.set(generated, known);
  const counts = known.get(field) ?? countYears(catalogue.corpus, generated, field);
  known.set(field, counts);
  return counts;
}

function countYears(corpus: Corpus, selection: Selection, field: YearField): Map<number, number> {
  const counts = new Map<number, number>();
  for (const stretch of selection.stretches) {
    // A slot's publication years are its creation years plus a constant.
    const shift = field === 'published' ? stretch.slot.age : 0;
    for (let year = FIRST_YEAR - shift; year <= LAST_YEAR - shift; year++) {
      const count = Selection.count(corpus, stretch, field, yearRange(field, year));
      if (count > 0) counts.set(year, (counts.get(year) ?? 0) + count);
    }
  }
  return counts;
}
