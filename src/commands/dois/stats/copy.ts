import { CurrentRecords, partsOf } from '../../../harvest/store/current-records.ts';
import { harvestPaths } from '../../../harvest/store/directory.ts';
import type { LedgerData } from '../../../harvest/store/ledger-data.ts';
import { recordIn } from '../../../harvest/store/read-part.ts';
import type { JsonObject } from '../../../text/json-values.ts';
import type { CompletenessCounter } from './completeness.ts';
import type { CopyFilter } from './copy-filter.ts';
import { dimension, valuesIn } from './dimensions.ts';
import { type Group, groupOf, type Stats } from './groups.ts';

interface Counter {
  add(record: JsonObject): void;
  group(): Group;
}

// A record with any number of licenses must not fill the memory.
const MOST_VALUES = 100_000;

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
  completeness?: CompletenessCounter,
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
        completeness?.add(record);
      };
      await current.readPart(part, count, signal);
      onRecords(read);
    }
  }
  return { total, groups: counters.map((counter) => counter.group()) };
}

function counterOf(by: string): Counter {
  const counts = new Map<string, number>();
  let [none, others] = [0, 0];
  return {
    add(record) {
      const values = valuesIn(record, dimension(by));
      if (values.size === 0) none += 1;
      for (const value of values) {
        const known = counts.get(value);
        if (known === undefined && counts.size >= MOST_VALUES) others += 1;
        else counts.set(value, (known ?? 0) + 1);
      }
    },
    group() {
      const { years, title = (id: string) => id } = dimension(by);
      const byCount = [...counts].map(([id, count]) => ({ id, title: title(id), count }));
      // As the service orders them: the latest years first, other values by their counts.
      byCount.sort((a, b) =>
        years ? Number(b.id) - Number(a.id) : b.count - a.count || (a.id < b.id ? -1 : 1),
      );
      return groupOf(by, byCount, { others, none });
    },
  };
}
