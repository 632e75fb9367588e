import { DAY_MS, parseDuration } from './parsers.ts';

/**
 * A point in time, a day, a month or a year, as the user wrote it. Times are in milliseconds since
 * 1970.
 */
type Moment =
  /** A duration before now. */
  | { readonly text: string; readonly ago: number }
  /** From `from` until before `to`; for a point in time both are equal. */
  | { readonly text: string; readonly from: number; readonly to: number };

/** A span of time, which may be open at either end. */
export interface DateRange {
  readonly text: string;
  readonly since: Moment | undefined;
  readonly until: Moment | undefined;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/;

const AGE = 'an age such as 7d';
const RANGE = `${AGE}, or a range such as 2017..2019, 7d.. or ..2024-05-01`;

/**
 * A duration before now (`7d`, `12h`), a year, a month (`2024-05`), a day, or a time
 * (`2024-05-01T12:00`), in UTC unless it has an offset.
 */
export function parseMoment(typed: string): Moment {
  const text = typed.trim();
  const moment = readMoment(text);
  if (moment === undefined) throw notADate(text, `or ${AGE}`);
  return moment;
}

function readMoment(text: string): Moment | undefined {
  if (/^\d+(\.\d+)?(ms|[smhdw])$/.test(text)) return { text, ago: parseDuration(text) };
  if (/^\d{4}$/.test(text)) return { text, from: startOf(text), to: startOf(text, 12) };
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    return { text, from: startOf(text), to: startOf(text, 1) };
  const [, day = DAY.test(text) ? text : '', offset] = TIME.exec(text) ?? [];
  const from = Date.parse(day === text || offset !== undefined ? text : `${text}Z`);
  if (!isDay(day) || Number.isNaN(from)) return undefined;
  return { text, from, to: day === text ? from + DAY_MS : from };
}

/** @param others what else is accepted, in words. */
function notADate(text: string, others: string): Error {
  return new Error(
    `'${text}' is not a date: write a year such as 2019, a month such as 2024-05, a day such as` +
      ` 2024-05-01, a time such as 2024-05-01T12:00:00Z, ${others}`,
  );
}

function startOf(text: string, later = 0): number {
  // `Date.UTC` would move years before 100 into the 20th century.
  const date = new Date(text);
  return date.setUTCMonth(date.getUTCMonth() + later);
}

/** A moment, or a range with `..`: `2017..2019`, `7d..`. An age alone is a range up to now. */
export function parseDateRange(typed: string): DateRange {
  const text = typed.trim();
  const [first = '', last = first, ...others] = text.split('..');
  if (others.length > 0 || first + last === '') {
    throw new Error(`'${text}' is not a range of dates such as 2017..2019, 7d.. or ..2024-05-01`);
  }
  const [since, until] = [first, last].map((part) => {
    const moment = part === '' ? undefined : readMoment(part);
    if (part !== '' && moment === undefined) throw notADate(text, RANGE);
    return moment;
  });
  if (since && until && 'from' in since && 'from' in until) {
    // A range includes its whole last day, month or year; a time has no length.
    const isBackward = since.from > until.from && since.from >= until.to;
    if (isBackward) throw new Error(`'${text}' ends before it begins: write ${last}..${first}`);
  }
  const isAge = since !== undefined && 'ago' in since && !text.includes('..');
  return { text, since, until: isAge ? undefined : until };
}

/** The years of a range as in the service's parameters; undefined if they are not whole years. */
export function yearsOf({ text }: DateRange): string | undefined {
  return /^\d{4}(\.\.\d{4})?$/.test(text) ? text.replace('..', ',') : undefined;
}

/** Whether a day exists: JavaScript reads February 30 as March 1. */
function isDay(day: string): boolean {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** A time of ISO 8601 in milliseconds; undefined for any other text. */
export function momentIn(value: unknown): number | undefined {
  const isMoment =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value.trim());
  return isMoment ? Date.parse(value) : undefined;
}
