import { usageError } from '../../../errors.ts';
import { combinedQuery } from '../../../harvest/walk/query-params.ts';
import { DAY_MS, type Moment } from '../../../text/parsers.ts';

/** The options that select records by the times of their creation and latest update. */
export interface DateOptions {
  readonly createdSince?: Moment;
  readonly createdUntil?: Moment;
  readonly updatedSince?: Moment;
  readonly updatedUntil?: Moment;
}

/** What a relative date meant when it was used first: the option, its words, and an ISO time. */
type FixedDate = readonly [option: string, words: string, time: string];

interface Dated<Options> {
  /** The options with `query` in the place of the dates. */
  readonly options: Options;
  /** The relative dates among them. */
  readonly fixed: readonly FixedDate[];
}

interface Clock {
  readonly now: number;
  readonly warn: (text: string) => void;
  /** The relative dates of an earlier run, which keep their meaning. */
  readonly fixed?: readonly FixedDate[] | undefined;
}

/** A bound of a range of the search engine; `isDay` where it is the end of a day, which is excluded. */
interface Bound {
  readonly option: string;
  readonly text: string;
  readonly time: number;
  readonly isDay: boolean;
}

/**
 * Joins the dates of the options to their query by AND: the service has no parameters for them (service.md,
 * F4). Until a day means until its end, and until a time includes that time.
 * @throws {CliError} kind `usage` for a span that holds no time, one that begins in the future, and a query
 *   that cannot be joined.
 */
export function withDates<Options extends DateOptions & { readonly query?: string }>(
  options: Options,
  clock: Clock,
): Dated<Options> {
  const { createdSince, createdUntil, updatedSince, updatedUntil, ...others } = options;
  const fixed: FixedDate[] = [];
  const bound = (option: string, moment: Moment | undefined, isEnd: boolean): Bound | undefined => {
    if (moment === undefined) return undefined;
    const { text } = moment;
    if (!('ago' in moment)) {
      const { from, to } = moment;
      return { option, text, time: isEnd ? to : from, isDay: isEnd && to > from };
    }
    const [, , known] = clock.fixed?.find(([name, words]) => name === option && words === text) ?? [];
    // The service's times are whole seconds (service.md, P17).
    const time = known === undefined ? Math.floor((clock.now - moment.ago) / 1000) * 1000 : Date.parse(known);
    fixed.push([option, text, isoTime(option, text, time)]);
    return { option, text, time, isDay: false };
  };
  const clauses = [
    clause(
      'created',
      bound('created-since', createdSince, false),
      bound('created-until', createdUntil, true),
      clock,
    ),
    clause(
      'updated',
      bound('updated-since', updatedSince, false),
      bound('updated-until', updatedUntil, true),
      clock,
    ),
  ].filter((text) => text !== undefined);
  if (clauses.length === 0) return { options, fixed };
  return { options: { ...others, query: joined(options.query, clauses) } as Options, fixed };
}

function clause(
  field: string,
  since: Bound | undefined,
  until: Bound | undefined,
  { now, warn }: Clock,
): string | undefined {
  if (since === undefined && until === undefined) return undefined;
  const [from, to] = [since, until].map((at) =>
    at === undefined ? '*' : isoTime(at.option, at.text, at.time),
  );
  if (since !== undefined && since.time > now) {
    throw usageError(
      `--${since.option} ${since.text} is in the future: it is ${new Date(now).toISOString()}`,
      'name an earlier date; days and times are in UTC',
    );
  }
  if (since !== undefined && until !== undefined && since.time >= until.time + (until.isDay ? 0 : 1)) {
    throw usageError(
      `--${since.option} ${since.text} is later than --${until.option} ${until.text}`,
      'exchange the two',
    );
  }
  // A day that has begun ends in the future.
  if (until !== undefined && until.time - (until.isDay ? DAY_MS : 0) > now) {
    warn(`--${until.option} ${until.text} is in the future`);
  }
  return `${field}:[${from} TO ${to}${until?.isDay ? '}' : ']'}`;
}

function isoTime(option: string, text: string, time: number): string {
  const date = new Date(time);
  // The search engine reads years of four digits.
  if (!(date.getTime() >= Date.UTC(1000, 0) && date.getUTCFullYear() <= 9999)) {
    throw usageError(`--${option} ${text} is too far away`, 'name a year from 1000 to 9999');
  }
  return date.toISOString();
}

function joined(query: string | undefined, clauses: readonly string[]): string | undefined {
  try {
    return combinedQuery(query, ...clauses);
  } catch (error) {
    throw usageError(`--query: ${(error as Error).message}`, 'dates are joined to the query by AND');
  }
}
