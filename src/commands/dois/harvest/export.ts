import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { CliError, usageError } from '../../../errors.ts';
import { ENDINGS } from '../../../formats/registry.ts';
import { sameQuery } from '../../../harvest/copy/verify.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { unreadWarnings } from '../../../metadata/tables/unread.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import { directoryOf, ledgersOf, READING, withProgress } from './directory.ts';

interface ExportFlags {
  readonly dir?: string;
  readonly out: string;
  readonly records?: boolean;
  readonly jobs?: number;
}

// Each job takes 100 MB: with the program, two jobs stay below 300 MB.
const MOST_JOBS = 2;

/** Writes the current records of a copy as tables in Parquet. */
export async function exportCommand(context: Context, options: ExportFlags): Promise<void> {
  refuseFileName(options.out);
  const dir = await directoryOf(options);
  const { params } = sameQuery(await ledgersOf(dir));
  const { out, records, jobs = Math.min(availableParallelism(), MOST_JOBS) } = options;
  const threads = context.host.exportThread;
  // Loaded here, because only this command needs the library for Parquet.
  const { exportCopy } = await import('../../../harvest/export/export.ts');
  await withProgress(
    context,
    async (host, progress) => {
      const how = { jobs, threads, records };
      const exported = await exportCopy(host, dir, out, how);
      const { dois, batches, written, removed, unread, missing } = exported;
      for (const text of [...emptyColumns(params), ...unreadWarnings(unread)])
        context.messages.warn(text);
      const gone = removed === 0 ? '' : `, ${number(removed)} removed`;
      const files = `${counted(batches, 'file')} per table (${number(written)} written${gone})`;
      const time = `in ${formatDuration(progress.elapsed)}`;
      context.messages.note(`${out}: ${counted(dois, 'DOI')}, ${files}, ${time}`);
      if (missing.length === 0) return;
      throw new CliError(
        'incomplete',
        `the tables lack what the copy lacks: ${missing.join('; ')}`,
        {
          hint: 'run the same harvest again, and then the same export',
        },
      );
    },
    READING,
  );
}

/** Refuses the name of a file, unless it is that of an earlier export. */
function refuseFileName(out: string): void {
  const ending = extname(out.replace(/\.(gz|zst)$/i, '')).toLowerCase();
  if (ENDINGS[ending] === undefined || existsSync(join(out, '_export.json'))) return;
  throw usageError(
    `--out ${out}: the tables are a directory with a folder for each table, not a file`,
    'name a directory such as tables, or write one table with dois list --all --out dois.parquet',
  );
}

/** The columns of ROR ids, which only objects have (service.md, F9). */
const ROR_COLUMNS = [
  ['affiliation', 'creators.ror'],
  ['publisher', 'publisher_ror'],
] as const;

function emptyColumns(params: Params): readonly string[] {
  const has = (name: string) =>
    params.some(([param, value]) => param === name && value !== 'false');
  return [
    ...(has('fields[dois]')
      ? ['this copy was harvested with --fields: the columns of other attributes are empty']
      : []),
    ...ROR_COLUMNS.filter(([name]) => !has(name)).map(
      ([name, column]) =>
        `this copy holds ${name}s as names: ${column} is empty; a new copy has it`,
    ),
  ];
}
