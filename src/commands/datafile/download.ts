import type { Context } from '../../cli/context.ts';
import { type Amount, download } from '../../datafile/download.ts';
import { keyMatcher } from '../../datafile/object-keys.ts';
import { checkFolder } from '../../disk/folders.ts';
import { CliError } from '../../errors.ts';
import { counted, number } from '../../text/words.ts';
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
  await checkFolder(flags.dir);
  const bucket = await openBucket(context, flags);
  const intervalMs = host.terminal.stderr ? 5000 : 30_000;
  let last = host.now();
  const progress = (done: Amount, all: Amount) => {
    if (host.now() - last < intervalMs) return;
    last = host.now();
    messages.status(
      `${bytes(done.bytes)} of ${bytes(all.bytes)}, ${number(done.files)} of ${counted(all.files, 'file')}`,
    );
  };
  const { all, downloaded, unverified, unread, failures } = await download(bucket, {
    dir: flags.dir,
    jobs: flags.jobs,
    check: flags.check === true,
    wanted: keyMatcher(flags.include ?? []),
    signal: host.signal,
    now: host.now,
    note: (text) => messages.note(text),
    onFailure: (error) => messages.errorLine(error.message),
    progress,
    onFile: async ({ key, size }, path, { outcome, verified }) => {
      if (host.terminal.stdout) return;
      await context.out.write(`${JSON.stringify({ key, path, size, outcome, verified })}\n`);
    },
  });
  if (unverified > 0) {
    messages.warn(
      `of ${counted(unverified, 'file')} only the size could be checked: nothing tells a checksum`,
    );
  }
  const [first] = failures;
  if (first !== undefined) {
    const message = `${failures.length} of ${counted(all.files, 'file')} could not be downloaded`;
    throw new CliError('rejected', message, {
      hint: first.hint ?? 'run the same command again; it continues',
    });
  }
  const present = all.files - downloaded;
  const there = present === 0 ? '' : `, ${number(present)} already present`;
  const how = unread === 0 ? '' : ' by size and time; --check compares their content';
  messages.note(`${counted(downloaded, 'file')} downloaded${there}${how} (${bytes(all.bytes)} in all)`);
}

function bytes(count: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = Math.max(0, count);
  while (value >= 1000 && units.length > 1) {
    value /= 1000;
    units.shift();
  }
  return `${units[0] === 'bytes' ? value : value.toFixed(1)} ${units[0]}`;
}
