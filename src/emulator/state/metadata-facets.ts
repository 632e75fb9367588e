import { type Item, items, textOf } from '../records/metadata/values.ts';
import { type Matches, take } from './catalogue.ts';
import { searchedAt } from './searched.ts';

/**
 * Facets of metadata count only this many of the matching records; the service counts all. Reports
 * read the same number of records, and their numbers must agree.
 */
const COUNTED = 10_000;

type Pair = readonly [id: string, title: string];
/** The values of one record. */
type Facet = (attributes: Item) => readonly Pair[];

const people = ({ creators, contributors }: Item) => [...items(creators), ...items(contributors)];

const orcids = (persons: readonly Item[]): Pair[] =>
  persons.flatMap((person) =>
    items(person['nameIdentifiers'])
      .map(({ nameIdentifier }) => textOf(nameIdentifier))
      .filter((id) => /^https?:\/\/orcid\.org\//.test(id))
      .map((id): Pair => [id, textOf(person['name'])]),
  );

const licences: Facet = ({ rightsList }) =>
  items(rightsList)
    .map(({ rightsIdentifier }) => textOf(rightsIdentifier))
    .filter((id) => id !== '')
    .map((id): Pair => [id, /^(?:cc|gpl|mit|isc)/.test(id) ? id.toUpperCase() : id]);

const FACETS: Readonly<Record<string, Facet>> = {
  affiliations: (attributes) =>
    people(attributes)
      .flatMap((person) => items(person['affiliation']))
      .filter(({ affiliationIdentifierScheme }) => affiliationIdentifierScheme === 'ROR')
      .map(
        ({ affiliationIdentifier, name }): Pair => [
          textOf(affiliationIdentifier).replace(/^https?:\/\//, ''),
          textOf(name),
        ],
      ),
  licenses: licences,
  licensesWithMissing: (attributes) => {
    const known = licences(attributes);
    return known.length > 0 ? known : [['__missing__', 'Unknown']];
  },
  schemaVersions: ({ schemaVersion }) => {
    const id = /-([\d.]+)$/.exec(textOf(schemaVersion))?.[1];
    return id === undefined ? [] : [[id, `Schema ${id}`]];
  },
  authors: ({ creators }) => orcids(items(creators)),
  creatorsAndContributors: (attributes) => orcids(people(attributes)),
  subjects: ({ subjects }) =>
    items(subjects).map(({ subject }): Pair => {
      const title = textOf(subject);
      return [title, title.replaceAll(/(?<!\p{L})\p{Ll}/gu, (letter) => letter.toUpperCase())];
    }),
  fieldsOfScience: ({ subjects }) =>
    items(subjects)
      .map(({ subject }) => textOf(subject))
      .filter((subject) => subject.startsWith('FOS: '))
      .map((subject): Pair => {
        const title = subject.slice(5);
        return [title.toLowerCase().replaceAll(/[^a-z\d]+/g, '_'), title];
      }),
  languages: ({ language }) => {
    const id = textOf(language);
    return id === ''
      ? []
      : [[id, new Intl.DisplayNames(['en'], { type: 'language' }).of(id) ?? id]];
  },
  funders: ({ fundingReferences }) =>
    items(fundingReferences)
      .filter(({ funderIdentifier }) => textOf(funderIdentifier) !== '')
      .map(
        ({ funderIdentifier, funderName }): Pair => [textOf(funderIdentifier), textOf(funderName)],
      ),
};

/** Sums of a count by year of publication. */
const SUMS: Readonly<Record<string, string>> = {
  citations: 'citationCount',
  views: 'viewCount',
  downloads: 'downloadCount',
};

/** Sums of a count over all records. */
const TOTALS = ['citationCount', 'viewCount', 'downloadCount'];

/** The facets among `names` that are counted in the metadata of the first matching records. */
export function metadataFacets(
  matches: Matches,
  names: ReadonlySet<string>,
): Record<string, unknown> {
  const wanted = (name: string) => names.has(name);
  if (![...Object.keys(FACETS), ...Object.keys(SUMS), ...TOTALS].some(wanted)) return {};
  const records = counted(matches);
  const found: Record<string, unknown> = {};
  // Rounded down: if each record has one value, the counts must not add up to more than the total.
  const share = Math.max(1, matches.total / Math.max(1, records.length));
  for (const [name, facet] of Object.entries(FACETS)) {
    if (wanted(name)) found[name] = mostFrequent(records, facet, share);
  }
  for (const [name, count] of Object.entries(SUMS))
    if (wanted(name)) found[name] = sums(records, count);
  for (const name of TOTALS.filter(wanted)) {
    found[name] = records.reduce((sum, record) => sum + Number(record[name] ?? 0), 0);
  }
  return found;
}

type Counted = readonly (readonly [index: number, attributes: Item])[];

// Cached by the generated records of one filter: reading them takes some tens of milliseconds.
const remembered = new WeakMap<object, Counted>();

function counted({ catalogue, generated, stored, gone }: Matches): readonly Item[] {
  const first =
    remembered.get(generated) ??
    take(generated.from(0), 0, COUNTED).map(
      (index) => [index, searchedAt(catalogue.corpus, index, NEEDED).attributes] as const,
    );
  remembered.set(generated, first);
  const left = first.filter(([index]) => !gone.has(index)).map(([, attributes]) => attributes);
  return [...left, ...stored.map(({ attributes }) => attributes)];
}

/** The attributes that the facets need. */
const NEEDED = new Set([
  ...[
    'creators',
    'contributors',
    'subjects',
    'rightsList',
    'fundingReferences',
    'schemaVersion',
    'language',
  ],
  ...['publicationYear', 'citationCount', 'viewCount', 'downloadCount'],
]);

/** Affiliations are counted by id and name, other values by id (service.md, P21). */
function mostFrequent(records: readonly Item[], facet: Facet, share: number): object[] {
  const keyOf = (pair: Pair) => (facet === FACETS['affiliations'] ? pair.join(':') : pair[0]);
  const counts = new Map<string, { readonly pair: Pair; count: number }>();
  for (const record of records) {
    // A value counts only once for each record.
    for (const [key, pair] of new Map(facet(record).map((pair) => [keyOf(pair), pair]))) {
      const counted = counts.get(key) ?? { pair, count: 0 };
      counted.count++;
      counts.set(key, counted);
    }
  }
  return [...counts.values()]
    .map(({ pair: [id, title], count }) => ({ id, title, count: Math.floor(count * share) }))
    .sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
    .slice(0, 10);
}

function sums(records: readonly Item[], count: string): object[] {
  const years = new Map<string, number>();
  for (const record of records) {
    const year = textOf(record['publicationYear']);
    years.set(year, (years.get(year) ?? 0) + Number(record[count] ?? 0));
  }
  return [...years]
    .filter(([year, sum]) => year !== '' && sum > 0)
    .sort(([a], [b]) => Number(b) - Number(a))
    .slice(0, 10)
    .map(([year, sum]) => ({ id: year, title: year, count: sum }));
}
