import { accountOf } from '../../../api/account.ts';
import { isMember } from '../../../api/repositories.ts';
import type { Service } from '../../../api/service.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { MAX_PAGE_SIZE } from '../../../core/defaults.ts';
import { paramsOf, requireCursor, widening } from '../../../core/filters.ts';
import { listAll, listError, wholeList } from '../../../core/list.ts';
import { filterWarnings } from '../../../core/other-filters.ts';
import { CliError, usageError } from '../../../errors.ts';
import { openRecordFile, type RecordFile } from '../../../formats/open.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { WalkTotals } from '../../../harvest/walk/walk-totals.ts';
import { Progress } from '../../../ui/progress.ts';
import type { WriteCommand } from '../../../writing/ledger/entry.ts';
import { dated, type FilterOptions } from '../query/filters.ts';
import { bulkCommand } from './bulk.ts';
import type { ChangeFlags, WriteFlags } from './input.ts';

/**
 * Changes all DOIs of a query that belong to the account in use. The list is read to its end before
 * the first DOI is changed: a change may remove a DOI from the list.
 * @param question asks about a number of DOIs, in words.
 */
export async function changeQuery(
  context: Context,
  command: WriteCommand,
  typed: ChangeFlags,
  question: (which: string) => string,
): Promise<void> {
  const { yes, dryRun, rate } = typed;
  const ask = confirmation(context, {
    yes: yes || dryRun,
    reason: 'changing all DOIs that match asks for confirmation',
    declined: 'nothing was sent',
  });
  const options = await dated<WriteFlags & FilterOptions>(context, typed);
  refuseVagueFilters(options);
  const service = await context.service('writes', rate ?? 'service', rate === undefined);
  const account = await accountOf(service);
  const list = listOf(context, service, account, options);
  await bulkCommand(context, command, list, options, (which) => ask(question(which)));
}

/** Refuses filters that the service may ignore, or that widen the list beyond the account. */
function refuseVagueFilters({ filter = [] }: FilterOptions): void {
  const [warning] = filterWarnings(filter);
  if (warning !== undefined) throw usageError(`--filter: ${warning}`, 'leave it out');
  const wide = filter.find((pair) => widening([pair, ['client-id', '']]).length > 0);
  if (wide === undefined) return;
  const message = `--filter ${wide[0]} would add DOIs of other repositories`;
  throw usageError(message, 'leave it out');
}

/** The query within the account in use: other accounts would widen the list (service.md, F5). */
function ownQuery(account: string, { clientId, providerId, ...filters }: FilterOptions): Params {
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
    throw usageError(message, '--mine selects all of them');
  }
  // Records show their repository, which is compared with the filter (service.md, F10).
  const query = paramsOf({ ...filters, clientId: account, fields: ['created', 'state', 'client'] });
  requireCursor(query, 'a change');
  return query;
}

function listOf(
  context: Context,
  service: Service,
  account: string,
  options: WriteFlags & FilterOptions,
): RecordFile {
  const query = ownQuery(account, options);
  async function* bytes(): AsyncGenerator<Buffer> {
    const { now } = context.host;
    const list = listAll(service, query, { pageSize: MAX_PAGE_SIZE, now });
    const totals = new WalkTotals();
    const progress = await Progress.start(context, false, undefined, 'DOI', 'reading: ');
    try {
      for await (const page of wholeList(list, { totals })) {
        yield Buffer.concat(page.lines());
        progress.update(page.records, page.total);
      }
    } catch (error) {
      const shown = listError(error, totals, false);
      throw shown instanceof CliError
        ? shown.with({ message: `${shown.message}; nothing was changed` })
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
