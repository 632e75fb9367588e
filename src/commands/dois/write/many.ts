import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import type { BulkCommand } from '../../../records/entry.ts';
import { openRecordFile } from '../../../records/record-file.ts';
import { asDoiLines } from '../bulk/doi-list.ts';
import { type ManyFlags, refuseForMany } from '../bulk/input.ts';
import type { ReportFormat } from '../record/written-record.ts';

/**
 * Changes all DOIs that a file names.
 * @param dois those of the command line.
 * @throws {CliError} kind `usage` when there are some.
 */
export async function changeMany(
  context: Context,
  command: BulkCommand,
  dois: readonly string[],
  file: string,
  flags: ManyFlags,
): Promise<void> {
  if (dois.length > 0) {
    throw usageError(
      'DOIs on the command line and --file exclude each other',
      'write all of them into the file',
    );
  }
  const [{ bulkCommand }, opened] = await Promise.all([
    import('../bulk/bulk.ts'),
    openRecordFile(context, file, false),
  ]);
  return bulkCommand(context, command, await asDoiLines(context, opened), flags);
}

/** The format for the records of a command: several are easiest to tell apart when each is one line. */
export function formatFor(
  context: Context,
  dois: readonly string[],
  { format }: ManyFlags,
): ReportFormat | undefined {
  return format ?? (dois.length > 1 && !context.host.terminal.stdout ? 'ndjson' : undefined);
}

/** @throws {CliError} kind `usage` without a DOI, or with an option that only a file of them needs. */
export function requireDois(command: BulkCommand, dois: readonly string[], flags: ManyFlags): void {
  if (dois.length === 0) {
    throw usageError(
      `which DOIs should ${command} change?`,
      `doi-cli dois ${command} 10.5072/abc, or --file results.ndjson`,
    );
  }
  refuseForMany(command, flags, 'results.ndjson');
}
