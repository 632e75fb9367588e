import type { CopyPart } from '../../harvest/store/current-records.ts';
import { type PartRecord, recordIn } from '../../harvest/store/read-part.ts';
import type { CopyFilter } from './copy-filter.ts';
import { counterOf } from './counter.ts';
import type { Stats } from './groups.ts';

/**
 * Counts the current records of a copy. Memory holds one chunk of a file, the DOIs of updates, and
 * the different values.
 */
export async function countCopy(
  records: AsyncIterable<PartRecord<CopyPart>>,
  names: readonly string[],
  { matches }: Pick<CopyFilter, 'matches'>,
  onRecords: (count: number) => void,
): Promise<Stats> {
  const counters = names.map(counterOf);
  let total = 0;
  let read = 0;
  for await (const { line, part } of records) {
    read += 1;
    onRecords(read);
    const record = recordIn(line, part.path);
    if (!matches(record)) continue;
    total += 1;
    for (const counter of counters) counter.add(record);
  }
  return { total, groups: counters.map((counter) => counter.group()) };
}
