import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import { copyStatus } from '../../../core/copy-status.ts';
import { CliError } from '../../../errors.ts';
import { damageSummary, repairHint } from '../../../harvest/copy/damage.ts';
import { harvestPaths, unknownFiles } from '../../../harvest/store/directory.ts';
import type { LedgerData } from '../../../harvest/store/ledger-data.ts';
import { ONLY_FRESH, type Receipt } from '../../../harvest/store/receipt.ts';
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
  const status = await copyStatus(dir, check, context.host.signal);
  const { ledgers, receipts, missingShards, isComplete } = status;
  if (options.format === 'json') {
    const verdict = isComplete ? 'complete' : 'incomplete';
    const summary = { verdict, missingShards, receipts };
    await context.out.write(`${JSON.stringify(summary, null, 2)}\n`);
  } else await context.out.write(receipts.map((receipt) => asText(context, receipt)).join('\n'));
  await warnAboutOthers(context, dir, ledgers);
  if (isComplete) {
    const command = context.suggest('dois', 'harvest', 'status', '--dir', dir, '--check');
    if (!check && options.format === 'text') {
      context.messages.note(
        `the sizes of all files are right; to read the files as well: ${command}`,
      );
    }
    return;
  }
  const [why, hint] = reasonOf(context, dir, check, status);
  throw new CliError('incomplete', `the harvest is not complete${why}`, { hint });
}

/** Why a copy is not complete, and what to do. */
function reasonOf(
  context: Context,
  dir: string,
  check: boolean,
  { damages, mixed, missingShards: [shard], ledgers }: Awaited<ReturnType<typeof copyStatus>>,
): readonly [why: string, hint: string] {
  if (damages.length > 0) return [`: ${damageSummary(damages)}`, repairHint(check)];
  if (mixed !== undefined) return [`: ${mixed}`, ONLY_FRESH];
  if (shard !== undefined)
    return [`: shard ${shard} has not been started`, `the same harvest with --shard ${shard}`];
  if (ledgers.some(({ shard }) => shard !== null)) return ['', 'run the same harvest again'];
  return ['', context.suggest('dois', 'harvest', '--dir', dir)];
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
