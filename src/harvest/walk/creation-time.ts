import { parseBounded } from '../../text/json-values.ts';

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

/**
 * The creation time of a record in milliseconds, or NaN if the record has none (a sparse fieldset).
 * @internal
 */
export function createdOf(record: Buffer): number {
  const { attributes } = parseBounded(record.toString()) as { attributes?: { created?: unknown } | null };
  return typeof attributes?.created === 'string' ? Date.parse(attributes.created) : Number.NaN;
}

const CREATED = Buffer.from('"created":"');
// How far a search backwards may move from a byte where the text cannot begin: to where the text has that byte.
const STEPS = new Uint8Array(256).fill(CREATED.length);
for (let at = CREATED.length - 1; at > 0; at -= 1) STEPS[CREATED[at] as number] = at;

/**
 * A guess at {@link createdOf} for the record in a part of some bytes, without parsing it: the last member named
 * `created`, which may belong to another object.
 * @internal
 */
export function guessCreated(bytes: Buffer, begin = 0, end = bytes.length): number {
  // A loop, because it costs less than a call of Buffer for the few hundred bytes after the member.
  for (let at = end - CREATED.length; at > begin; at -= STEPS[bytes[at] as number] as number) {
    let same = 0;
    while (same < CREATED.length && bytes[at + same] === CREATED[same]) same += 1;
    if (same === CREATED.length) return timeAt(bytes, at + same);
  }
  return Number.NaN;
}

const QUOTE = 0x22;
const ZERO = 0x30;
const [DASH, COLON, BIG_T, BIG_Z] = [0x2d, 0x3a, 0x54, 0x5a] as const;
// The days that every month has.
const SURE_DAYS = 28;

/** The time in a JSON string that begins at an offset: fast as the service writes it, like `2024-05-01T12:30:00Z`. */
function timeAt(bytes: Buffer, from: number): number {
  const two = (at: number) =>
    10 * ((bytes[from + at] as number) - ZERO) + (bytes[from + at + 1] as number) - ZERO;
  const has = (at: number, byte: number) => bytes[from + at] === byte;
  const [year, month, day] = [100 * two(0) + two(2), two(5), two(8)];
  const [hours, minutes, seconds] = [two(11), two(14), two(17)];
  const separated = has(4, DASH) && has(7, DASH) && has(10, BIG_T) && has(13, COLON) && has(16, COLON);
  const usual = inRange(year, 1000, 9999) && inRange(month, 1, 12) && inRange(day, 1, SURE_DAYS);
  const inDay = inRange(hours, 0, 23) && inRange(minutes, 0, 59) && inRange(seconds, 0, 59);
  if (separated && usual && inDay && has(19, BIG_Z) && has(20, QUOTE)) {
    return Date.UTC(year, month - 1, day, hours, minutes, seconds);
  }
  return Date.parse(bytes.toString('latin1', from, bytes.indexOf(QUOTE, from)));
}

function inRange(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
