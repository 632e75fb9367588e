import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { requireBalance, requireCursor } from '../../../core/filter-params.ts';
import { CliError } from '../../../errors.ts';
import type { HarvestQuery } from '../../../harvest/store/ledger-data.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { type Given, withDates } from '../query/dates.ts';
import { type FilterOptions, filterParams, ownParams } from '../query/filters.ts';
import { filterWords } from './directory-query.ts';

/** The filters of a command line; undefined where it has none, and the directory knows its own. */
interface Asked {
  readonly options: FilterOptions;
  readonly params: Params;
  readonly relative: HarvestQuery['relative'];
}

/** @throws {CliError} kind `usage` for filters that exclude each other, or a harvest. */
export function askedQuery(
  context: Context,
  given: Given<FilterOptions>,
  before: HarvestQuery | undefined,
): Asked | undefined {
  const { options, fixed } = withDates<FilterOptions>(given, {
    now: context.host.now(),
    warn: (text) => context.messages.warn(text),
    fixed: before?.relative,
  });
  const params = filterParams(options);
  requireCursor(params, 'a harvest');
  requireBalance(options.query, '--query');
  const isGiven = options.mine === true || params.some(([name]) => name !== 'disable-facets');
  if (before !== undefined && !isGiven) return undefined;
  return { options, params, relative: fixed.length === 0 ? undefined : fixed };
}

/** The query of a run: the one asked for, or else that of its directory. `fresh` starts that over. */
export async function queryOf(
  context: Context,
  service: Service,
  { fresh, account }: { readonly fresh: boolean; readonly account: string | null },
  asked: Asked | undefined,
  before: HarvestQuery | undefined,
): Promise<HarvestQuery> {
  const baseUrl = service.http.baseUrl.href;
  if (asked === undefined) {
    if (before === undefined) throw new CliError('unexpected', 'there is no query');
    if (fresh) {
      const words = filterWords(before).join(' ') || 'all records';
      context.messages.note(`starting over with the query of the directory: ${words}`);
    }
    return { ...before, baseUrl, account };
  }
  const params = [...asked.params, ...(await ownParams(service, asked.options))];
  const query = { baseUrl, params, account };
  return asked.relative === undefined ? query : { ...query, relative: asked.relative };
}
