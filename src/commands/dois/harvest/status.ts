import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import { CliError } from '../../../errors.ts';
import { mixedForms } from '../../../harvest/copy/copy-form.ts';
import {
  type Damage,
  damageSummary,
  findDamage,
  repairHint,
} from '../../../harvest/copy/damage.ts';
import { harvestPaths, unknownFiles } from '../../../harvest/store/directory.ts';
import { Ledger, noHarvest, readLedgers } from '../../../harvest/store/ledger.ts';
import type { LedgerData } from '../../../harvest/store/ledger-data.ts';
import {
  buildReceipt,
  ONLY_FRESH,
  type Receipt,
  withReason,
} from '../../../harvest/store/receipt.ts';
import { visible } from '../../../text/redact.ts';
import { shellWords } from '../../../text/shell-word.ts';
import { ago, firstNames, number } from '../../../text/words.ts';
import { wrap } from '../../../ui/width.ts';
import { directoryOf } from './directory.ts';
import type { status } from './index.ts';
import { filterWords } from './query.ts';

/** Prints the state of a directory, from its ledgers and its part files. */
export async function statusCommand(
  context: Context,
  options: OptionsOf<typeof status>,
): Promise<void> {
  const dir = await directoryOf(options);
  const check = options.check === true;
  const ledgers = await startedLedgers(dir);
  const damages: Damage[] = [];
  for (const data of ledgers)
    damages.push(...(await findDamage(data, dir, check, context.host.signal)));
  const mixed = await mixedForms(dir, ledgers);
  const receipts = withMixed(
    ledgers.flatMap((data) => receiptsWith(data, damages)),
    mixed,
  );
  const missing = missingShards(receipts);
  const complete = missing.length === 0 && receipts.every(({ verdict }) => verdict === 'complete');
  if (options.format === 'json') {
    const summary = {
      verdict: complete ? 'complete' : 'incomplete',
      missingShards: missing,
      receipts,
    };
    await context.out.write(`${JSON.stringify(summary, null, 2)}\n`);
  } else await context.out.write(receipts.map((receipt) => asText(context, receipt)).join('\n'));
  await warnAboutOthers(context, dir, ledgers);
  if (complete) {
    const command = context.suggest('dois', 'harvest', 'status', '--dir', dir, '--check');
    if (!check && options.format === 'text') {
      context.messages.note(
        `the sizes of all files are right; to read the files as well: ${command}`,
      );
    }
    return;
  }
  const [shard] = missing;
  if (damages.length > 0) {
    throw new CliError('incomplete', `the harvest is not complete: ${damageSummary(damages)}`, {
      hint: repairHint(check),
    });
  }
  if (mixed !== undefined)
    throw new CliError('incomplete', `the harvest is not complete: ${mixed}`, { hint: ONLY_FRESH });
  if (shard !== undefined) {
    throw new CliError(
      'incomplete',
      `the harvest is not complete: shard ${shard} has not been started`,
      { hint: `the same harvest with --shard ${shard}` },
    );
  }
  const isSharded = ledgers.some(({ shard }) => shard !== null);
  throw new CliError('incomplete', 'the harvest is not complete', {
    hint: isSharded
      ? 'run the same harvest again'
      : context.suggest('dois', 'harvest', '--dir', dir),
  });
}

/** Warns of files that other programs would read as parts. A running harvest may begin new ones. */
async function warnAboutOthers(
  { messages }: Context,
  dir: string,
  ledgers: readonly LedgerData[],
): Promise<void> {
  const others = await unknownFiles(dir, ledgers);
  if (others.length === 0) return;
  const names = firstNames(others);
  const { data } = harvestPaths(dir, null);
  messages.warn(`${data} also holds files that are not part of the copy: ${names}`);
}

function missingShards(receipts: readonly Receipt[]): string[] {
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

const LABEL = 12;

function asText({ host }: Context, receipt: Receipt): string {
  const when = (time: string) => (host.terminal.stdout ? ago(time, host.now()) : time);
  const { query, shard, totalAtEnd } = receipt;
  const where = shard ? `, shard ${shard.index} of ${shard.of}` : '';
  const atEnd = totalAtEnd === null ? '' : `, ${number(totalAtEnd)} at its end`;
  const lines: [string, string | null][] = [
    ['Generation', `${receipt.generation} (${receipt.kind}${where})`],
    ['Verdict', receipt.verdict],
    ...receipt.reasons.map((reason): [string, string] => ['', reason]),
    ['Service', query.baseUrl],
    ['Account', query.account ?? 'anonymous'],
    ['Query', shellWords(filterWords(query)) || 'all DOIs'],
    ['Since', receipt.since],
    ['As of', receipt.asOf],
    ['Started', when(receipt.startedAt)],
    ['Finished', when(receipt.finishedAt ?? 'not yet')],
    ['Records', number(receipt.records)],
    ['Unique', receipt.uniqueDois === null ? 'not known yet' : number(receipt.uniqueDois)],
    ['Total', `${number(receipt.totalAtStart)} at the start of the run${atEnd}`],
    ['Files', `${number(receipt.parts.length)}, ${number(receipt.bytes)} bytes`],
    ['Retries', number(receipt.retries)],
  ];
  const { stdout, columns } = host.terminal;
  const room = stdout && columns > 0 ? columns - LABEL : Number.POSITIVE_INFINITY;
  return lines
    .flatMap(([name, value]) =>
      value === null
        ? []
        : wrap(visible(value), room).map(
            (line, index) => `${(index === 0 ? name : '').padEnd(LABEL)}${line}\n`,
          ),
    )
    .join('');
}
