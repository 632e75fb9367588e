import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import { requireWhole, writeTables } from '../../../core/tables.ts';
import { usageError } from '../../../errors.ts';
import { ENDINGS } from '../../../formats/registry.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import { directoryOf, READING, withProgress } from './directory.ts';
import type { tables } from './index.ts';

/** Writes the current records of a copy as tables in Parquet. */
export async function exportCommand(
  context: Context,
  options: OptionsOf<typeof tables>,
): Promise<void> {
  refuseFileName(options.out);
  const dir = await directoryOf(options);
  const { out, records, jobs } = options;
  const threads = context.host.exportThread;
  const { warn } = context.messages;
  await withProgress(
    context,
    async (host, progress) => {
      const how = { out, records, jobs, threads };
      const tables = await writeTables({ ...host, warn }, dir, how);
      const { dois, batches, written, removed } = tables;
      const gone = removed === 0 ? '' : `, ${number(removed)} removed`;
      const files = `${counted(batches, 'file')} per table (${number(written)} written${gone})`;
      const time = `in ${formatDuration(progress.elapsed)}`;
      context.messages.note(`${out}: ${counted(dois, 'DOI')}, ${files}, ${time}`);
      requireWhole(tables);
    },
    READING,
  );
}

/** Refuses a name with the ending of a file, unless an earlier export is there. */
function refuseFileName(out: string): void {
  const ending = extname(out.replace(/\.(gz|zst)$/i, '')).toLowerCase();
  if (ENDINGS[ending] === undefined || existsSync(join(out, '_export.json'))) return;
  throw usageError(
    `--out ${out}: the tables are a directory with a folder for each table, not a file`,
    'name a directory such as tables, or write one table with dois list --all --out dois.parquet',
  );
}
