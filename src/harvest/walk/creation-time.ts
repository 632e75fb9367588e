import { parseBounded, valueAt } from '../../text/json-values.ts';

/**
 * Creation times in milliseconds since 1970: `from` is included, `to` is excluded, null is open.
 */
export interface Span {
  readonly from: number | null;
  readonly to: number | null;
}

export const ALL_TIME: Span = { from: null, to: null };

/** Whether a span includes a time in milliseconds; never true for NaN. */
export function contains({ from, to }: Span, time: number): boolean {
  return time >= (from ?? Number.NEGATIVE_INFINITY) && time < (to ?? Number.POSITIVE_INFINITY);
}

/**
 * The clause that selects the records of a span: `created:[2024-01-01T00:00:00.000Z TO *]`;
 * undefined if both ends are open. `[` includes a bound and `}` excludes it (service.md, F4).
 */
export function createdClause({ from, to }: Span): string | undefined {
  if (from === null && to === null) return undefined;
  const bound = (time: number | null) => (time === null ? '*' : new Date(time).toISOString());
  return `created:[${bound(from)} TO ${bound(to)}${to === null ? ']' : '}'}`;
}

/**
 * Makes a function that finds the index of the span with a creation time; the latest span for NaN
 * and for a time in no span.
 */
export function spanFinder(spans: readonly Span[]): (created: number) => number {
  const sorted = spans.map(({ from, to }, index) => ({ from, to, index })).sort(bySpan);
  return (created) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const to = sorted[middle]?.to ?? Number.POSITIVE_INFINITY;
      if (to <= created) low = middle + 1;
      else high = middle;
    }
    const span = sorted[low];
    return (span !== undefined && contains(span, created) ? span : sorted.at(-1))?.index ?? 0;
  };
}

/** Orders spans by time. */
export function bySpan(a: Span, b: Span): number {
  return (a.from ?? Number.NEGATIVE_INFINITY) - (b.from ?? Number.NEGATIVE_INFINITY) || 0;
}

const CREATED = Buffer.from('"created":"');
const QUOTE = 0x22;

/**
 * The creation time of a record in milliseconds; NaN for one that has none (a sparse fieldset) or
 * cannot be parsed. A record with one member of that name is not parsed.
 * @internal
 */
export function createdOf(record: Buffer): number {
  const at = record.lastIndexOf(CREATED);
  if (at >= 0 && record.indexOf(CREATED) === at) {
    const from = at + CREATED.length;
    return Date.parse(record.toString('latin1', from, record.indexOf(QUOTE, from)));
  }
  try {
    const created = valueAt(parseBounded(record.toString()), ['attributes', 'created']);
    return typeof created === 'string' ? Date.parse(created) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
