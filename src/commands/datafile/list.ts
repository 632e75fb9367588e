import type { Context } from '../../cli/context.ts';
import { printRows } from '../../cli/print-rows.ts';
import type { BucketObject } from '../../datafile/listing.ts';
import { keyMatcher } from '../../datafile/object-keys.ts';
import { CliError } from '../../errors.ts';
import { number } from '../../text/words.ts';
import { type BucketFlags, openBucket } from './service.ts';

interface ListFlags extends BucketFlags {
  readonly format?: 'table' | 'ndjson' | 'json';
}

const LAYOUT = {
  columns: [
    { name: 'size', rank: 1 },
    { name: 'modified', isTime: true, rank: 2, least: 14 },
    { name: 'key', least: 30 },
  ],
  cells: ({ size, lastModified, key }: BucketObject) => [number(size), lastModified, key],
};

/**
 * Prints the files of the data file in the order of the bucket.
 * @throws {CliError} kind `not-found` if there are none, or none that match.
 */
export async function listCommand(context: Context, flags: ListFlags): Promise<void> {
  const bucket = await openBucket(context);
  const wanted = keyMatcher(flags.include ?? []);
  const format = flags.format ?? (context.host.terminal.stdout ? 'table' : 'ndjson');
  const objects: BucketObject[] = [];
  let count = 0;
  for await (const page of bucket.list()) {
    const found = page.filter(({ key }) => wanted(key));
    count += found.length;
    if (format === 'ndjson') await printRows(context, format, found, LAYOUT);
    else for (const object of found) objects.push(object);
  }
  if (format !== 'ndjson') await printRows(context, format, objects, LAYOUT);
  if (count === 0) throw new CliError('not-found', 'the bucket holds no such files');
}
