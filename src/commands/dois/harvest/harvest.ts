import { existsSync } from 'node:fs';
import { accountOf } from '../../../api/account.ts';
import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../cli/jobs.ts';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import { CliError, usageError } from '../../../errors.ts';
import { writePlan } from '../../../harvest/copy/open.ts';
import type { HarvestHost, HarvestOptions } from '../../../harvest/copy/options.ts';
import { PageSource } from '../../../harvest/copy/page-source.ts';
import { type Outcome, runHarvest } from '../../../harvest/copy/run.ts';
import { harvestPaths } from '../../../harvest/store/directory.ts';
import type { Shard } from '../../../harvest/store/ledger-data.ts';
import type { Receipt } from '../../../harvest/store/receipt.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { formatDuration, number, plural } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import { confirm } from '../../../ui/prompt.ts';
import { type FilterOptions, filterParams, warnAboutList } from '../query/query.ts';

export interface HarvestFlags extends FilterOptions {
  readonly dir?: string;
  readonly jobs?: number;
  readonly pageSize: number;
  readonly rate?: { readonly requests: number; readonly windowMs: number };
  readonly gzip?: boolean;
  readonly plan?: boolean;
  readonly shard?: Shard;
  readonly fresh?: boolean;
  readonly yes?: boolean;
  /** Milliseconds. */
  readonly overlap: number;
}

/**
 * Brings a directory up to date.
 * @throws {CliError} kind `incomplete` with the reasons when something is missing at the end.
 */
export async function harvestCommand(context: Context, options: HarvestFlags): Promise<void> {
  const dir = directoryOf(options);
  if (options.plan && options.shard !== undefined) {
    throw usageError('--plan and --shard exclude each other', 'plan first, then run the shards');
  }
  const filters = filterParams(options);
  if (options.fresh) await confirmFresh(context, dir, options);
  const service = await context.service('reads', options.rate ?? 'service');
  warnAboutList(context, service, options);
  const account = service.credentials === undefined ? null : await accountOf(service);
  const mine: Params = options.mine && account !== null ? [['client-id', account]] : [];

  const run: HarvestOptions = {
    dir,
    params: [...filters, ...mine],
    account,
    pageSize: options.pageSize,
    jobs: options.jobs ?? jobsFor(service),
    gzip: options.gzip,
    fresh: options.fresh === true,
    overlapMs: options.overlap,
    shard: options.shard ?? null,
  };
  const progress = await Progress.start(context, false);
  const host: HarvestHost = { service, ...hostOf(context, progress) };
  try {
    if (options.plan) await plan(context, host, run);
    else conclude(context, await runHarvest(host, run), progress.elapsed);
  } finally {
    progress.stop();
  }
}

async function plan(context: Context, host: HarvestHost, run: HarvestOptions): Promise<void> {
  const { windows, totalAtStart } = await writePlan(
    host,
    run,
    new PageSource(host.service, new Semaphore(1), host.now),
  );
  context.messages.note(
    `planned ${number(totalAtStart)} ${plural(totalAtStart, 'DOI')} in ${number(windows.length)} ${plural(windows.length, 'window')}`,
  );
}

/** @throws {CliError} kind `incomplete` with the reasons when something is missing. */
function conclude(context: Context, { receipts, others }: Outcome, elapsedMs: number): void {
  const line = `${receipts.map(brought).join(', ')} in ${formatDuration(elapsedMs)}`;
  const several = receipts.length + others.length > 1;
  const reasons = [...others, ...receipts].flatMap(({ generation, reasons }) =>
    reasons.map((reason) => (several ? `generation ${generation}: ${reason}` : reason)),
  );
  if (reasons.length === 0) context.messages.note(`${line}; complete`);
  else {
    throw new CliError('incomplete', `${line}, but incomplete: ${reasons.join('; ')}`, {
      hint: 'the same command again tries what is missing',
    });
  }
}

function brought({ records, generation, kind }: Receipt): string {
  const what =
    kind === 'update' ? `generation ${generation}: ${number(records)} new or updated` : number(records);
  return `${what} ${plural(records, 'DOI')}`;
}

/** What a run over a directory needs of this one: its end, its clock, and where to say what it is doing. */
export function hostOf(context: Context, progress: Progress): Omit<HarvestHost, 'service'> {
  return {
    signal: context.host.signal,
    now: context.host.now,
    note: (text) => context.messages.note(text),
    progress: (records, total) => progress.update(records, total),
  };
}

/** @throws {CliError} kind `usage` when no directory is named. */
export function directoryOf({ dir }: { readonly dir?: string }): string {
  if (dir === undefined) throw usageError('a harvest needs a directory', 'add --dir <directory>');
  return dir;
}

async function confirmFresh(context: Context, dir: string, options: HarvestFlags): Promise<void> {
  // A ledger that cannot be read is one more reason to ask.
  const { ledger } = harvestPaths(dir, options.shard ?? null);
  if (options.yes || !existsSync(ledger)) return;
  if (!context.interactive) {
    throw usageError(
      `--fresh would remove the harvest in ${dir}, and there is no terminal to ask on`,
      'add --yes',
    );
  }
  if (!(await confirm(context, `Remove the harvest in ${dir} and start over?`))) {
    throw new CliError('rejected', 'nothing was removed');
  }
}
