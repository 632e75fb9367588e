import type { Range, TimeField } from '../records/ranges.ts';

/** A query that the search engine rejects; the message goes into the answer. */
export class QueryError extends Error {}

/** The two bounds of a range as text; `*` means no bound. */
export interface Bounds {
  readonly low: string;
  readonly high: string;
  /** Whether the bound itself belongs to the range. */
  readonly withLow: boolean;
  readonly withHigh: boolean;
}

/** @throws QueryError for a bound that is not a date */
export function timeRange(field: TimeField, bounds: Bounds): Range {
  return field === 'published' ? years(bounds) : seconds(bounds);
}

function seconds({ low, high, withLow, withHigh }: Bounds): Range {
  return {
    from: low === '*' ? -Infinity : bound(low, !withLow),
    to: high === '*' ? Infinity : bound(high, withHigh),
  };
}

const CLOCK = /(\d\d)(?::?(\d\d))?(?::?(\d\d)([.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?/.source;
const DATE = new RegExp(String.raw`^(\d{4})(?:-(\d\d?))?(?:-(\d\d?))?(?:T(?:${CLOCK})?)?$`);
/** `now` or a date with `||`, and steps such as `-7d` or `/M`. */
const MATH = /^(?:now|(.*?)\|\|)((?:[-+]\d+[yMwdhHms]|\/[yMwdhHms])*)$/;

/**
 * The first whole second of the day, month or other period that a bound stands for, or the first
 * one after that period (service.md, F17).
 */
function bound(text: string, afterIt: boolean): number {
  const [math, start, steps = ''] = MATH.exec(text) ?? [];
  if (math === undefined) return date(text, afterIt);
  let time = start === undefined ? Math.floor(Date.now() / 1000) : date(start, false);
  let rounded = 's';
  for (const [, sign, count, unit = 's'] of steps.matchAll(/([-+/])(\d*)(\w)/g)) {
    rounded = sign === '/' ? unit : 's';
    time = sign === '/' ? floor(time, unit) : moved(time, unit, Number(`${sign}${count}`));
  }
  return afterIt ? moved(time, rounded, 1) : time;
}

/** A date without a time means the whole day. A missing month or day means 01. */
function date(text: string, afterIt: boolean): number {
  const rejected = new QueryError(`failed to parse date field [${text}]`);
  if (/^-?\d{5,}$/.test(text)) return Math.floor(Number(text) / 1000) + (afterIt ? 1 : 0);
  const match = DATE.exec(text);
  if (match === null) throw rejected;
  const [, year, month = '01', day = '01', hour, minute, second, fraction = '', zone = 'Z'] = match;
  const milliseconds = fraction.padEnd(4, '0').slice(1, 4);
  const clock = [hour, minute, second].map((part) => part ?? '00').join(':');
  const ymd = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
  const time = Date.parse(`${ymd}T${clock}.${milliseconds}${zone}`);
  // JavaScript reads 31 February as 3 March.
  if (Number.isNaN(time) || new Date(`${ymd}T00:00Z`).getUTCDate() !== Number(day)) throw rejected;
  if (!afterIt) return Math.ceil(time / 1000);
  if (hour === undefined) return time / 1000 + 86_400;
  if (minute === undefined) return time / 1000 + 3600;
  if (second === undefined) return time / 1000 + 60;
  // The times of records are whole seconds, so a bound with a fraction means the next second.
  return Math.floor(time / 1000) + 1;
}

const SECONDS: Readonly<Record<string, number>> = {
  ...{ s: 1, m: 60, h: 3600, H: 3600 },
  ...{ d: 86_400, w: 604_800 },
};

function moved(time: number, unit: string, count: number): number {
  const seconds = SECONDS[unit];
  if (seconds !== undefined) return time + count * seconds;
  const at = new Date(time * 1000);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + (unit === 'y' ? 12 : 1) * count];
  // If the month does not have that day, its last day is meant.
  const day = Math.min(at.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate());
  return Date.UTC(year, month, day) / 1000 + (time % 86_400);
}

/** The beginning of the year, month, week (from Monday), day, hour, minute or second of a time. */
function floor(time: number, unit: string): number {
  const at = new Date(time * 1000);
  if (unit === 'y') return Date.UTC(at.getUTCFullYear(), 0) / 1000;
  if (unit === 'M') return Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) / 1000;
  // 1 January 1970 was a Thursday.
  const shift = unit === 'w' ? 3 * 86_400 : 0;
  const length = SECONDS[unit] ?? 1;
  return Math.floor((time + shift) / length) * length - shift;
}

/** The field has the format `yyyy`. */
function years({ low, high, withLow, withHigh }: Bounds): Range {
  const year = (text: string) => {
    if (/^\d{4}$/.test(text)) return Number(text);
    throw new QueryError(`failed to parse date field [${text}] with format [yyyy]`);
  };
  return {
    from: low === '*' ? -Infinity : year(low) + (withLow ? 0 : 1),
    to: high === '*' ? Infinity : year(high) + (withHigh ? 1 : 0),
  };
}
