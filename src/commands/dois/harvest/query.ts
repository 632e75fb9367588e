import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { type DatedOptions, withDates } from '../../../core/dates.ts';
import { FILTERS, harvestParams, withoutUsual } from '../../../core/filters.ts';
import { CliError, usageError } from '../../../errors.ts';
import {
  differenceOf,
  fingerprintOf,
  type HarvestQuery,
  type Shard,
} from '../../../harvest/store/ledger-data.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { type FilterOptions, ownParams } from '../query/filters.ts';

interface Asked {
  readonly options: FilterOptions;
  readonly params: Params;
  readonly relative: HarvestQuery['relative'];
}

/**
 * The filters of a command line; undefined without filters, if the directory has a query.
 * @throws {CliError} kind `usage` for filters that exclude each other, or a harvest.
 */
export function askedQuery(
  context: Context,
  given: DatedOptions<FilterOptions>,
  before: HarvestQuery | undefined,
): Asked | undefined {
  const { options, fixed } = withDates(given, {
    now: context.host.now(),
    warn: context.messages.warn,
    fixed: before?.relative,
  });
  const params = harvestParams(options, '--query');
  const isGiven = options.mine === true || withoutUsual(params).length > 0;
  if (before !== undefined && !isGiven) return undefined;
  return { options, params, relative: fixed.length === 0 ? undefined : fixed };
}

/** The query of a run: of the command line, or else of its directory. */
export async function queryOf(
  service: Service,
  account: string | null,
  asked: Asked | undefined,
  before: HarvestQuery | undefined,
): Promise<HarvestQuery> {
  const baseUrl = service.http.baseUrl.href;
  if (asked === undefined) {
    if (before === undefined) throw new CliError('unexpected', 'there is no query');
    return { ...before, baseUrl, account };
  }
  const params = [...asked.params, ...(await ownParams(service, asked.options))];
  const query = { baseUrl, params, account };
  return asked.relative === undefined ? query : { ...query, relative: asked.relative };
}

/** The query of a directory as options, for a command that continues it. */
export function filterWords({ params }: Pick<HarvestQuery, 'params'>): string[] {
  return withoutUsual(params).flatMap(([name, value]) => {
    if (name === 'detail') return ['--detail'];
    if (name === 'fields[dois]') return ['--fields', value];
    if (['created', 'registered'].includes(name)) return [`--${name}`, value.split(',').join('..')];
    return OPTIONS.includes(name) ? [`--${name}`, value] : ['--filter', `${name}=${value}`];
  });
}

interface Directory {
  readonly dir: string;
  readonly shard?: Shard;
}

const OPTIONS = FILTERS.map(({ param }) => param);

/**
 * Compares the query of a run with the query of its directory.
 * @throws {CliError} kind `usage` with the command that continues the directory.
 */
export function requireSameQuery(
  context: Context,
  { dir, shard }: Directory,
  before: HarvestQuery,
  now: { readonly baseUrl: string; readonly params: Params; readonly account: string | null },
): void {
  if (fingerprintOf(before) === fingerprintOf(now)) return;
  const share = shard === undefined ? [] : ['--shard', `${shard.index}/${shard.of}`];
  const words = ['dois', 'harvest', '--dir', dir, ...share];
  const owner = before.account;
  if (owner !== null && fingerprintOf({ ...now, account: owner }) === fingerprintOf(before)) {
    const reader = now.account ?? 'an anonymous reader';
    const login = context.suggest('auth', 'login', '--repository', owner);
    const hint = context.options.anonymous ? 'leave out --anonymous' : login;
    throw usageError(`${dir} holds a harvest of ${owner}, and not of ${reader}`, hint);
  }
  // Suggestions already contain the --base-url of this run.
  const elsewhere = before.baseUrl === now.baseUrl ? [] : ['--base-url', before.baseUrl];
  const anonymous = before.account === null && now.account !== null ? ['--anonymous'] : [];
  const reader =
    before.account === now.account ? '' : ` as ${before.account ?? 'an anonymous reader'}`;
  const whole = context.suggest(...words, ...filterWords(before), ...elsewhere, ...anonymous);
  const short = context.suggest(...words, ...elsewhere, ...anonymous);
  throw usageError(
    `${dir} holds the harvest of another query (${differenceOf(before, now)}): ${whole}${reader}`,
    `${short} continues it${reader}; another --dir or --fresh begins the new one`,
  );
}
