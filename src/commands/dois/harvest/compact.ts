import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import { compactHarvest } from '../../../harvest/copy/compact.ts';
import { ledgersOf } from '../../../harvest/store/ledger.ts';
import { counted, formatDuration } from '../../../text/words.ts';
import { directoryOf, READING, withProgress } from './directory.ts';
import type { compact } from './index.ts';

/** Merges all generations of a directory, or of each of its shards, into one. */
export async function compactCommand(
  context: Context,
  options: OptionsOf<typeof compact>,
): Promise<void> {
  const dir = await directoryOf(options);
  await withProgress(
    context,
    async (host, progress) => {
      for (const { shard, generations } of await ledgersOf(dir)) {
        const { records, generation, parts, reasons } = await compactHarvest(host, dir, shard);
        const where = shard === null ? '' : `shard ${shard.index} of ${shard.of}: `;
        const what = `${counted(records, 'DOI')} in ${counted(parts.length, 'file')}`;
        context.messages.note(
          generations.length === 1
            ? `${where}there is one generation already; nothing to do`
            : `${where}generation ${generation}: ${what}, in ${formatDuration(progress.elapsed)}`,
        );
        for (const reason of reasons) context.messages.note(`${where}still incomplete: ${reason}`);
      }
    },
    READING,
  );
}
