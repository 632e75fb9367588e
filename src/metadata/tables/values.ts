import { bareDoi, exactDoi, parseDoi } from '../../text/doi.ts';
import { isObject, listOf, type Path, valueAt } from '../../text/json-values.ts';
import { number } from '../../text/words.ts';

/** The value of a cell; null where a record has no value. */
export type TableCell = string | number | Date | readonly string[] | null;

/** The type of a column. In Parquet, `text` is UTF-8 and `texts` a list of it. */
export type ColumnType = 'text' | 'texts' | 'int32' | 'double' | 'date' | 'timestamp';

/**
 * The source of a row: the DOI as in the record, and objects of the record by name, such as
 * `{ doi, position, creator, affiliation }`. The paths of columns begin with these names.
 */
export type Row = Readonly<Record<string, unknown>>;

export interface TableColumn {
  readonly type: ColumnType;
  /** The description in the documents. */
  readonly about: string;
  /** The value as in the record; undefined or null where there is no value. */
  read(row: Row): unknown;
  /**
   * The value in the column's type; null where there is no value or an empty text, and undefined
   * for a value of another type, which must be reported. In a text column, lists and objects are
   * JSON.
   */
  cell(row: Row): TableCell | undefined;
}

/** How to find the value of a column in a row: a path such as `creator.name`, or a function. */
type Source = string | ((row: Row) => unknown);

const column =
  (type: ColumnType) =>
  (source: Source, about: string): TableColumn => {
    const read = typeof source === 'string' ? readerOf(source.split('.')) : source;
    const cell = (row: Row) => {
      const value = read(row);
      return value === null || value === undefined || value === '' ? null : CONVERT[type](value);
    };
    return { type, about, read, cell };
  };

const readerOf = (path: Path) => (row: Row) => valueAt(row, path);

export const text = column('text');
export const texts = column('texts');
export const int32 = column('int32');
export const double = column('double');
export const date = column('date');
export const timestamp = column('timestamp');

/**
 * Items of a list as objects, even where an affiliation is a name alone (service.md, F9). A record
 * without a container has an empty object.
 */
export function items(list: unknown, name: string): readonly object[] {
  const all = Array.isArray(list) ? list : [list];
  return all.flatMap((item) => {
    if (isObject(item)) return Object.keys(item).length === 0 ? [] : [item];
    return item === null || item === undefined ? [] : [{ [name]: item }];
  });
}

/** The first ORCID iD of a person, without its URL: `0000-0002-1825-0097`. */
export function orcidOf(person: unknown): string | undefined {
  for (const identifier of listOf(valueAt(person, ['nameIdentifiers']))) {
    const [id, scheme] = [
      valueAt(identifier, ['nameIdentifier']),
      valueAt(identifier, ['nameIdentifierScheme']),
    ];
    const orcid = ORCID.exec(String(id).trim());
    const isNamed = /^orcid$/i.test(String(scheme)) || orcid?.[1] !== undefined;
    if (orcid !== null && isNamed) return orcid[2]?.toUpperCase();
  }
  return undefined;
}

/** The ROR id of an organization, without its URL: `05dxps055`; undefined for other identifiers. */
export function rorOf(identifier: unknown, scheme?: unknown): string | undefined {
  const ror = ROR.exec(String(identifier).trim());
  const isNamed = /^ror$/i.test(String(scheme)) || ror?.[1] !== undefined;
  return ror !== null && isNamed ? ror[2]?.toLowerCase() : undefined;
}

/** A DOI in the form of a record's id: bare, in lower case; undefined for other identifiers. */
export function doiOf(identifier: unknown, type: unknown): string | undefined {
  if (typeof identifier !== 'string') return undefined;
  const bare = bareDoi(identifier);
  const isLink = bare !== identifier.trim();
  if (!/^doi$/i.test(String(type)) && !isLink) return undefined;
  try {
    // In a link, `%28` is a bracket, and the DOI ends at `?`.
    return (isLink && /[%?#]/.test(bare) ? parseDoi(identifier) : exactDoi(bare)).toLowerCase();
  } catch {
    return undefined;
  }
}

const ORCID = /^(?:https?:\/\/)?((?:www\.)?orcid\.org\/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dxX])$/i;
const ROR = /^(?:https?:\/\/)?((?:www\.)?ror\.org\/)?(0[a-z0-9]{8})$/i;

/** The identifier of a license in the SPDX list, in lower case: `cc-by-4.0`. */
export function spdxOf(rights: unknown): string | undefined {
  const [id, scheme] = [
    valueAt(rights, ['rightsIdentifier']),
    valueAt(rights, ['rightsIdentifierScheme']),
  ];
  return typeof id === 'string' && /^spdx$/i.test(String(scheme)) ? id.toLowerCase() : undefined;
}

const DAY = /^\d{4}-\d\d-\d\d/;

/** The first date of a type that is a whole day. */
export function dayOf(dates: unknown, type: string): string | undefined {
  return listOf(dates)
    .filter((date) => valueAt(date, ['dateType']) === type)
    .map((date) => wholeDay(valueAt(date, ['date'])))
    .find(Boolean);
}

/** The day of a date or time; undefined for a year, a month or a range. */
export function wholeDay(date: unknown): string | undefined {
  const isDay = typeof date === 'string' && DAY.test(date) && !/^.{10,}\//.test(date);
  return isDay ? date.slice(0, 10) : undefined;
}

// Shared by all rows without texts.
const NO_TEXTS: readonly string[] = [];

const CONVERT: Readonly<Record<ColumnType, (value: unknown) => TableCell | undefined>> = {
  text: textOf,
  texts(value) {
    const all = (Array.isArray(value) ? value : [value])
      .filter((item) => (item ?? '') !== '')
      .map(textOf);
    if (all.length === 0) return NO_TEXTS;
    return all.includes(undefined) ? undefined : (all as string[]);
  },
  double(value) {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  },
  int32(value) {
    const number =
      typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
    return typeof number === 'number' && Object.is(number | 0, number) ? number : undefined;
  },
  date: timeOf,
  timestamp: timeOf,
};

const HALF = /\p{Cs}/u;

/**
 * A value as text; undefined for half of a surrogate pair, which UTF-8 cannot encode, and for a
 * long number, whose last digits were lost when it was parsed.
 */
function textOf(value: unknown): string | undefined {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return HALF.test(text) ? undefined : text;
}

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** A day or a time; without an offset it is in UTC. */
function timeOf(value: unknown): Date | undefined {
  const text = String(value);
  const [match, offset] = TIME.exec(text) ?? [];
  const time = Date.parse(match?.includes('T') && offset === undefined ? `${text}Z` : text);
  if (match === undefined || Number.isNaN(time)) return undefined;
  // Python has no year 0: a table with one could not be read. JavaScript reads February 30 as March
  // 1.
  if (text.startsWith('0000')) return undefined;
  const day = text.slice(0, 10);
  const isDay = text.slice(8, 10) <= '28' || new Date(day).toISOString().startsWith(day);
  return isDay ? new Date(time) : undefined;
}

/** The number of values of a wrong type, and the first DOI with one, by column (`dois.year`). */
export type Unread = Record<string, { count: number; readonly doi: string }>;

export function addUnread(sum: Unread, more: Unread): void {
  for (const [column, { count, doi }] of Object.entries(more)) {
    sum[column] ??= { count: 0, doi };
    sum[column].count += count;
  }
}

/** A warning for each column. */
export function unreadWarnings(unread: Unread): readonly string[] {
  return Object.entries(unread).map(([column, { count, doi }]) => {
    const what = count === 1 ? 'one value is' : `${number(count)} values are`;
    return `${column}: ${what} not of its type and became null, such as that of ${doi}`;
  });
}
