import { DAY_MS, parseDuration } from './parsers.ts';

/** A point in time, or a day, as a user wrote it. Times are in milliseconds since 1970. */
export type Moment =
  /** So long before now. */
  | { readonly text: string; readonly ago: number }
  /** From here to before there; a time has no length. */
  | { readonly text: string; readonly from: number; readonly to: number };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * A duration before now (`7d`, `12h`), a day (`2024-05-01`) or a time (`2024-05-01T12:00`). Days and times are
 * in UTC unless an offset is written.
 * @throws {Error} for anything else, and for a day that no calendar has.
 */
export function parseMoment(given: string): Moment {
  const text = given.trim();
  if (/^\d+(\.\d+)?[a-z]+$/.test(text)) return { text, ago: parseDuration(text) };
  const day = DAY.test(text) ? text : TIME.exec(text)?.[1];
  const offset = TIME.exec(text)?.[2];
  const from = Date.parse(day === text || offset !== undefined ? text : `${text}Z`);
  if (day === undefined || !isDay(day) || Number.isNaN(from)) {
    throw new Error(
      `'${text}' is not a date: write a duration before now such as 7d or 12h, a day such as 2024-05-01,` +
        ' or a time such as 2024-05-01T12:00:00Z',
    );
  }
  return { text, from, to: day === text ? from + DAY_MS : from };
}

/** JavaScript takes February 30 for March 1. */
function isDay(day: string): boolean {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
