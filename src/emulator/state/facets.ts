import { camelCase } from '../http/params.ts';
import type { Client } from '../records/clients.ts';
import type { Corpus } from '../records/corpus.ts';
import type { Kind } from '../records/pattern.ts';
import { yearRange } from '../records/ranges.ts';
import { BEGIN, END, yearOf } from '../records/timeline.ts';
import type { Matches } from './catalogue.ts';
import { metadataFacets } from './metadata-facets.ts';
import { Selection } from './selection.ts';

/** One row of a facet. */
interface Bucket {
  readonly id: string;
  readonly title: string;
  readonly count: number;
}

/** The default facets of a list. */
const DEFAULTS = new Set([
  ...[
    'states',
    'resourceTypes',
    'created',
    'published',
    'registered',
    'providers',
    'clients',
    'affiliations',
  ],
  ...['prefixes', 'certificates', 'licenses', 'schemaVersions', 'linkChecksStatus', 'subjects'],
  ...['fieldsOfScience', 'citations', 'views', 'downloads'],
]);

const STATE_TITLES: Readonly<Record<string, string>> = {
  findable: 'Findable',
  registered: 'Registered',
  draft: 'Draft',
};

/**
 * The facets in the `meta` of a list, in the order of the service. Facets about the account, the
 * state, the type and the times are computed from the pattern; facets about metadata are counted.
 *
 * @param wanted the names of the facets, in any spelling; undefined for the default ones
 */
export function facets(
  matches: Matches,
  wanted: readonly string[] | undefined,
): Record<string, unknown> {
  const names = wanted === undefined ? DEFAULTS : new Set(wanted.map(camelCase));
  const found: Record<string, unknown> = {};
  for (const [name, facet] of Object.entries(FACETS))
    if (names.has(name)) found[name] = facet(matches);
  return { ...found, ...metadataFacets(matches, names) };
}

const FACETS: Readonly<Record<string, (matches: Matches) => Bucket[]>> = {
  states: by(
    ({ state }) => state,
    () => (id) => STATE_TITLES[id] ?? id,
  ),
  resourceTypes: by(
    ({ resourceTypeId }) => resourceTypeId,
    () => (id) =>
      id
        .split('-')
        .map((word) => word.replace(/^./, (first) => first.toUpperCase()))
        .join(' '),
    34,
  ),
  created: (matches) => byYear(matches, 'created').slice(0, 10),
  // The service keeps as many years as have passed since 2010 (service.md, P22).
  published: (matches) => byYear(matches, 'published').slice(0, LAST_YEAR - 2010 + 1),
  registered: (matches) => byYear(matches, 'registered').slice(0, 10),
  providers: by(
    ({ providerId }) => providerId,
    (clients) => titles(clients.map((client) => [client.providerId, client.providerName])),
  ),
  clients: by(
    ({ clientId }) => clientId,
    (clients) => titles(clients.map(({ id, name }) => [id, name])),
  ),
  clientTypes: by(
    () => 'repository',
    () => () => 'Repository',
  ),
  prefixes: by(
    ({ prefix }) => prefix,
    () => (id) => id,
  ),
  // The emulator's repositories have no certificate, and landing pages are never checked.
  certificates: () => [],
  linkChecksStatus: () => [],
  registrationAgencies: by(
    () => 'datacite',
    () => () => 'DataCite',
  ),
};

function titles(pairs: readonly (readonly [id: string, title: string])[]): (id: string) => string {
  const known = new Map(pairs);
  return (id) => known.get(id) ?? id;
}

/** A facet with the most frequent of the values that the pattern contains. */
function by(
  keyOf: (kind: Kind) => string,
  titlesOf: (clients: readonly Client[]) => (id: string) => string,
  most = 10,
): (matches: Matches) => Bucket[] {
  return (matches) => {
    const titleOf = titlesOf(matches.catalogue.corpus.pattern.clients);
    return [...countKinds(matches, keyOf)]
      .map(([id, count]) => ({ id, title: titleOf(id), count }))
      .sort((a, b) => b.count - a.count)
      .slice(0, most);
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

const FIRST_YEAR = yearOf(BEGIN);
const LAST_YEAR = yearOf(END);

type YearField = 'created' | 'published' | 'registered';

/** The latest years first. */
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
    .sort(([a], [b]) => b - a)
    .map(([year, count]) => ({ id: `${year}`, title: `${year}`, count }));
}

// Cached: facets take some tens of milliseconds and are the same for every page of one list.
const remembered = new WeakMap<Selection, Map<YearField, ReadonlyMap<number, number>>>();

function generatedYears(
  { catalogue, generated }: Matches,
  field: YearField,
): ReadonlyMap<number, number> {
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
