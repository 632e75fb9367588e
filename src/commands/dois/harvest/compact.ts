import type { Context } from '../../../cli/context.ts';
import { compactHarvest } from '../../../harvest/copy/compact.ts';
import { formatDuration, number, plural } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import { directoryOf, type HarvestFlags, hostOf } from './harvest.ts';
import { refuseQuery } from './refuse-query.ts';
import { ledgersOf } from './verify.ts';

/**
 * Makes one generation of all those of a directory, or of each of its shards.
 * @throws {CliError} kind `incomplete` when there is something left to be fetched.
 */
export async function compactCommand(context: Context, options: HarvestFlags): Promise<void> {
  const dir = directoryOf(options);
  refuseQuery(options);
  const progress = await Progress.start(context, false);
  try {
    for (const { shard, generations } of await ledgersOf(dir)) {
      const { records, generation, parts, reasons } = await compactHarvest(
        hostOf(context, progress),
        dir,
        shard,
      );
      const where = shard === null ? '' : `shard ${shard.index} of ${shard.of}: `;
      const what = `${number(records)} ${plural(records, 'DOI')} in ${number(parts.length)} ${plural(parts.length, 'file')}`;
      context.messages.note(
        generations.length === 1
          ? `${where}there is one generation already; nothing to do`
          : `${where}generation ${generation}: ${what}, in ${formatDuration(progress.elapsed)}`,
      );
      for (const reason of reasons) context.messages.note(`${where}still incomplete: ${reason}`);
    }
  } finally {
    progress.stop();
  }
}
