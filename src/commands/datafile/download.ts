import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { forEachLimited } from '../../concurrency/promises.ts';
import { type Fetched, fetchObject } from '../../datafile/fetch-object.ts';
import { readManifest } from '../../datafile/manifest.ts';
import { LOCK_NAME, pathForKey } from '../../datafile/object-keys.ts';
import { checkFolder, makeFolder } from '../../disk/folders.ts';
import { withDirectoryLock } from '../../disk/lock/lock.ts';
import { CliError, ClosedPipe, CONTINUE_HINT, toCliError } from '../../errors.ts';
import { counted, formatBytes, number } from '../../text/words.ts';
import { Progress } from '../../ui/progress.ts';
import { listFiles, openBucket } from './datafile.ts';

interface DownloadFlags {
  readonly include?: readonly string[];
  readonly dir: string;
  readonly jobs: number;
  readonly check?: boolean;
}

interface Done extends Fetched {
  readonly size: number;
}

/**
 * Downloads files, several at once. A failure that concerns more than one file stops it; complete
 * files stay.
 */
export async function downloadCommand(
  context: Context,
  { dir, jobs, check = false, include }: DownloadFlags,
): Promise<void> {
  const { host, messages } = context;
  const { note } = messages;
  await checkFolder(dir);
  const bucket = await openBucket(context);
  // A key that ends in a slash is a folder. Keys are made unique, because two jobs must not write
  // the same file.
  const listed = (await listFiles(context, bucket, include)).filter(
    ({ key }) => !key.endsWith('/'),
  );
  const objects = [...new Map(listed.map((object) => [object.key, object])).values()];
  const files = objects.map((object) => ({ object, path: pathForKey(dir, object.key) }));
  const manifest = await readManifest(bucket);
  if (manifest.warning !== undefined) messages.warn(manifest.warning);
  await makeFolder(dir);
  const done: Done[] = [];
  const failures: CliError[] = [];
  const progress = await Progress.start(
    context,
    host.terminal.stdout,
    'looking for existing files',
    'file',
  );
  await withDirectoryLock({ signal: host.signal, note }, join(dir, LOCK_NAME), () =>
    forEachLimited(files, jobs, async ({ object, path }) => {
      host.signal.throwIfAborted();
      const { key, size } = object;
      try {
        const fetched = await fetchObject(bucket, object, path, {
          sha256: manifest.checksum(object),
          check,
          note,
        });
        done.push({ size, ...fetched });
        progress.update(done.length, files.length, bytesOf(done));
        if (host.terminal.stdout) return;
        await context.out.write(`${JSON.stringify({ key, path, size, ...fetched })}\n`);
      } catch (error) {
        if (error instanceof ClosedPipe && done.length < files.length) {
          const stopped = `stopped: ${done.length} of ${files.length} files are complete`;
          throw new CliError('incomplete', stopped, { hint: CONTINUE_HINT, cause: error });
        }
        const failure = toCliError(error);
        // A damaged, replaced or missing file does not affect the others.
        if (failure.kind !== 'rejected' && failure.kind !== 'not-found') throw error;
        failures.push(failure);
        messages.always(`error: ${failure.message}`);
      }
    }),
  ).finally(() => progress.stop());
  summarize(context, done, failures, check);
}

function summarize(
  { messages }: Context,
  done: readonly Done[],
  failures: readonly CliError[],
  check: boolean,
): void {
  const present = done.filter(({ outcome }) => outcome === 'present');
  const unread = check ? [] : present.filter(({ verified }) => !verified);
  const unverified = done.filter((each) => !each.verified && !unread.includes(each)).length;
  if (unverified > 0) {
    messages.warn(
      `of ${counted(unverified, 'file')} only the size could be checked: there is no checksum`,
    );
  }
  const [first] = failures;
  if (first !== undefined) {
    const all = counted(done.length + failures.length, 'file');
    throw new CliError('rejected', `${failures.length} of ${all} could not be downloaded`, {
      hint: first.hint ?? 'run the same command again',
    });
  }
  const there = present.length === 0 ? '' : `, ${number(present.length)} already present`;
  const how = unread.length === 0 ? '' : ' by size and time; --check compares their content';
  const downloaded = counted(done.length - present.length, 'file');
  messages.note(`${downloaded} downloaded${there}${how} (${bytesOf(done)} in all)`);
}

function bytesOf(files: readonly { readonly size: number }[]): string {
  return formatBytes(files.reduce((sum, { size }) => sum + size, 0));
}
