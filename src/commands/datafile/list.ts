import type { Context } from '../../cli/context.ts';
import { printRows } from '../../cli/print-rows.ts';
import { matcher } from '../../datafile/keys.ts';
import type { BucketObject } from '../../datafile/listing.ts';
import { CliError } from '../../errors.ts';
import { number } from '../../text/words.ts';
import { openBucket, type PlaceFlags } from './service.ts';

export interface ListFlags extends PlaceFlags {
  readonly format?: 'table' | 'ndjson' | 'json';
}

const LAYOUT = {
  columns: ['size', 'modified', 'key'],
  cells: ({ size, lastModified, key }: BucketObject) => [number(size), lastModified, key],
};

/**
 * Prints the files of the data file in the order of the bucket.
 * @throws {CliError} kind `not-found` when a pattern matches none of them.
 */
export async function listCommand(context: Context, flags: ListFlags): Promise<void> {
  const bucket = await openBucket(context, flags);
  const wanted = matcher(flags.include ?? []);
  const format = flags.format ?? (context.host.terminal.stdout ? 'table' : 'ndjson');
  const objects: BucketObject[] = [];
  let count = 0;
  for await (const page of bucket.list()) {
    const found = page.filter(({ key }) => wanted(key));
    count += found.length;
    if (format === 'ndjson') await printRows(context, format, found, LAYOUT);
    else objects.push(...found);
  }
  if (format !== 'ndjson') await printRows(context, format, objects, LAYOUT);
  if (count === 0) throw new CliError('not-found', 'the bucket holds no such files');
}
