// The grammar of the gem edtf 3.2: lib/edtf/parser.y of inukshuk/edtf-ruby at v3.2.2, which is that
// of 3.2.0. It reads the drafts of EDTF (2012), and X and % as in ISO 8601-2.

const YEAR = String.raw`-?\d{4}`;
const MONTH = '(?:0[1-9]|1[0-2])';
const DAY = String.raw`(?:0[1-9]|[12]\d|3[01])`;
const DATE = `${YEAR}(?:-${MONTH}(?:-${DAY})?)?`;
/** A digit that is not specified. */
const U = '[uX]';
const U_YEAR = String.raw`-?(?:\d{3}${U}|\d\d${U}${U})`;
/** What says that the part before it is uncertain or approximate. */
const Q = String.raw`(?:\?~|[?~%])`;
const OFFSET = String.raw`Z|\+00:00|[+-](?:(?:0[1-9]|1[0-3]):[0-5]\d|14:00|00:(?:0[1-9]|[1-5]\d))`;
const TIME = String.raw`(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d|24:00:00)(?:${OFFSET})?`;

const any = (...patterns: readonly string[]) => `(?:${patterns.join('|')})`;
const inBrackets = (pattern: string) => String.raw`\(${pattern}\)`;

const UNSPECIFIED = any(U_YEAR, `${YEAR}-${MONTH}-${U}{2}`, `${YEAR}-${U}{2}(?:-${U}{2})?`);
const PARTIAL = any(
  `${U_YEAR}-${MONTH}`,
  `${U_YEAR}-(?:${MONTH}|${U}{2})-(?:${DAY}|${U}{2})`,
  `${YEAR}-${U}{2}-${DAY}`,
);
const Q_MONTH = any(
  `${YEAR}${Q}-${MONTH}${Q}?`,
  `${YEAR}-${MONTH}${Q}`,
  `${YEAR}${Q}?-${inBrackets(MONTH)}${Q}`,
);
const Q_DATE = any(
  YEAR + Q,
  Q_MONTH,
  `${Q_MONTH}-(?:${DAY}${Q}?|${inBrackets(DAY)}${Q})`,
  `${YEAR}-${inBrackets(MONTH)}${Q}${DAY}${Q}?`,
  `${YEAR}-${MONTH}-(?:${DAY}|${inBrackets(DAY)})${Q}`,
  `${YEAR}${Q}?-${inBrackets(`${MONTH}-(?:${DAY}|${inBrackets(DAY)}${Q})`)}${Q}`,
);
const QUALIFIED = any(Q_DATE, inBrackets(Q_DATE) + Q);

const whole = (pattern: string, flags = '') => new RegExp(`^(?:${pattern})$`, flags);
const PART = whole(any(DATE, UNSPECIFIED, PARTIAL, QUALIFIED));
const ITEM = whole(any(DATE, UNSPECIFIED, QUALIFIED));
/** A date with a time, or with the name of a calendar. */
const DATE_AND_MORE = whole(String.raw`(${DATE})(?:T${TIME}|\^\w+)`);
/** A season, a decade or century, a year of more than four digits, or an unknown date. */
const OTHER = [
  whole(String.raw`${YEAR}-2[1-4]${Q}?(?:\^\w+)?`),
  whole(String.raw`\d{3}x|\d\dxx|${U}{4}`),
  whole(String.raw`y-?(?:[1-9]\d{4,}(?:e[1-9]\d*)?|[1-9]\d{0,3}e[1-9]\d*)`, 'i'),
];

/** Codes in the place of a date: bolognese, lib/bolognese/utils.rb (`UNKNOWN_INFORMATION`). */
const CODE = /^:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|etal)$/;

/** Whether the service keeps a date of XML with this text (service.md, S12). */
export function isKeptDate(text: string): boolean {
  const [, date] = DATE_AND_MORE.exec(text) ?? [];
  if (date !== undefined) return valuesOf(date) !== undefined;
  if (CODE.test(text) || OTHER.some((pattern) => pattern.test(text))) return true;
  const [from = '', to, ...more] = text.split('/');
  if (to !== undefined) return more.length === 0 && isRange(from, to);
  return isOf(PART, text) || isList(text);
}

const isOf = (pattern: RegExp, text: string) => pattern.test(text) && valuesOf(text) !== undefined;

/**
 * A range that is open, has an unknown end, or ends before it begins, contains no days: the service
 * takes it for blank.
 */
function isRange(from: string, to: string): boolean {
  const [first, last] = [from, to].map((end) => (PART.test(end) ? valuesOf(end) : undefined));
  if (first === undefined || last === undefined) return false;
  const at = first.findIndex((value, index) => value !== last[index]);
  return at < 0 || (last[at] !== undefined && (first[at] ?? 0) < last[at]);
}

/** `[..1760, 1762..1764, 1770..]`: an earlier date comes first, a later one last. */
function isList(text: string): boolean {
  const [, inner] = /^\[(.+)\]$/.exec(text) ?? /^\{(.+)\}$/.exec(text) ?? [];
  if (inner === undefined) return false;
  const items = inner.split(/\s*,\s*/);
  return items.every((item, index) => {
    const [start = '', end, ...more] = item.split(/\s*\.\.\s*/);
    if (end === undefined) return isOf(ITEM, item);
    if (more.length > 0) return false;
    // Of ranges in a list, the parser can read years only.
    if (start !== '' && end !== '') return [start, end].every((year) => whole(YEAR).test(year));
    return index === (start === '' ? 0 : items.length - 1) && isOf(whole(DATE), start + end);
  });
}

/**
 * The year, month and day, as far as they are there; what is not specified is the first. Undefined
 * for a day that does not exist, by the Julian calendar until 4 October 1582.
 */
function valuesOf(text: string): readonly number[] | undefined {
  const bare = text.replaceAll(/[?~%()]/g, '');
  const [, sign, digits = '', ...parts] =
    /^(-?)([\duX]{4})(?:-([\duX]{2}))?(?:-?([\duX]{2}))?$/.exec(bare) ?? [];
  const year = Number(`${sign}${digits.replaceAll(/[uX]/g, '0')}`);
  const [month = 1, day = 1] = parts.map((part = '') => Number(part.replace(/^[uX]{2}$|^$/, '1')));
  const isJulian = year < 1582 || (year === 1582 && (month < 10 || (month === 10 && day < 5)));
  const isLeap = year % 4 === 0 && (isJulian || year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  if (day > days || (year === 1582 && month === 10 && day > 4 && day < 15)) return undefined;
  return [year, month, day].slice(0, 1 + parts.filter((part) => part !== undefined).length);
}
