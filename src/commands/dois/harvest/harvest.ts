import { existsSync } from 'node:fs';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import {
  accountOrNull,
  type CopyOptions,
  missingIn,
  queryIn,
  updateCopy,
  withJobs,
} from '../../../core/copy.ts';
import { CliError, isOutage, isStop } from '../../../errors.ts';
import { writePlan } from '../../../harvest/copy/open-ledger.ts';
import { harvestPaths } from '../../../harvest/store/directory.ts';
import { Ledger } from '../../../harvest/store/ledger.ts';
import type { HarvestReceipts, Receipt } from '../../../harvest/store/receipt.ts';
import { counted, formatDuration, number, plural } from '../../../text/words.ts';
import { warnAboutList, warnOfUnknown } from '../query/filters.ts';
import { directoryOf, withProgress } from './directory.ts';
import type { harvest } from './index.ts';
import { askedQuery, filterWords, queryOf, requireSameQuery } from './query.ts';

type HarvestFlags = OptionsOf<typeof harvest>;

/** Brings a directory up to date, or reports at the end what is missing. */
export async function harvestCommand(context: Context, options: HarvestFlags): Promise<void> {
  const { fresh = false, estimate = false, plan: plans = false } = options;
  const dir = estimate && options.dir === undefined ? undefined : await directoryOf(options);
  const existing = dir === undefined ? undefined : await queryIn(dir, fresh || plans);
  // A plan takes its query from the command line: writePlan refuses a directory with a plan.
  const before = plans ? undefined : existing;
  const asked = askedQuery(context, options, before);
  if (fresh && dir !== undefined) await confirmFresh(context, dir, options);
  const service = await context.services.open('reads', options.rate ?? 'service');
  if (asked !== undefined) warnAboutList(context, service, asked.options);
  if (fresh && asked === undefined && before !== undefined) {
    const words = filterWords(before).join(' ') || 'all records';
    context.messages.note(`starting over with the query of the directory: ${words}`);
  }
  const query = await queryOf(service, await accountOrNull(service), asked, before);
  if (estimate) {
    const { printEstimate } = await import('./estimate.ts');
    return printEstimate(context, service, { ...options, params: query.params });
  }
  if (dir === undefined) return;
  if (before !== undefined && !fresh) requireSameQuery(context, { ...options, dir }, before, query);

  const run: CopyOptions = {
    dir,
    params: query.params,
    account: query.account,
    relative: query.relative,
    pageSize: options.pageSize,
    jobs: options.jobs,
    gzip: options.gzip,
    fresh,
    check: options.check === true,
    overlapMs: options.overlap,
    shard: options.shard ?? null,
  };
  const isNew = before === undefined && !plans;
  const withState = async (error: unknown) => {
    throw await withStateOnDisk(context, run, error);
  };
  if (isNew && context.host.terminal.stderr && filterWords(query).length === 0) {
    const { confirmSize } = await import('./estimate.ts');
    await confirmSize(context, service, { ...run, yes: options.yes }).catch(withState);
  }
  await withProgress(context, async (local, progress) => {
    const host = { service, ...local };
    if (plans) {
      const { windows, totalAtStart } = await writePlan(host, withJobs(service, run));
      const what = `${counted(totalAtStart, 'DOI')} in ${counted(windows.length, 'window')}`;
      context.messages.note(`planned ${what}`);
      return;
    }
    const receipts = await updateCopy(host, run).catch(withState);
    const all = [...receipts.earlier, ...receipts.worked];
    const isEmpty = all.every(({ records }) => records === 0);
    if (isEmpty && run.shard === null) {
      context.messages.warn('no DOI matches the query');
      await warnOfUnknown(context, service, query.params);
    }
    if (options.format !== undefined && options.format !== 'text')
      await printReceipts(context, receipts);
    reportReceipts(context, receipts, progress.elapsed);
  });
}

async function withStateOnDisk(
  context: Context,
  { dir, shard }: CopyOptions,
  error: unknown,
): Promise<unknown> {
  if (!isStop(error) && !(error instanceof CliError && isOutage(error))) return error;
  // If the ledger cannot be read, the first error matters more.
  const ledger = await Ledger.open(harvestPaths(dir, shard).ledger).catch(() => undefined);
  const { windows, totalAtStart, kind } = ledger?.data.generations.at(-1) ?? {};
  const records = windows?.reduce((sum, window) => sum + window.records, 0) ?? 0;
  const what = kind === 'update' ? 'new or updated DOIs' : 'DOIs';
  const state =
    totalAtStart === undefined
      ? 'nothing is on disk yet'
      : `${number(records)} of ${number(totalAtStart)} ${what} are on disk`;
  const share = shard === null ? [] : ['--shard', `${shard.index}/${shard.of}`];
  if (context.options.anonymous) share.push('--anonymous');
  const again = context.suggest('dois', 'harvest', '--dir', dir, ...share);
  const mayContinue = totalAtStart !== undefined && (isStop(error) || error.kind === 'unavailable');
  const hint = mayContinue ? `the same command again continues: ${again}` : error.hint;
  return error.with({
    message: `${error.message}; ${state}`,
    ...(hint === undefined ? {} : { hint }),
  });
}

async function printReceipts(context: Context, { worked }: HarvestReceipts): Promise<void> {
  const complete = worked.every(({ verdict }) => verdict === 'complete');
  const summary = { verdict: complete ? 'complete' : 'incomplete', receipts: worked };
  await context.out.write(`${JSON.stringify(summary)}\n`);
}

function reportReceipts(context: Context, receipts: HarvestReceipts, elapsedMs: number): void {
  const line = `${receipts.worked.map(summaryOf).join(', ')} in ${formatDuration(elapsedMs)}`;
  const reasons = missingIn(receipts);
  if (reasons.length === 0) context.messages.note(`${line}; complete`);
  else {
    throw new CliError('incomplete', `${line}, but incomplete: ${reasons.join('; ')}`, {
      hint: 'the same command again tries what is missing',
    });
  }
}

function summaryOf({ records, generation, kind }: Receipt): string {
  if (kind === 'reopened')
    return `generation ${generation}: ${counted(records, 'DOI')} fetched again`;
  if (kind !== 'update') return counted(records, 'DOI');
  return `generation ${generation}: ${number(records)} new or updated ${plural(records, 'DOI')}`;
}

async function confirmFresh(context: Context, dir: string, options: HarvestFlags): Promise<void> {
  // Also asks if the ledger cannot be read.
  const { ledger } = harvestPaths(dir, options.shard ?? null);
  if (!existsSync(ledger)) return;
  const confirmed = confirmation(context, {
    yes: options.yes,
    reason: `--fresh would remove the harvest in ${dir}`,
    retry: 'add --yes',
    declined: 'nothing was removed',
  });
  await confirmed(`Remove the harvest in ${dir} and start over?`);
}
