import { isKnown, ownRecords } from '../../../api/account.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import type { DatedOptions, Undated } from '../../../core/dates.ts';
import { DATES, type Filters, paramsOf, requireReadable, widening } from '../../../core/filters.ts';
import { filterWarnings } from '../../../core/other-filters.ts';
import { queryHints } from '../../../core/query-hints.ts';
import { CliError, usageError } from '../../../errors.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';

const MOST_LOOKED_UP = 10;

/** The options that select records, with dates as a part of the query. Their values are valid. */
export interface FilterOptions extends Filters {
  readonly mine?: boolean;
}

/** The filter of `--mine`, by the account that the service recognises. */
export async function ownParams(service: Service, { mine }: FilterOptions): Promise<Params> {
  return mine ? [await ownRecords(service)] : [];
}

/** Replaces the dates among the options of a command by years and a query, see `withDates`. */
export async function dated<Typed extends DatedOptions<FilterOptions>>(
  context: Context,
  options: Typed,
): Promise<Undated<Typed>> {
  if (DATES.every((name) => options[name] === undefined))
    return options as unknown as Undated<Typed>;
  const { withDates } = await import('../../../core/dates.ts');
  const clock = { now: context.host.now(), warn: context.messages.warn };
  return withDates(options, clock).options;
}

/** Warns of filters and credentials that widen a list unexpectedly (service.md, A10, F1). */
export function warnAboutList(
  context: Context,
  { credentials }: Service,
  options: FilterOptions,
): void {
  if (options.filter !== undefined)
    for (const warning of filterWarnings(options.filter)) context.messages.warn(warning);
  const wide = widening([
    ...paramsOf(options),
    ...(options.mine ? [['client-id', ''] as const] : []),
  ]);
  if (wide.length > 0) {
    context.messages.note(
      `note: the service lists records that match any one of ${wide.join(', ')}`,
    );
  }
  requireReadable(credentials, options);
  if (credentials === undefined) {
    if (options.mine) {
      const message = '--mine needs credentials: an anonymous reader has no account';
      if (context.options.anonymous) throw usageError(message, 'name the account with --client-id');
      throw new CliError('credentials', message, { hint: context.suggest('auth', 'login') });
    }
    return;
  }
  if (!options.mine && options.clientId === undefined && options.state === undefined) {
    context.messages.last(
      'note: the list may include Draft and Registered records of other repositories; --mine' +
        ' shows only yours',
    );
  }
}

/** Warns of accounts and fields of a query that the service does not know, for an empty list. */
export async function warnOfUnknown(
  context: Context,
  service: Service,
  params: Params,
): Promise<void> {
  const query = params.find(([name]) => name === 'query')?.[1] ?? '';
  for (const hint of queryHints(query)) context.messages.warn(hint);
  for (const [param, what, noun] of ACCOUNTS) {
    const ids = params.find(([name]) => name === param)?.[1].split(',') ?? [];
    for (const id of ids.filter((id) => id !== '').slice(0, MOST_LOOKED_UP)) {
      if (!(await isKnown(service, what, id)))
        context.messages.warn(`the service knows no ${noun} ${id}`);
    }
  }
}

const ACCOUNTS = [
  ['client-id', 'repositories', 'repository'],
  ['provider-id', 'providers', 'provider'],
] as const;
