import type { Context, Service } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { harvestPaths } from '../../harvest/disk/directory.ts';
import { Ledger } from '../../harvest/disk/ledger.ts';
import type { Receipt } from '../../harvest/disk/receipt.ts';
import { runHarvest } from '../../harvest/run.ts';
import { number, plural } from '../../harvest/verdict.ts';
import { Progress, spell } from '../../ui/progress.ts';
import { confirm } from '../../ui/prompt.ts';
import { accountOf } from '../dois/count.ts';
import { type FilterOptions, filterParams, type Params } from '../dois/query.ts';
import { remark } from '../dois/remark.ts';

export interface HarvestFlags extends FilterOptions {
  readonly dir?: string;
  readonly jobs?: number;
  readonly pageSize: number;
  readonly rate?: { readonly requests: number; readonly windowMs: number };
  readonly gzip?: boolean;
  readonly fresh?: boolean;
  readonly yes?: boolean;
  /** Milliseconds. */
  readonly overlap: number;
}

const MOST_JOBS_BY_DEFAULT = 16;

/**
 * Brings a directory up to date.
 * @throws {CliError} kind `incomplete` with the reasons when something is missing at the end.
 */
export async function harvestCommand(context: Context, options: HarvestFlags): Promise<void> {
  const dir = directoryOf(options);
  const filters = filterParams(options);
  if (options.fresh) await confirmFresh(context, dir, options);
  const service = await context.service('reads', options.rate ?? 'service');
  remark(context, service, options);
  const account = service.credentials === undefined ? null : await accountOf(service);
  const mine: Params = options.mine && account !== null ? [['client-id', account]] : [];

  const progress = await Progress.start(context, false);
  let receipt: Receipt;
  try {
    receipt = await runHarvest(
      {
        service,
        signal: context.host.signal,
        now: context.host.now,
        note: (text) => context.messages.note(text),
        progress: (records, total) => progress.update(records, total),
      },
      {
        dir,
        params: [...filters, ...mine],
        account,
        pageSize: options.pageSize,
        jobs: options.jobs ?? jobsFor(service),
        gzip: options.gzip,
        fresh: options.fresh === true,
        overlapMs: options.overlap,
      },
    );
  } finally {
    progress.stop();
  }
  const { records, generation, kind } = receipt;
  const what =
    kind === 'update' ? `generation ${generation}: ${number(records)} new or updated` : number(records);
  const line = `${what} ${plural(records, 'DOI')} in ${spell(progress.elapsed)}`;
  if (receipt.verdict === 'complete') context.messages.note(`${line}; complete`);
  else {
    throw new CliError('incomplete', `${line}, but incomplete: ${receipt.reasons.join('; ')}`, {
      hint: 'the same command again tries what is missing',
    });
  }
}

/** @throws {CliError} kind `usage` when no directory is named. */
export function directoryOf({ dir }: { readonly dir?: string }): string {
  if (dir === undefined) throw usageError('a harvest needs a directory', 'add --dir <directory>');
  return dir;
}

/** With an answer taking about a second, so many requests are under way at once at the full rate. */
function jobsFor({ pace }: Service): number {
  return Math.min(MOST_JOBS_BY_DEFAULT, Math.max(2, Math.ceil(pace?.current ?? 1)));
}

async function confirmFresh(context: Context, dir: string, options: HarvestFlags): Promise<void> {
  if (options.yes || (await Ledger.open(harvestPaths(dir, null).ledger).catch(() => undefined)) === undefined)
    return;
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
