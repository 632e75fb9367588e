import { availableParallelism } from 'node:os';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { sameQuery } from '../../../harvest/copy/verify.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { unreadWarnings } from '../../../metadata/tables/unread.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import { directoryOf, ledgersOf, READING, withProgress } from './directory.ts';

interface ExportFlags {
  readonly dir?: string;
  readonly out: string;
  readonly jobs?: number;
}

// Each job takes 70 MB: with the program, two jobs stay below 300 MB.
const MOST_JOBS = 2;

/** Writes the current records of a copy as tables in Parquet. */
export async function exportCommand(context: Context, options: ExportFlags): Promise<void> {
  const dir = await directoryOf(options);
  const { params } = sameQuery(await ledgersOf(dir));
  const { jobs = Math.min(availableParallelism(), MOST_JOBS) } = options;
  const threads = context.host.exportThread;
  // Loaded here, because only this command needs the library for Parquet.
  const { exportCopy } = await import('../../../harvest/export/export.ts');
  await withProgress(
    context,
    async (host, progress) => {
      const { dois, parts, written, removed, unread, missing } = await exportCopy(
        host,
        dir,
        options.out,
        {
          jobs,
          threads,
        },
      );
      for (const text of [...emptyColumns(params), ...unreadWarnings(unread)])
        context.messages.warn(text);
      const gone = removed === 0 ? '' : `, ${number(removed)} removed`;
      const files = `${number(written)} written${gone}`;
      const time = `in ${formatDuration(progress.elapsed)}`;
      context.messages.note(
        `${options.out}: ${counted(dois, 'DOI')} of ${counted(parts, 'part')} (${files}), ${time}`,
      );
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
