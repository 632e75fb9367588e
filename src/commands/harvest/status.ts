import type { Context } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { ledgerFiles } from '../../harvest/disk/directory.ts';
import { Ledger } from '../../harvest/disk/ledger.ts';
import { buildReceipt, type Receipt } from '../../harvest/disk/receipt.ts';
import { number } from '../../harvest/verdict.ts';
import { visible } from '../../redact.ts';
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
  const receipts = await receiptsOf(directoryOf(options));
  const incomplete = receipts.filter(({ verdict }) => verdict === 'incomplete');
  await context.out.write(
    options.format === 'json'
      ? `${JSON.stringify({ verdict: incomplete.length === 0 ? 'complete' : 'incomplete', receipts }, null, 2)}\n`
      : receipts.map(described).join('\n'),
  );
  if (incomplete.length > 0) {
    throw new CliError('incomplete', 'the harvest is not complete', { hint: 'run the same harvest again' });
  }
}

/**
 * The receipts of all generations of a directory, those of all shards included, as they stand now.
 * @throws {CliError} kind `usage` when there is no harvest.
 */
export async function receiptsOf(dir: string): Promise<Receipt[]> {
  const ledgers = await Promise.all((await ledgerFiles(dir)).map((path) => Ledger.open(path)));
  const receipts = ledgers.flatMap((ledger) =>
    ledger === undefined
      ? []
      : ledger.data.generations.map((generation) => buildReceipt(ledger.data, generation)),
  );
  if (receipts.length === 0)
    throw usageError(`there is no harvest in ${dir}`, 'doi-cli dois harvest --dir <directory>');
  return receipts;
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
