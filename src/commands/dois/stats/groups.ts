import type { Bucket, Facets } from '../../../api/facets.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import type { Completeness } from './completeness.ts';
import { dimension } from './dimensions.ts';

/** Records outside of the buckets of a group. */
interface Rest {
  readonly what: 'others' | 'none' | 'others or none';
  readonly count: number;
}

/** The records of a query or a copy, divided in one way. */
export interface Group {
  readonly by: string;
  readonly buckets: readonly Bucket[];
  readonly rest: readonly Rest[];
  /** How many values there are; null where the service counts the most frequent ones only. */
  readonly values: number | null;
  /** Whether a record may have several values, so that the counts do not add up to the total. */
  readonly several: boolean;
}

export interface Stats {
  readonly total: number;
  readonly groups: readonly Group[];
}

/** What was counted, and where. Times are ISO 8601, UTC. */
export interface Counted extends Stats {
  readonly source: {
    readonly baseUrl: string;
    readonly params: Params;
    readonly account: string | null;
    /** The copy that was counted; null for the service. */
    readonly directory: string | null;
  };
  readonly countedAt: string;
  /** The repository or the member whose DOIs they are, where it is one. */
  readonly owner?: string | undefined;
  /** What the records have; undefined where it was not asked for, or there are too many to read. */
  readonly completeness?: Completeness | undefined;
  /** The file next to a report that names what lacks something. */
  readonly lackingFile?: string | undefined;
}

// Rows of the license facet that are no licenses (service.md, P23).
const OTHER = '__other__';
const MISSING = '__missing__';
// Rows of a table and a chart; years are more.
const MOST_ROWS = 10;
const MOST_YEARS = 40;

/**
 * The service's counts as groups, with what they leave out (service.md, P22). They may be a little
 * low where the index is divided (service.md, P24); then others are a little high.
 */
export function groupsOf(
  { total, buckets }: Facets,
  names: readonly string[],
  warn: (text: string) => void,
): Stats {
  const groups = names.map((by) => {
    const { facet, limit = 0, always, several } = dimension(by);
    const found = buckets.get(facet) ?? [];
    const sum = found.reduce((all, { count }) => all + count, 0);
    if (several) {
      const countOf = (id: string) => found.find((bucket) => bucket.id === id)?.count ?? 0;
      const own = found.filter(({ id }) => id !== OTHER && id !== MISSING);
      const group = groupOf(by, own, { others: countOf(OTHER), none: countOf(MISSING) });
      return own.length < limit ? group : { ...group, values: null };
    }
    if (sum > total)
      warn(`the service's counts by ${by} add up to ${sum}, more than its total of ${total}`);
    const left = total - sum;
    if (found.length < limit) return groupOf(by, found, { none: left });
    return groupOf(by, found, always ? { others: left } : { 'others or none': left });
  });
  return { total, groups };
}

/** A group, with the records outside of its buckets where there are any. */
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

interface Row {
  readonly label: string;
  readonly count: number;
  /** Whether these are the records outside of the others. */
  readonly isRest: boolean;
}

/**
 * What a table or a chart shows of a group: the first values, and the others in one row, unless
 * that would count a record with several of them more than once.
 */
export function shown({ by, buckets, rest, values, several }: Group): {
  head: string;
  rows: readonly Row[];
} {
  const { years, limit = 0 } = dimension(by);
  const own = buckets.slice(0, years ? MOST_YEARS : Math.max(MOST_ROWS, limit));
  const cut = buckets.slice(own.length).reduce((sum, { count }) => sum + count, 0);
  const others = rest.find(({ what }) => what === 'others')?.count ?? 0;
  const left =
    cut === 0 || several
      ? rest
      : [{ what: 'others', count: cut + others }, ...rest.filter(({ what }) => what !== 'others')];
  // The service does not tell how many values there are.
  const of = values === null ? 'shown' : `of ${values}`;
  return {
    head: values === own.length ? by : `${by} (${own.length} ${of})`,
    rows: [
      ...own.map(({ id, title, count }) => ({ label: labelOf(id, title), count, isRest: false })),
      ...left.map(({ what, count }) => ({ label: `(${what})`, count, isRest: true })),
    ],
  };
}

/** A title, with the id where it says more. */
function labelOf(id: string, title: string): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return plain(title).includes(plain(id)) ? title : `${title} (${id})`;
}
