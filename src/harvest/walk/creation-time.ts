import { parseBounded } from '../../text/json-values.ts';

/** Creation times in milliseconds since 1970: `from` is included, `to` is excluded, null is open. */
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
 * The clause that selects the records of a span: `created:[2024-01-01T00:00:00.000Z TO *]`; undefined if both
 * ends are open. `[` includes a bound and `}` excludes it (service.md, F4).
 */
export function createdClause({ from, to }: Span): string | undefined {
  if (from === null && to === null) return undefined;
  const bound = (time: number | null) => (time === null ? '*' : new Date(time).toISOString());
  return `created:[${bound(from)} TO ${bound(to)}${to === null ? ']' : '}'}`;
}

/**
 * The creation time of a record in milliseconds, or NaN if the record has none (a sparse fieldset).
 * @internal
 */
export function createdOf(record: Buffer): number {
  const { attributes } = parseBounded(record.toString()) as { attributes?: { created?: unknown } | null };
  return typeof attributes?.created === 'string' ? Date.parse(attributes.created) : Number.NaN;
}

/** The same, without parsing a record that has one member of that name; NaN for one that cannot be parsed. @internal */
export function createdIn(record: Buffer): number {
  const at = record.indexOf(CREATED);
  if (at >= 0 && at === record.lastIndexOf(CREATED)) return guessCreated(record);
  try {
    return createdOf(record);
  } catch {
    return Number.NaN;
  }
}

const CREATED = Buffer.from('"created":"');
const QUOTE = 0x22;

/**
 * A guess at {@link createdOf} without parsing the record: the last member named `created`, which may belong to
 * another object.
 * @internal
 */
export function guessCreated(record: Buffer): number {
  const at = record.lastIndexOf(CREATED);
  if (at < 0) return Number.NaN;
  const from = at + CREATED.length;
  return Date.parse(record.toString('latin1', from, record.indexOf(QUOTE, from)));
}
