import { parseBounded } from '../../text/bounded-json.ts';

/** Creation times in milliseconds since 1970: `from` is included, `to` is excluded, null is open. */
export interface Span {
  readonly from: number | null;
  readonly to: number | null;
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

/** The creation time of a record in milliseconds, or NaN if the record has none (a sparse fieldset). */
export function createdOf(record: Buffer): number {
  const { attributes } = parseBounded(record.toString()) as { attributes?: { created?: unknown } | null };
  return typeof attributes?.created === 'string' ? Date.parse(attributes.created) : Number.NaN;
}

// Buffers, because a string would be encoded again for each record. The search goes backwards, which is fast
// when the last byte is rare.
const CREATED = Buffer.from('"created');
const VALUE = Buffer.from('":"');

/**
 * A guess at {@link createdOf} without parsing the record: the last member named `created`, which may belong
 * to another object.
 */
export function guessCreated(record: Buffer): number {
  // A record begins with a brace, so `at` is never 0.
  for (let at = record.lastIndexOf(CREATED); at > 0; at = record.lastIndexOf(CREATED, at - 1)) {
    const colon = at + CREATED.length;
    const from = colon + VALUE.length;
    if (VALUE.compare(record, colon, Math.min(from, record.length)) !== 0) continue;
    return Date.parse(record.toString('latin1', from, record.indexOf(0x22, from)));
  }
  return Number.NaN;
}
