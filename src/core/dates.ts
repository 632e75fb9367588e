import { usageError } from '../errors.ts';
import { combinedQuery } from '../harvest/walk/query-params.ts';
import { valueAt } from '../text/json-values.ts';
import { type DateRange, yearsOf } from '../text/moment.ts';
import type { Naming } from './filter-values.ts';
import { DATES, type Filters } from './filters.ts';

/** The options that select records by times of creation, registration and latest update. */
interface DateOptions {
  readonly created?: DateRange;
  readonly registered?: DateRange;
  readonly updated?: DateRange;
}

/** Options as typed, before their dates become years or a part of the query. */
export type DatedOptions<Options> = Omit<Options, keyof DateOptions> & DateOptions;

/** Options with years and a query in place of the dates. */
export type Undated<Typed> = Omit<Typed, keyof DateOptions | 'query'> &
  Pick<Filters, 'created' | 'registered' | 'query'>;

/** The first meaning of a relative date: the bound, its words, and an ISO time. */
type FixedDate = readonly [bound: string, words: string, time: string];

interface Dated<Typed> {
  readonly options: Undated<Typed>;
  readonly fixed: readonly FixedDate[];
  /** The ranges of dates by attribute, in milliseconds since 1970. */
  readonly spans: readonly TimeSpan[];
}

interface TimeSpan {
  readonly field: string;
  readonly since: number;
  readonly until: number;
  readonly closed: boolean;
}

/** Whether the attribute of a record lies in a span. */
export function inSpan(record: unknown, { field, since, until, closed }: TimeSpan): boolean {
  const time = Date.parse(String(valueAt(record, ['attributes', field])));
  return time >= since && (time < until || (closed && time === until));
}

interface Clock {
  readonly now: number;
  readonly warn: (text: string) => void;
  /** Whether messages mention options, the default, or properties. */
  readonly naming?: Naming;
  /** Relative dates of an earlier run. They keep their meaning. */
  readonly fixed?: readonly FixedDate[] | undefined;
}

interface Bound {
  /** The option or property as typed, for messages. */
  readonly words: string;
  readonly time: number;
  /** The start of the day or year that ends here. The end itself is excluded. */
  readonly from?: number;
}

/**
 * Turns years into the service's parameters, and joins other dates to the query by AND (service.md,
 * F4). A range until a day or a year includes all of it; one until a time includes that time.
 */
export function withDates<Typed extends DatedOptions<Filters>>(
  typed: Typed,
  clock: Clock,
): Dated<Typed> {
  const { created, registered, updated, ...others } = typed;
  const dates = { created, registered, updated };
  const fixed: FixedDate[] = [];
  const prefix = clock.naming === 'property' ? 'query.' : '--';
  const bound = (field: (typeof DATES)[number], end: 'since' | 'until'): Bound | undefined => {
    const [name, range] = [`${field}-${end}`, dates[field]];
    const moment = range?.[end];
    if (moment === undefined) return undefined;
    const words = `${prefix}${field} ${range?.text}`;
    if (!('ago' in moment)) {
      const { from, to } = moment;
      return end === 'until' && to > from ? { words, time: to, from } : { words, time: from };
    }
    const [, , known] =
      clock.fixed?.find(([bound, text]) => bound === name && text === moment.text) ?? [];
    // The service's times are whole seconds (service.md, P17).
    const time =
      known === undefined ? Math.floor((clock.now - moment.ago) / 1000) * 1000 : Date.parse(known);
    fixed.push([name, moment.text, isoTime({ words, time })]);
    return { words, time };
  };
  const clauses: string[] = [];
  const spans: TimeSpan[] = [];
  const years: [string, string][] = [];
  for (const field of DATES) {
    const [since, until] = [bound(field, 'since'), bound(field, 'until')];
    const text = clause(field, since, until, clock);
    if (text === undefined) continue;
    spans.push({
      field,
      since: since?.time ?? Number.NEGATIVE_INFINITY,
      until: until?.time ?? Number.POSITIVE_INFINITY,
      closed: until?.from === undefined,
    });
    const value = field === 'updated' ? undefined : dates[field] && yearsOf(dates[field]);
    if (value !== undefined) years.push([field, value]);
    else clauses.push(text);
  }
  const query = joined(others.query, clauses, `${prefix}query`);
  const options = {
    ...others,
    ...Object.fromEntries(years),
    ...(query !== undefined && { query }),
  };
  return { options: options as unknown as Undated<Typed>, fixed, spans };
}

function clause(
  field: string,
  since: Bound | undefined,
  until: Bound | undefined,
  { now, warn }: Clock,
): string | undefined {
  if (since === undefined && until === undefined) return undefined;
  const [from, to] = [since, until].map((at) => (at === undefined ? '*' : isoTime(at)));
  const isDay = until?.from !== undefined;
  if (since !== undefined && since.time > now) {
    throw usageError(
      `${since.words} is in the future: it is ${new Date(now).toISOString()}`,
      'name an earlier date, in UTC',
    );
  }
  if (since !== undefined && until !== undefined && since.time >= until.time + (isDay ? 0 : 1)) {
    throw usageError(`${since.words} ends before it begins`, 'exchange the two dates');
  }
  // A day or year that has begun may end in the future without a warning.
  if (until !== undefined && (until.from ?? until.time) > now)
    warn(`${until.words} is in the future`);
  return `${field}:[${from} TO ${to}${isDay ? '}' : ']'}`;
}

function isoTime({ words, time }: Bound): string {
  const date = new Date(time);
  // The search engine reads years of four digits, and the end of a year is the start of the next.
  if (!(date.getTime() >= Date.UTC(1000, 0) && date.getUTCFullYear() <= 9999)) {
    throw usageError(`${words} is too far away`, 'name a year from 1000 to 9998');
  }
  return date.toISOString();
}

function joined(
  query: string | undefined,
  clauses: readonly string[],
  name: string,
): string | undefined {
  if (clauses.length === 0) return query;
  try {
    return combinedQuery(query, ...clauses);
  } catch (error) {
    throw usageError(
      `${name}: ${(error as Error).message}`,
      'dates are joined to the query by AND',
    );
  }
}
