import { CliError } from '../errors.ts';
import { mixedForms } from '../harvest/copy/copy-form.ts';
import { type Damage, damageSummary, findDamage } from '../harvest/copy/damage.ts';
import { harvestPaths } from '../harvest/store/directory.ts';
import { Ledger, noHarvest, readLedgers } from '../harvest/store/ledger.ts';
import type { LedgerData } from '../harvest/store/ledger-data.ts';
import { buildReceipt, type Receipt, withReason } from '../harvest/store/receipt.ts';

/**
 * The state of a copy, by its ledgers and its part files.
 * @param check whether to read all files back.
 */
export async function copyStatus(dir: string, check: boolean, signal: AbortSignal) {
  const ledgers = await startedLedgers(dir);
  const damages: Damage[] = [];
  for (const data of ledgers) damages.push(...(await findDamage(data, dir, check, signal)));
  const mixed = await mixedForms(dir, ledgers);
  const receipts = withMixed(
    ledgers.flatMap((data) => receiptsWith(data, damages)),
    mixed,
  );
  const missingShards = shardsWithout(receipts);
  const isComplete =
    missingShards.length === 0 && receipts.every(({ verdict }) => verdict === 'complete');
  return { ledgers, damages, mixed, receipts, missingShards, isComplete };
}

function shardsWithout(receipts: readonly Receipt[]): string[] {
  const of = receipts[0]?.shard?.of ?? 0;
  const started = new Set(receipts.map(({ shard }) => shard?.index));
  return Array.from({ length: of }, (_, index) => index + 1)
    .filter((index) => !started.has(index))
    .map((index) => `${index}/${of}`);
}

async function startedLedgers(dir: string): Promise<LedgerData[]> {
  const ledgers = await readLedgers(dir);
  if (ledgers.length > 0) return ledgers;
  if ((await Ledger.open(harvestPaths(dir, null).plan)) !== undefined) {
    throw new CliError('incomplete', `there is only a plan in ${dir}`, {
      hint: 'the same command with --shard 1/<n> instead of --plan, for each shard',
    });
  }
  throw noHarvest(dir);
}

function receiptsWith(data: LedgerData, damages: readonly Damage[]): Receipt[] {
  return data.generations.map((generation) => {
    const receipt = buildReceipt(data, generation);
    const damaged = damages.filter((damage) => damage.generation === generation);
    return damaged.length === 0 ? receipt : withReason(receipt, damageSummary(damaged));
  });
}

/** The latest receipt also says that the copy has two forms, unless it does already. */
function withMixed(receipts: readonly Receipt[], mixed: string | undefined): readonly Receipt[] {
  const latest = receipts.at(-1);
  const isSaid = receipts.some(({ reasons }) => mixed === undefined || reasons.includes(mixed));
  if (latest === undefined || mixed === undefined || isSaid) return receipts;
  return [...receipts.slice(0, -1), withReason(latest, mixed)];
}
