import type { Context } from '../../../cli/context.ts';
import { CliError, usageError } from '../../../errors.ts';
import { harvestPaths, ledgerFiles } from '../../../harvest/store/directory.ts';
import { Ledger } from '../../../harvest/store/ledger.ts';
import { buildReceipt, type Receipt } from '../../../harvest/store/receipt.ts';
import { visible } from '../../../text/redact.ts';
import { number } from '../../../text/words.ts';
import { directoryOf } from './harvest.ts';

export interface StatusFlags {
  readonly dir?: string;
  readonly format: 'text' | 'json';
}

/**
 * Says what a directory holds, by its ledgers.
 * @throws {CliError} kind `incomplete` when not every generation is complete.
 */
export async function statusCommand(context: Context, options: StatusFlags): Promise<void> {
  const dir = directoryOf(options);
  const receipts = await receiptsOf(dir);
  const missing = missingShards(receipts);
  const complete = missing.length === 0 && receipts.every(({ verdict }) => verdict === 'complete');
  const verdict = complete ? 'complete' : 'incomplete';
  await context.out.write(
    options.format === 'json'
      ? `${JSON.stringify({ verdict, missingShards: missing, receipts }, null, 2)}\n`
      : receipts.map(described).join('\n'),
  );
  if (complete) return;
  const [shard] = missing;
  const what = shard === undefined ? '' : `: shard ${shard} has not been started`;
  throw new CliError('incomplete', `the harvest is not complete${what}`, {
    hint: shard === undefined ? 'run the same harvest again' : `the same harvest with --shard ${shard}`,
  });
}

/** The shards, such as `2/4`, of which there is nothing yet. */
function missingShards(receipts: readonly Receipt[]): string[] {
  const of = receipts[0]?.shard?.of ?? 0;
  const there = new Set(receipts.map(({ shard }) => shard?.index));
  return Array.from({ length: of }, (_, index) => index + 1)
    .filter((index) => !there.has(index))
    .map((index) => `${index}/${of}`);
}

/**
 * The receipts of all generations of a directory, those of all shards included, as they stand now.
 * @throws {CliError} kind `usage` when there is no harvest, `incomplete` when none of its shards has been started.
 */
async function receiptsOf(dir: string): Promise<Receipt[]> {
  const ledgers = await Promise.all((await ledgerFiles(dir)).map((path) => Ledger.open(path)));
  const receipts = ledgers.flatMap((ledger) =>
    ledger === undefined
      ? []
      : ledger.data.generations.map((generation) => buildReceipt(ledger.data, generation)),
  );
  if (receipts.length > 0) return receipts;
  if ((await Ledger.open(harvestPaths(dir, null).plan)) !== undefined) {
    throw new CliError('incomplete', `there is only a plan in ${dir}`, {
      hint: 'the same command with --shard 1/<n> instead of --plan, for each shard',
    });
  }
  throw usageError(`there is no harvest in ${dir}`, 'doi-cli dois harvest --dir <directory>');
}

function described(receipt: Receipt): string {
  const { query, shard } = receipt;
  const lines: [string, string][] = [
    [
      'Generation',
      `${receipt.generation} (${receipt.kind}${shard ? `, shard ${shard.index} of ${shard.of}` : ''})`,
    ],
    ['Verdict', receipt.verdict],
    ...receipt.reasons.map((reason): [string, string] => ['', reason]),
    ['Service', query.baseUrl],
    ['Account', query.account ?? 'anonymous'],
    ['Query', query.params.map(([name, value]) => `${name}=${value}`).join(' ')],
    ...(receipt.since === null ? [] : ([['Since', receipt.since]] as [string, string][])),
    ...(receipt.asOf === null ? [] : ([['As of', receipt.asOf]] as [string, string][])),
    ['Started', receipt.startedAt],
    ['Finished', receipt.finishedAt ?? 'not yet'],
    ['Records', number(receipt.records)],
    ['Unique', receipt.uniqueDois === null ? 'not known yet' : number(receipt.uniqueDois)],
    [
      'Total',
      `${number(receipt.totalAtStart)}${receipt.totalAtEnd === null ? '' : `, ${number(receipt.totalAtEnd)} at the end`}`,
    ],
    ['Files', `${number(receipt.parts.length)}, ${number(receipt.bytes)} bytes`],
    ['Retries', number(receipt.retries)],
  ];
  return lines.map(([name, value]) => `${name.padEnd(12)}${visible(value)}\n`).join('');
}
