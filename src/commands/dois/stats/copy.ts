import { CurrentRecords, partsOf } from '../../../harvest/store/current-records.ts';
import { harvestPaths } from '../../../harvest/store/directory.ts';
import type { LedgerData } from '../../../harvest/store/ledger-data.ts';
import { recordIn } from '../../../harvest/store/read-part.ts';
import type { CopyFilter } from './copy-filter.ts';
import { counterOf } from './counter.ts';
import type { Stats } from './groups.ts';

/**
 * Counts the current records of a copy. Memory holds one chunk of a file, the DOIs of updates, and
 * the different values.
 */
export async function countCopy(
  dir: string,
  ledgers: readonly LedgerData[],
  names: readonly string[],
  { matches }: Pick<CopyFilter, 'matches'>,
  signal: AbortSignal,
  onRecords: (count: number) => void,
): Promise<Stats> {
  const counters = names.map(counterOf);
  let [total, read] = [0, 0];
  for (const ledger of ledgers) {
    const parts = partsOf(harvestPaths(dir, ledger.shard), [ledger]);
    const current = await CurrentRecords.read(parts, signal);
    for (const part of parts) {
      const count = (_: string, line: Buffer) => {
        read += 1;
        const record = recordIn(line, part.path);
        if (!matches(record)) return;
        total += 1;
        for (const counter of counters) counter.add(record);
      };
      await current.readPart(part, count, signal);
      onRecords(read);
    }
  }
  return { total, groups: counters.map((counter) => counter.group()) };
}
