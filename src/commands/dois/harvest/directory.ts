import type { Context } from '../../../cli/context.ts';
import { checkFolder } from '../../../disk/folders.ts';
import { usageError } from '../../../errors.ts';
import type { LocalHost } from '../../../harvest/copy/options.ts';
import { noHarvest, readLedgers } from '../../../harvest/store/ledger.ts';
import type { LedgerData } from '../../../harvest/store/ledger-data.ts';
import { Progress } from '../../../ui/progress.ts';

/** @param first what is shown before there is anything to count. */
export async function withProgress<T>(
  context: Context,
  work: (host: LocalHost, progress: Progress) => Promise<T>,
  first?: string,
): Promise<T> {
  const progress = await Progress.start(context, false, first);
  const host: LocalHost = {
    signal: context.host.signal,
    now: context.host.now,
    note: (text) => context.messages.note(text),
    progress: (records, total) => progress.update(records, total),
  };
  return work(host, progress).finally(() => progress.stop());
}

/** What work on a copy shows at its beginning, where it asks the service for nothing. */
export const READING = 'reading the copy';

/**
 * @throws {CliError} kind `usage` when no directory is named, or something else is in its place.
 */
export async function directoryOf({ dir }: { readonly dir?: string }): Promise<string> {
  if (dir === undefined) throw usageError('a harvest needs a directory', 'add --dir <directory>');
  await checkFolder(dir);
  return dir;
}

/**
 * The ledgers of a directory, those of all shards. @throws {CliError} kind `usage` when there is
 * none.
 */
export async function ledgersOf(dir: string): Promise<LedgerData[]> {
  const ledgers = await readLedgers(dir);
  if (ledgers.length === 0) throw noHarvest(dir);
  return ledgers;
}
