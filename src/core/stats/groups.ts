import type { Bucket, Facets } from '../../api/facets.ts';
import type { Params } from '../../harvest/walk/query-params.ts';
import { withoutUsual } from '../filters.ts';
import { dimension } from './dimensions.ts';

interface Rest {
  readonly what: 'others' | 'none' | 'others or none';
  readonly count: number;
}

/** The records of a query or a copy, divided in one way. */
export interface Group {
  readonly by: string;
  readonly buckets: readonly Bucket[];
  readonly rest: readonly Rest[];
  /** The number of values; null where the service counts only the most frequent ones. */
  readonly values: number | null;
  /** Whether a record may have several values: the counts do not add up to the total. */
  readonly several: boolean;
}

export interface Stats {
  readonly total: number;
  readonly groups: readonly Group[];
}

/** The counts of records, and their source. Times are ISO 8601, UTC. */
export interface Counted extends Stats {
  readonly source: {
    readonly baseUrl: string;
    readonly params: Params;
    readonly account: string | null;
    /** The directory of the copy; null for the service. */
    readonly directory: string | null;
  };
  readonly countedAt: string;
  /** The repository or member whose DOIs they are, if it is only one. */
  readonly owner?: string | undefined;
}

/** Adds the time and the source to counts, without the parameters that every query sends. */
export function stamped(now: number, { total, groups }: Stats, from: Counted['source']): Counted {
  const source = { ...from, params: withoutUsual(from.params) };
  return { total, countedAt: new Date(now).toISOString(), source, groups };
}

// Rows of the license facet that are not licenses (service.md, P23).
const OTHER = '__other__';
const MISSING = '__missing__';
// The most rows of a table or chart. Years get more.
const MOST_ROWS = 10;
const MOST_YEARS = 40;

/**
 * The service's counts as groups, with the records that they leave out (service.md, P22). Counts
 * may be slightly low where the index is divided (service.md, P24); then `others` is slightly high.
 */
export function groupsOf(
  { total, buckets }: Facets,
  names: readonly string[],
  warn: (text: string) => void,
): Stats {
  const groups = names.map((by) => {
    const { facet, limit = 0, always, several } = dimension(by);
    const values = buckets.get(facet) ?? [];
    const sum = values.reduce((all, { count }) => all + count, 0);
    if (several) {
      const countOf = (id: string) => values.find((bucket) => bucket.id === id)?.count ?? 0;
      const named = values.filter(({ id }) => id !== OTHER && id !== MISSING);
      const merged = oneForEachId(named);
      if (merged.length < named.length) warn(`${SPELLINGS}, by ${by}`);
      const group = groupOf(by, merged, { others: countOf(OTHER), none: countOf(MISSING) });
      return named.length < limit ? group : { ...group, values: null };
    }
    if (sum > total)
      warn(`the service's counts by ${by} add up to ${sum}, more than its total of ${total}`);
    const left = total - sum;
    if (values.length < limit) return groupOf(by, values, { none: left });
    return groupOf(by, values, always ? { others: left } : { 'others or none': left });
  });
  return { total, groups };
}

const SPELLINGS =
  'the service counts each name of an id by itself, so a DOI may count for several names';

/** Adds up the buckets of an id under its first name, the most frequent one (service.md, P21). */
function oneForEachId(buckets: readonly Bucket[]): readonly Bucket[] {
  const merged = new Map<string, Bucket>();
  for (const bucket of buckets) {
    const { id, count } = bucket;
    const known = merged.get(id);
    merged.set(id, known === undefined ? bucket : { ...known, count: known.count + count });
  }
  return [...merged.values()].sort((a, b) => b.count - a.count);
}

/** A group, with the records outside its buckets, if any. */
export function groupOf(
  by: string,
  buckets: readonly Bucket[],
  counts: Partial<Record<Rest['what'], number>>,
): Group {
  const rest = (['others', 'none', 'others or none'] as const)
    .map((what) => ({ what, count: counts[what] ?? 0 }))
    .filter(({ count }) => count > 0);
  const isCut = rest.some(({ what }) => what !== 'none');
  return {
    by,
    buckets,
    rest,
    values: isCut ? null : buckets.length,
    several: dimension(by).several === true,
  };
}

export interface GroupRow {
  readonly label: string;
  readonly count: number;
  /** Whether the row counts the records outside the buckets. */
  readonly isRest: boolean;
}

/**
 * The rows of a group in a table or chart: the first values, and the others in one row. Records
 * with several values are not added up, which would count them more than once.
 */
export function shown({ by, buckets, rest, values, several }: Group): {
  /** How many of the values are shown: ` (10 of 12)`; empty if all are. */
  extent: string;
  rows: readonly GroupRow[];
} {
  const { years, limit = 0 } = dimension(by);
  const first = buckets.slice(0, years ? MOST_YEARS : Math.max(MOST_ROWS, limit));
  const cut = buckets.slice(first.length).reduce((sum, { count }) => sum + count, 0);
  const others = rest.find(({ what }) => what === 'others')?.count ?? 0;
  const left =
    cut === 0 || several
      ? rest
      : [{ what: 'others', count: cut + others }, ...rest.filter(({ what }) => what !== 'others')];
  // The service does not tell how many values there are.
  const of = values === null ? 'shown' : `of ${values}`;
  return {
    extent: values === first.length ? '' : ` (${first.length} ${of})`,
    rows: [
      ...first.map(({ id, title, count }) => ({ label: labelOf(id, title), count, isRest: false })),
      ...left.map(({ what, count }) => ({ label: `(${what})`, count, isRest: true })),
    ],
  };
}

function labelOf(id: string, title: string): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return plain(title).includes(plain(id)) ? title : `${title} (${id})`;
}
