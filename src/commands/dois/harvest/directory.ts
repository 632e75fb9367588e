import type { Context } from '../../../cli/context.ts';
import { checkFolder } from '../../../disk/folders.ts';
import { usageError } from '../../../errors.ts';
import type { LocalHost } from '../../../harvest/copy/options.ts';
import { Progress } from '../../../ui/progress.ts';

/** @param first the text before there are counts. */
export async function withProgress<T>(
  context: Context,
  work: (host: LocalHost, progress: Progress) => Promise<T>,
  first?: string,
): Promise<T> {
  const progress = await Progress.start(context, false, first);
  const host: LocalHost = {
    signal: context.host.signal,
    now: context.host.now,
    note: context.messages.note,
    progress: (records, total) => progress.update(records, total),
  };
  return work(host, progress).finally(() => progress.stop());
}

/** The first text for work on a copy that sends no requests. */
export const READING = 'reading the copy';

/** @throws {CliError} kind `usage` without a directory, or if the path is no directory. */
export async function directoryOf({ dir }: { readonly dir?: string }): Promise<string> {
  if (dir === undefined) throw usageError('a harvest needs a directory', 'add --dir <directory>');
  await checkFolder(dir);
  return dir;
}
