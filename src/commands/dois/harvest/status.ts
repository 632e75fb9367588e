import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { harvestPaths } from '../../../harvest/store/directory.ts';
import { Ledger, noHarvest, readLedgers } from '../../../harvest/store/ledger.ts';
import { buildReceipt, type Receipt } from '../../../harvest/store/receipt.ts';
import { visible } from '../../../text/redact.ts';
import { number } from '../../../text/words.ts';
import { directoryOf } from './harvest.ts';

/**
 * Prints what a directory holds, according to its ledgers.
 * @throws {CliError} kind `incomplete` when not every generation is complete.
 */
export async function statusCommand(
  context: Context,
  options: { readonly dir?: string; readonly format: 'text' | 'json' },
): Promise<void> {
  const receipts = await receiptsOf(directoryOf(options));
  const missing = missingShards(receipts);
  const complete = missing.length === 0 && receipts.every(({ verdict }) => verdict === 'complete');
  if (options.format === 'json') {
    const summary = { verdict: complete ? 'complete' : 'incomplete', missingShards: missing, receipts };
    await context.out.write(`${JSON.stringify(summary, null, 2)}\n`);
  } else await context.out.write(receipts.map(asText).join('\n'));
  if (complete) return;
  const [shard] = missing;
  const what = shard === undefined ? '' : `: shard ${shard} has not been started`;
  throw new CliError('incomplete', `the harvest is not complete${what}`, {
    hint: shard === undefined ? 'run the same harvest again' : `the same harvest with --shard ${shard}`,
  });
}

/** The shards, such as `2/4`, that have not been started. */
function missingShards(receipts: readonly Receipt[]): string[] {
  const of = receipts[0]?.shard?.of ?? 0;
  const started = new Set(receipts.map(({ shard }) => shard?.index));
  return Array.from({ length: of }, (_, index) => index + 1)
    .filter((index) => !started.has(index))
    .map((index) => `${index}/${of}`);
}

/**
 * The current receipts of all generations of a directory, including those of all shards.
 * @throws {CliError} kind `usage` when there is no harvest, `incomplete` when none of its shards has been
 *   started.
 */
async function receiptsOf(dir: string): Promise<Receipt[]> {
  const receipts = (await readLedgers(dir)).flatMap((data) =>
    data.generations.map((generation) => buildReceipt(data, generation)),
  );
  if (receipts.length > 0) return receipts;
  if ((await Ledger.open(harvestPaths(dir, null).plan)) !== undefined) {
    throw new CliError('incomplete', `there is only a plan in ${dir}`, {
      hint: 'the same command with --shard 1/<n> instead of --plan, for each shard',
    });
  }
  throw noHarvest(dir);
}

function asText(receipt: Receipt): string {
  const { query, shard, totalAtEnd } = receipt;
  const where = shard ? `, shard ${shard.index} of ${shard.of}` : '';
  const atEnd = totalAtEnd === null ? '' : `, ${number(totalAtEnd)} at the end`;
  const lines: [string, string | null][] = [
    ['Generation', `${receipt.generation} (${receipt.kind}${where})`],
    ['Verdict', receipt.verdict],
    ...receipt.reasons.map((reason): [string, string] => ['', reason]),
    ['Service', query.baseUrl],
    ['Account', query.account ?? 'anonymous'],
    ['Query', query.params.map(([name, value]) => `${name}=${value}`).join(' ')],
    ['Since', receipt.since],
    ['As of', receipt.asOf],
    ['Started', receipt.startedAt],
    ['Finished', receipt.finishedAt ?? 'not yet'],
    ['Records', number(receipt.records)],
    ['Unique', receipt.uniqueDois === null ? 'not known yet' : number(receipt.uniqueDois)],
    ['Total', `${number(receipt.totalAtStart)}${atEnd}`],
    ['Files', `${number(receipt.parts.length)}, ${number(receipt.bytes)} bytes`],
    ['Retries', number(receipt.retries)],
  ];
  return lines
    .flatMap(([name, value]) => (value === null ? [] : `${name.padEnd(12)}${visible(value)}\n`))
    .join('');
}
