import type { Context } from '../../../cli/context.ts';
import { printTable } from '../../../cli/print-rows.ts';
import type { RowWriter } from '../../../formats/output/row-writer.ts';
import { type Finding, withoutIndices, withoutValues } from '../../../metadata/findings.ts';
import { number } from '../../../text/words.ts';

/** Further kinds are counted together, so that records of any content take little memory. */
const MOST_KINDS = 1000;
const OTHERS = JSON.stringify(['', '', 'other findings']);

const COLUMNS = [
  { name: 'records', least: 7 },
  { name: 'severity', least: 8 },
  { name: 'path', least: 20, wraps: true },
  { name: 'finding', least: 20, wraps: true },
];

/** Counts the records with each kind of finding, and prints a table of them at the end. */
export function kindTable(context: Context): RowWriter<{ readonly findings: readonly Finding[] }> {
  const counts = new Map<string, number>();
  return {
    async write(rows) {
      for (const { findings } of rows) {
        const isFull = counts.size >= MOST_KINDS;
        const kinds = findings
          .map(kindOf)
          .map((kind) => (isFull && !counts.has(kind) ? OTHERS : kind));
        for (const kind of new Set(kinds)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
    },
    async end() {
      const kinds = [...counts].toSorted(([, a], [, b]) => b - a);
      const rows = kinds.map(([kind, count]) => [number(count), ...(JSON.parse(kind) as string[])]);
      if (rows.length > 0) await printTable(context, COLUMNS, rows);
    },
  };
}

/** A finding without its values and its places in lists. */
function kindOf({ severity, path, message }: Finding): string {
  return JSON.stringify([severity, withoutIndices(path), withoutValues(message)]);
}
