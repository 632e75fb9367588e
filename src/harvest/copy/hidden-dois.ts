import { registeredDois } from '../../datafile/registered.ts';
import { usageError } from '../../errors.ts';
import { valueAt } from '../../text/json-values.ts';
import { CurrentRecords, partsOf } from '../store/current-records.ts';
import { harvestPaths } from '../store/directory.ts';
import type { LedgerData } from '../store/ledger-data.ts';
import { recordIn } from '../store/read-part.ts';
import type { LocalHost } from './options.ts';
import { sameQuery } from './verify.ts';

const DAY_MS = 86_400_000;

/** What the tables of a data file say about a copy. */
interface HiddenDois {
  /** DOIs of the copy that were hidden after its record was read, sorted. */
  readonly surplus: readonly string[];
  readonly here: number;
}

/**
 * Finds the DOIs that a copy has as Findable, and the tables of a data file as Registered since. A
 * DOI that is in no table proves nothing: up to a thousand may be missing (service.md, D7).
 * @throws {CliError} kind `usage` for a copy that also has Registered DOIs, and for a data file
 *   that is incomplete or damaged.
 */
export async function findHidden(
  host: LocalHost,
  dir: string,
  ledgers: readonly LedgerData[],
  datafile: string,
): Promise<HiddenDois> {
  requireFindable(dir, sameQuery(ledgers));
  const registered = await registeredDois(datafile, hiddenSince(ledgers), host.signal);
  const parts = partsOf(harvestPaths(dir, null), ledgers);
  const total = parts.reduce((sum, { records }) => sum + records, 0);
  const current = await CurrentRecords.read(parts, host.signal);
  const surplus: string[] = [];
  let here = 0;
  for (const part of parts) {
    const compare = (doi: string, line: Buffer) => {
      here += 1;
      const hidden = registered.get(doi);
      if (hidden === undefined) return;
      const updated = valueAt(recordIn(line, part.path), ['attributes', 'updated']);
      if (Date.parse(String(updated)) <= hidden) surplus.push(doi);
    };
    await current.readPart(part, compare, host.signal);
    host.progress(here, total);
  }
  return { surplus: surplus.sort(), here };
}

/** Other copies get the changes of Registered DOIs with their updates. */
function requireFindable(dir: string, { account, params }: LedgerData['query']): void {
  if (account === null || params.some(([name, value]) => name === 'state' && value === 'findable'))
    return;
  throw usageError(
    `${dir} also has Registered DOIs: an update has their changes`,
    'run the same harvest again, or verify it without --from',
  );
}

/** When the first DOI of a copy may have been hidden, in milliseconds. */
function hiddenSince(ledgers: readonly LedgerData[]): number {
  const times = ledgers.map(({ generations: [first] }) => {
    if (first?.kind === 'full') return Date.parse(first.startedAt) - DAY_MS;
    // The records of a compact generation are older.
    return first?.kind === 'datafile' ? Date.parse(first.asOf ?? '') : Number.NEGATIVE_INFINITY;
  });
  return Math.min(...times);
}
