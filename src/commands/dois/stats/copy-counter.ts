import type { Context } from '../../../cli/context.ts';
import type { DatedOptions } from '../../../core/dates.ts';
import { COUNTED_FIELDS } from '../../../core/stats/completeness.ts';
import { countCopy } from '../../../core/stats/copy.ts';
import { copyFilter } from '../../../core/stats/copy-filter.ts';
import { COMPLETENESS } from '../../../core/stats/dimensions.ts';
import { type Counted, stamped } from '../../../core/stats/groups.ts';
import { sameQuery } from '../../../harvest/copy/verify.ts';
import { currentRecords } from '../../../harvest/store/current-records.ts';
import { ledgersOf } from '../../../harvest/store/ledger.ts';
import type { LedgerData } from '../../../harvest/store/ledger-data.ts';
import { receiptsOf } from '../../../harvest/store/receipt.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { counted } from '../../../text/words.ts';
import { directoryOf, READING, withProgress } from '../harvest/directory.ts';
import type { FilterOptions } from '../query/filters.ts';

/**
 * Prepares to count a copy.
 * @throws {CliError} kind `usage` without a copy, and for filters that only the service applies.
 */
export async function copyCounter(
  context: Context,
  typed: DatedOptions<FilterOptions & { readonly dir?: string }>,
  by: readonly string[],
): Promise<() => Promise<Counted>> {
  const directory = await directoryOf(typed);
  const ledgers = await ledgersOf(directory);
  const { warn } = context.messages;
  const { now } = context.host;
  const { baseUrl, params, account } = sameQuery(ledgers);
  const filter = copyFilter(typed, params, { now: now(), warn });
  const totals = ledgers.map(({ generations: [first] }) => first?.totalAtStart ?? 0);
  const expected = totals.reduce((sum, total) => sum + total, 0);
  return async () => {
    warnIfIncomplete(context, ledgers);
    const stats = await withProgress(
      context,
      ({ signal, progress }) => {
        const records = currentRecords(directory, ledgers, signal);
        return countCopy(records, by, filter, (count) => progress(count, expected));
      },
      READING,
    );
    const empty = stats.groups.filter(({ buckets }) => buckets.length === 0).map(({ by }) => by);
    const texts = [
      ...empty.flatMap((name) => absence(name, params)),
      ...(by.includes(COMPLETENESS) ? absenceOfProperties(params) : []),
    ];
    if (stats.total > 0) new Set(texts).forEach(warn);
    const from = { baseUrl, params: [...params, ...filter.params], account, directory };
    return stamped(now(), stats, from);
  };
}

/** Columns whose values depend on a parameter of the harvest (service.md, F9, F10). */
const NEEDED: Readonly<Record<string, 'affiliation' | 'detail' | 'publisher'>> = {
  affiliation: 'affiliation',
  'creators.ror': 'affiliation',
  provider: 'detail',
  publisher_ror: 'publisher',
};

/** Why no record of a copy has a value in a column, if its query explains it. */
function absence(column: string, params: Params): readonly string[] {
  const needed = NEEDED[column];
  const has = params.some(([name, value]) => name === needed && value === 'true');
  if (needed === 'detail' && !has)
    return [
      `this copy was harvested without --detail: it holds no ${column}; a new copy with it does`,
    ];
  if (needed !== undefined && !has)
    return [`this copy holds ${needed}s as names, without ROR ids; a new copy has them`];
  const fields = params.find(([param]) => param === 'fields[dois]')?.[1];
  if (fields === undefined) return [];
  return [`this copy was harvested with --fields ${fields}: it holds no ${column}`];
}

/** What a copy lacks to tell how complete its records are. */
function absenceOfProperties(params: Params): readonly string[] {
  const names = absence('affiliation', withoutFields(params));
  const fields = params.find(([param]) => param === 'fields[dois]')?.[1];
  const lacking = COUNTED_FIELDS.split(',').filter((field) => !fields?.split(',').includes(field));
  if (fields === undefined || lacking.length === 0) return names;
  const harvested = `this copy was harvested with --fields ${fields}`;
  return [...names, `${harvested}: without ${lacking.join(', ')}, completeness is too low`];
}

const withoutFields = (params: Params) => params.filter(([name]) => name !== 'fields[dois]');

function warnIfIncomplete(context: Context, ledgers: readonly LedgerData[]): void {
  const [reason] = receiptsOf(ledgers).flatMap(({ reasons }) => reasons);
  const missing = (ledgers[0]?.shard?.of ?? 1) - ledgers.length;
  const shards = missing > 0 ? `${counted(missing, 'shard')} not started` : undefined;
  const why = reason ?? shards;
  if (why !== undefined) context.messages.warn(`the copy is not complete: ${why}`);
}
