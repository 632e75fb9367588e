import { accountOf } from '../../../api/account.ts';
import { isMember } from '../../../api/repositories.ts';
import type { Service } from '../../../api/service.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import type { DatedOptions } from '../../../core/dates.ts';
import { MAX_PAGE_SIZE } from '../../../core/defaults.ts';
import { DATES, FILTERS, type Pair, paramsOf, widening } from '../../../core/filters.ts';
import { listAll, listError, wholeList } from '../../../core/list.ts';
import {
  FILTER_STARTS,
  filterWarnings,
  parseFilter,
  selectsRecords,
} from '../../../core/other-filters.ts';
import { queryHints } from '../../../core/query-hints.ts';
import { CliError, usageError } from '../../../errors.ts';
import { openRecordFile, type RecordFile } from '../../../formats/open.ts';
import { FORMATS } from '../../../formats/registry.ts';
import { WalkTotals } from '../../../harvest/walk/walk-totals.ts';
import { refuseKey } from '../../../text/api-key.ts';
import { didYouMean } from '../../../text/closest.ts';
import { parseDateRange } from '../../../text/moment.ts';
import { parseFrom } from '../../../text/parsers.ts';
import { shellWord } from '../../../text/shell-word.ts';
import { Progress } from '../../../ui/progress.ts';
import type { WriteCommand } from '../../../writing/ledger/outcome.ts';
import { dated, type FilterOptions } from '../query/filters.ts';
import { bulkCommand } from './bulk.ts';
import type { WriteFlags } from './input.ts';

/**
 * Changes all DOIs of the account in use that match `--where`. The list is read to its end before
 * the first DOI is changed: a change may remove a DOI from the list.
 * @param question asks about a number of DOIs, in words.
 */
export async function changeQuery(
  context: Context,
  command: WriteCommand,
  flags: WriteFlags,
  question: (which: string) => string,
): Promise<void> {
  const { yes, dryRun, rate, where = [] } = flags;
  const filters = await dated(context, filtersIn(where));
  const ask = confirmation(context, {
    yes: yes || dryRun,
    reason: 'changing all DOIs that match asks for confirmation',
    declined: 'nothing was sent',
  });
  const service = await context.services.open('writes', rate ?? 'service');
  const list = listOf(context, service, ownQuery(await accountOf(service), filters));
  await bulkCommand(context, command, list, flags, (which) => ask(question(which)));
}

/** The filters of `--where`, by the names that they have as options of a list. */
function filtersIn(where: readonly string[]): DatedOptions<FilterOptions> {
  const filters: Record<string, unknown> = {};
  const others: Pair[] = [];
  for (const text of where) {
    const [, typed = text, value = ''] = /^\s*-{0,2}([\w-]+)\s*=(.*)$/s.exec(text) ?? [];
    const parts = text.split(/\s*,\s*(?=[a-z][\w-]*=)/);
    if (parts.length > 1 && typed !== 'query') {
      const each = parts.map((part) => `--where ${shellWord(part)}`).join(' ');
      throw usageError('--where takes one filter', each);
    }
    // The service takes `_` for `-` in names (service.md, F1).
    const name = typed.replaceAll('_', '-');
    const known = FILTERS.find(({ param }) => param === name);
    const key = known?.name ?? name;
    const parse =
      known?.parse ?? (DATES.some((date) => date === name) ? parseDateRange : undefined);
    const isSecond = Object.hasOwn(filters, key) || others.some(([other]) => other === name);
    if (isSecond) throw usageError(`--where ${name} is given twice`, 'leave one of them out');
    if (parse === undefined)
      others.push(parseFrom('--where', value, () => otherFilter(name, value)));
    else filters[key] = parseFrom<unknown>(`--where ${name}`, value, parse);
  }
  return { ...filters, ...(others.length > 0 ? { filter: others } : {}) };
}

/**
 * A filter that the service may ignore, or that does not narrow the list of the account, is
 * refused.
 */
function otherFilter(name: string, value: string): Pair {
  refuseKey(name);
  if (!FILTER_STARTS.includes(`${name}=`)) {
    const names = [...FILTERS.map(({ param }) => param), ...DATES];
    throw new Error(`'${name}' is not a filter such as state=draft${didYouMean(name, names)}`);
  }
  const [warning] = filterWarnings([[name, value]]);
  if (warning !== undefined) throw new Error(warning);
  if (!selectsRecords(name))
    throw new Error(`${name} selects no DOIs: use a filter such as state=draft`);
  return parseFilter(`${name}=${value}`);
}

/** The query within the account in use: other accounts would widen the list (service.md, F5). */
function ownQuery(account: string, { clientId, providerId, ...filters }: FilterOptions) {
  if (isMember(account)) {
    // Only its repositories may change them otherwise (service.md, A9).
    const message = `${account} is a member (provider), which can only transfer DOIs`;
    throw usageError(message, 'use the account of the repository');
  }
  const named = [...(clientId?.split(',') ?? []), ...(providerId?.split(',') ?? [])];
  const foreign = named.find((id) => id.trim().toLowerCase() !== account);
  if (foreign !== undefined) {
    const others = `not of ${foreign}`;
    const message = `only DOIs of ${account}, the account in use, can be changed, ${others}`;
    throw usageError(message, `doi-cli auth status shows the account`);
  }
  // Records show their repository, which is compared with the filter (service.md, F10).
  const query = paramsOf({ ...filters, clientId: account, fields: ['created', 'state', 'client'] });
  const wide = widening(query).find((name) => name !== 'client-id');
  if (wide !== undefined)
    throw usageError(`--where: ${wide} would add DOIs of other repositories`, 'leave it out');
  return { account, query };
}

function listOf(
  context: Context,
  service: Service,
  { account, query }: ReturnType<typeof ownQuery>,
  { onScreen = false, remark = '; nothing was changed' } = {},
): RecordFile {
  async function* bytes(): AsyncGenerator<Buffer> {
    const { now } = context.host;
    const list = listAll(service, query, { pageSize: MAX_PAGE_SIZE, now });
    const totals = new WalkTotals();
    const progress = await Progress.start(context, onScreen, undefined, 'DOI', 'reading: ');
    try {
      for await (const page of wholeList(list, { totals })) {
        yield Buffer.concat(page.lines());
        progress.update(page.records, page.total);
      }
      const searched = query.find(([name]) => name === 'query')?.[1] ?? '';
      if (totals.records === 0) queryHints(searched).forEach(context.messages.warn);
    } catch (error) {
      const shown = listError(error, totals, false);
      throw shown instanceof CliError
        ? shown.with({ message: `${shown.message}${remark}` })
        : shown;
    } finally {
      progress.stop();
    }
  }
  async function* recordsOf(copy: string) {
    yield* (await openRecordFile(context, copy, { dois: true })).records();
  }
  const ending = '.ndjson';
  const file = { name: account, path: undefined, kind: 'many', rows: false, ending } as const;
  const records = () => recordsOf('');
  return { ...file, isList: true, bytes, records, recordsOf };
}

/**
 * The stored records of the account in use that match `--where`, with all of their attributes. They
 * are read once, as they arrive.
 * @param onScreen whether results go to the terminal meanwhile.
 */
export async function storedRecords(
  context: Context,
  where: readonly string[],
  onScreen: boolean,
): Promise<RecordFile> {
  const filters = await dated(context, filtersIn(where));
  const service = await context.services.open('writes', 'service');
  const own = ownQuery(await accountOf(service), filters);
  const query = own.query.filter(([name]) => name !== 'fields[dois]');
  const list = listOf(context, service, { ...own, query }, { onScreen, remark: '' });
  const read = await FORMATS.ndjson.read();
  return { ...list, records: () => read(list.bytes(), own.account, {}) };
}
