import { CliError } from '../../errors.ts';
import { noHarvest } from '../store/ledger.ts';
import type { LedgerData } from '../store/ledger-data.ts';
import { isSettled } from '../store/receipt.ts';
import { sameQuery } from './verify.ts';

/**
 * The first ledger of a copy that lacks at most records that the service cannot send.
 * @throws {CliError} kind `usage` without a copy, kind `incomplete` for one that is not complete.
 */
export function settled(dir: string, ledgers: readonly LedgerData[]): LedgerData {
  const [first] = ledgers;
  if (first === undefined) throw noHarvest(dir);
  sameQuery(ledgers);
  const isSettledAll = ledgers.every(
    ({ generations }) => generations.length > 0 && generations.every(isSettled),
  );
  if (isSettledAll && ledgers.length === (first.shard?.of ?? 1)) return first;
  throw new CliError('incomplete', `the harvest in ${dir} is not complete`, {
    hint: 'run the same harvest again to its end',
  });
}
