import type { Range, TimeField } from '../records/ranges.ts';

/** A query that the search engine rejects; the message goes into the answer. */
export class QueryError extends Error {}

/** Two bounds of a range as text; `*` is open. */
export interface Bounds {
  readonly low: string;
  readonly high: string;
  /** Whether the bound itself belongs to the range. */
  readonly withLow: boolean;
  readonly withHigh: boolean;
}

/** @throws QueryError for a bound that is no date */
export function timeRange(field: TimeField, bounds: Bounds): Range {
  return field === 'published' ? years(bounds) : seconds(bounds);
}

function seconds({ low, high, withLow, withHigh }: Bounds): Range {
  return {
    from: low === '*' ? -Infinity : bound(low, !withLow),
    to: high === '*' ? Infinity : bound(high, withHigh),
  };
}

const CLOCK = /(\d\d)(?::?(\d\d))?(?::?(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?/.source;
const BOUND = new RegExp(String.raw`^(\d{4})(-\d\d)?(-\d\d)?(?:T${CLOCK})?$`);

/**
 * The first whole second at or after a bound, or the first one after the whole bound. A date
 * without a time means the whole day: the search engine adds 23:59:59.999 to an upper bound. A
 * missing month or day is 01.
 */
function bound(text: string, afterIt: boolean): number {
  const match = BOUND.exec(text);
  if (match === null) throw new QueryError(`failed to parse date field [${text}]`);
  const [, year, month = '-01', day = '-01', hour, minute, second, fraction = '', zone = 'Z'] =
    match;
  const milliseconds = fraction.padEnd(4, '0').slice(1, 4);
  const clock = [hour, minute, second].map((part) => part ?? '00').join(':');
  const time = Date.parse(`${year}${month}${day}T${clock}.${milliseconds}${zone}`);
  if (Number.isNaN(time)) throw new QueryError(`failed to parse date field [${text}]`);
  if (!afterIt) return Math.ceil(time / 1000);
  if (hour === undefined) return time / 1000 + 86_400;
  if (minute === undefined) return time / 1000 + 3600;
  if (second === undefined) return time / 1000 + 60;
  // Records have whole seconds, so the first second after a bound with a fraction is the next whole
  // one.
  return Math.floor(time / 1000) + 1;
}

function years({ low, high, withLow, withHigh }: Bounds): Range {
  const year = (text: string) => {
    const match = /^(\d{4})(?:-\d\d){0,2}(?:T.*)?$/.exec(text);
    if (match === null) throw new QueryError(`failed to parse date field [${text}]`);
    return Number(match[1]);
  };
  return {
    from: low === '*' ? -Infinity : year(low) + (withLow ? 0 : 1),
    to: high === '*' ? Infinity : year(high) + (withHigh ? 1 : 0),
  };
}
