import { existsSync } from 'node:fs';
import { accountOf, ownRecords } from '../../../api/account.ts';
import type { Service } from '../../../api/service.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { JobLimit } from '../../../concurrency/job-limit.ts';
import { checkFolder } from '../../../disk/folders.ts';
import { CliError, usageError } from '../../../errors.ts';
import { writePlan } from '../../../harvest/copy/open-ledger.ts';
import type { HarvestOptions, LocalHost } from '../../../harvest/copy/options.ts';
import { type HarvestReceipts, runHarvest } from '../../../harvest/copy/run.ts';
import { harvestPaths } from '../../../harvest/store/directory.ts';
import type { Shard } from '../../../harvest/store/ledger-data.ts';
import type { Receipt } from '../../../harvest/store/receipt.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { counted, formatDuration, number, plural } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import { type FilterOptions, filterParams, requireCursor, warnAboutList } from '../query/query.ts';

// With more, even an answer that takes three seconds is not what limits.
const MOST_JOBS = 32;

export interface HarvestFlags extends FilterOptions {
  readonly dir?: string;
  readonly jobs?: number;
  readonly pageSize: number;
  readonly rate?: { readonly requests: number; readonly windowMs: number };
  readonly gzip?: boolean;
  readonly plan?: boolean;
  readonly shard?: Shard;
  readonly fresh?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
  /** Milliseconds. */
  readonly overlap: number;
}

/**
 * Brings a directory up to date.
 * @throws {CliError} kind `incomplete` with the reasons when something is missing at the end.
 */
export async function harvestCommand(context: Context, options: HarvestFlags): Promise<void> {
  const dir = await directoryOf(options);
  if (options.plan && options.shard !== undefined) {
    throw usageError('--plan and --shard exclude each other', 'plan first, then run the shards');
  }
  const filters = filterParams(options);
  requireCursor(filters, 'a harvest');
  if (options.fresh) await confirmFresh(context, dir, options);
  const service = await context.service('reads', options.rate ?? 'service');
  warnAboutList(context, service, options);
  const account = await accountOrNull(service);
  const mine: Params = options.mine ? [await ownRecords(service)] : [];

  const run: HarvestOptions = {
    dir,
    params: [...filters, ...mine],
    account,
    pageSize: options.pageSize,
    jobs: options.jobs ?? MOST_JOBS,
    limit:
      options.jobs === undefined ? new JobLimit(MOST_JOBS, service.rateLimiter?.current ?? 1) : undefined,
    gzip: options.gzip,
    fresh: options.fresh === true,
    check: options.check === true,
    overlapMs: options.overlap,
    shard: options.shard ?? null,
  };
  await withProgress(context, async (local, progress) => {
    const host = { service, ...local };
    if (options.plan) {
      const { windows, totalAtStart } = await writePlan(host, run);
      const what = `${counted(totalAtStart, 'DOI')} in ${counted(windows.length, 'window')}`;
      context.messages.note(`planned ${what}`);
    } else reportReceipts(context, await runHarvest(host, run), progress.elapsed);
  });
}

/** @throws {CliError} kind `incomplete` with the reasons when something is missing. */
function reportReceipts(context: Context, { worked, earlier }: HarvestReceipts, elapsedMs: number): void {
  const line = `${worked.map(summaryOf).join(', ')} in ${formatDuration(elapsedMs)}`;
  const several = worked.length + earlier.length > 1;
  const reasons = [...earlier, ...worked].flatMap(({ generation, reasons }) =>
    reasons.map((reason) => (several ? `generation ${generation}: ${reason}` : reason)),
  );
  if (reasons.length === 0) context.messages.note(`${line}; complete`);
  else {
    throw new CliError('incomplete', `${line}, but incomplete: ${reasons.join('; ')}`, {
      hint: 'the same command again tries what is missing',
    });
  }
}

function summaryOf({ records, generation, kind }: Receipt): string {
  if (kind !== 'update') return counted(records, 'DOI');
  return `generation ${generation}: ${number(records)} new or updated ${plural(records, 'DOI')}`;
}

/** The account of the credentials; null without credentials. */
export async function accountOrNull(service: Service): Promise<string | null> {
  return service.credentials === undefined ? null : accountOf(service);
}

/** Shows progress during some work on a directory. */
export async function withProgress<T>(
  context: Context,
  work: (host: LocalHost, progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = await Progress.start(context, false);
  const host: LocalHost = {
    signal: context.host.signal,
    now: context.host.now,
    note: (text) => context.messages.note(text),
    progress: (records, total) => progress.update(records, total),
  };
  return work(host, progress).finally(() => progress.stop());
}

/** @throws {CliError} kind `usage` when no directory is named, or something else is in its place. */
export async function directoryOf({ dir }: { readonly dir?: string }): Promise<string> {
  if (dir === undefined) throw usageError('a harvest needs a directory', 'add --dir <directory>');
  await checkFolder(dir);
  return dir;
}

async function confirmFresh(context: Context, dir: string, options: HarvestFlags): Promise<void> {
  // A ledger that cannot be read is one more reason to ask.
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
