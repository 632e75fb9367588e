import type { Context } from '../../cli/context.ts';
import { download } from '../../datafile/download.ts';
import { keyMatcher } from '../../datafile/object-keys.ts';
import { checkFolder } from '../../disk/folders.ts';
import { CliError } from '../../errors.ts';
import { counted, formatBytes, number } from '../../text/words.ts';
import { type BucketFlags, openBucket } from './service.ts';

interface DownloadFlags extends BucketFlags {
  readonly dir: string;
  readonly jobs: number;
  readonly check?: boolean;
}

/**
 * Downloads files of the data file, and prints one line of JSON for each unless stdout is a terminal.
 * @throws {CliError} kind `rejected` if files could not be downloaded; else the error that stopped the run.
 */
export async function downloadCommand(context: Context, flags: DownloadFlags): Promise<void> {
  const { host, messages } = context;
  const { dir, jobs, check = false, include = [] } = flags;
  await checkFolder(dir);
  const bucket = await openBucket(context);
  const intervalMs = host.terminal.stderr ? 5000 : 30_000;
  let last = host.now();
  let [allBytes, all, doneBytes, downloaded, unread, unverified] = [0, 0, 0, 0, 0, 0];
  const failures: CliError[] = [];
  await download(bucket, {
    ...{ dir, jobs, check, wanted: keyMatcher(include) },
    ...{ signal: host.signal, now: host.now, note: (text) => messages.note(text) },
    onStart: (objects) => {
      all = objects.length;
      allBytes = objects.reduce((sum, { size }) => sum + size, 0);
    },
    onFile: async ({ object: { key, size }, path, outcome, verified }) => {
      doneBytes += size;
      if (outcome === 'downloaded') downloaded += 1;
      if (!verified && outcome === 'present' && !check) unread += 1;
      else if (!verified) unverified += 1;
      if (host.now() - last >= intervalMs) {
        last = host.now();
        messages.status(`${formatBytes(doneBytes)} of ${formatBytes(allBytes)}, ${counted(all, 'file')}`);
      }
      if (host.terminal.stdout) return;
      await context.out.write(`${JSON.stringify({ key, path, size, outcome, verified })}\n`);
    },
    onFailure: (error) => {
      failures.push(error);
      messages.errorLine(error.message);
    },
  });
  if (unverified > 0) {
    messages.warn(
      `of ${counted(unverified, 'file')} only the size could be checked: nothing tells a checksum`,
    );
  }
  const [first] = failures;
  if (first !== undefined) {
    const message = `${failures.length} of ${counted(all, 'file')} could not be downloaded`;
    throw new CliError('rejected', message, {
      hint: first.hint ?? 'run the same command again; it continues',
    });
  }
  const present = all - downloaded;
  const there = present === 0 ? '' : `, ${number(present)} already present`;
  const how = unread === 0 ? '' : ' by size and time; --check compares their content';
  messages.note(`${counted(downloaded, 'file')} downloaded${there}${how} (${formatBytes(allBytes)} in all)`);
}
