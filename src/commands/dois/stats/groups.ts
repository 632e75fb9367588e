import type { Bucket, Facets } from '../../../api/facets.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { type Dimension, dimension } from './dimensions.ts';

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
}

// Rows of the licence facet that are no licences (service.md, P23).
const OTHER = '__other__';
const MISSING = '__missing__';
// Rows of a table and a chart; years are more.
const MOST_ROWS = 10;
const MOST_YEARS = 20;

/**
 * The service's counts as groups, with what they leave out (service.md, P22). They may be a little low where
 * the index is divided (service.md, P24); then others are a little high.
 * @param warn called where the counts contradict each other.
 */
export function groupsOf(
  { total, buckets }: Facets,
  names: readonly string[],
  warn: (text: string) => void,
): Stats {
  const groups = names.map((by) => {
    const own = dimension(by);
    const found = buckets.get(own.facet) ?? [];
    const sum = found.reduce((all, { count }) => all + count, 0);
    if (own.several !== true && sum > total) {
      warn(`the service's counts by ${by} add up to ${sum}, more than its total of ${total}`);
    }
    return own.several ? severalGroup(by, found) : singleGroup(by, own, found, total - sum);
  });
  return { total, groups };
}

function singleGroup(by: string, own: Dimension, buckets: readonly Bucket[], left: number): Group {
  const cut = own.limit === undefined || buckets.length >= own.limit;
  const what = cut ? (own.always ? 'others' : 'others or none') : 'none';
  const rest: Rest[] = left > 0 ? [{ what, count: left }] : [];
  return { by, buckets, rest, values: cut && left > 0 ? null : buckets.length, several: false };
}

function severalGroup(by: string, found: readonly Bucket[]): Group {
  const countOf = (id: string) => found.find((bucket) => bucket.id === id)?.count ?? 0;
  const buckets = found.filter(({ id }) => id !== OTHER && id !== MISSING);
  const rest = [
    { what: 'others', count: countOf(OTHER) },
    { what: 'none', count: countOf(MISSING) },
  ] as const;
  const values = countOf(OTHER) > 0 ? null : buckets.length;
  return { by, buckets, rest: rest.filter(({ count }) => count > 0), values, several: true };
}

/** The group with as many buckets as a table or a chart shows; the others are counted in its rest. */
export function shortened(group: Group): Group {
  const most = dimension(group.by).years ? MOST_YEARS : Math.max(MOST_ROWS, dimension(group.by).limit ?? 0);
  if (group.buckets.length <= most) return group;
  const left = group.buckets.slice(most).reduce((sum, { count }) => sum + count, 0);
  const others = group.rest.filter(({ what }) => what === 'others');
  const count = left + others.reduce((sum, rest) => sum + rest.count, 0);
  const rest = [{ what: 'others' as const, count }, ...group.rest.filter(({ what }) => what !== 'others')];
  return { ...group, buckets: group.buckets.slice(0, most), rest };
}

/** `client (10 of 312)`, or `client (10 shown)` where the service does not tell how many there are. */
export function headOf({ by, buckets, values }: Group): string {
  if (values === buckets.length) return by;
  return `${by} (${buckets.length} ${values === null ? 'shown' : `of ${values}`})`;
}

/** A title, with the id where it says more. */
export function labelOf(id: string, title: string): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return plain(title).includes(plain(id)) ? title : `${title} (${id})`;
}
