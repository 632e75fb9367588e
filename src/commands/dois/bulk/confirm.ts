import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { systemReason } from '../../../disk/system-error.ts';
import { usageError } from '../../../errors.ts';
import type { Origin } from '../../../records/edits.ts';
import type { WriteCommand } from '../../../records/entry.ts';
import { openLedger, readLedger } from '../../../records/ledger-file.ts';
import type { RecordFile } from '../../../records/record-file.ts';
import type { Survey } from '../../../records/survey.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { counted } from '../../../text/words.ts';
import type { WriteFlags } from './input.ts';

/**
 * Prepares the question before what cannot be undone: a deletion, and on a terminal the registration of many DOIs.
 * Call it before anything is read.
 * @throws {CliError} kind `usage` for a deletion that nobody can be asked about, without `--yes`.
 */
export function questionFor(
  context: Context,
  command: WriteCommand,
  { name }: RecordFile,
  flags: WriteFlags,
): (found: Survey) => Promise<void> {
  const { yes, dryRun, to } = flags;
  const registers = command === 'publish' || command === 'register';
  const always = command === 'delete' || command === 'transfer';
  if (dryRun || !(always || (registers && context.interactive))) return async () => undefined;
  const confirmed = confirmation(context, {
    yes,
    reason: command === 'transfer' ? 'a transfer asks for confirmation' : 'deleting asks for confirmation',
    declined: 'nothing was sent',
  });
  return ({ records, done }) => {
    const which = `${counted(records - done, 'DOI')} of ${name}`;
    if (command === 'transfer')
      return confirmed(`Transfer ${which} to ${to}? Their present repository can no longer change them.`);
    return confirmed(
      command === 'delete'
        ? `Delete ${which} for good?`
        : `${command === 'publish' ? 'Publish' : 'Register'} ${which}? A registered DOI cannot be deleted.`,
    );
  };
}

/**
 * Tells about rows that do not say what was exported, and asks where they look like an export: their cells may be old.
 * @throws {CliError} kind `usage` where nobody can be asked.
 */
export async function askAboutOrigins(
  context: Context,
  { name }: Pick<RecordFile, 'name'>,
  { untold, all }: Readonly<Record<Origin, number>>,
  { overwrite, dryRun }: WriteFlags,
): Promise<void> {
  if (overwrite || untold + all === 0) return;
  if (untold === 0) {
    context.messages.note(
      `${name} does not say what was exported: each cell that differs from its record replaces it`,
    );
    return;
  }
  const reason = `${counted(untold, 'row')} of ${name} ${untold === 1 ? 'does' : 'do'} not say what was exported, so that old cells may undo what others have changed`;
  if (dryRun) return context.messages.warn(reason);
  await confirmation(context, {
    yes: false,
    reason,
    retry: 'export again with this version and edit that file, or send all cells with --overwrite',
    declined: 'nothing was sent',
  })(`${reason}. Send all that differ?`);
}

/**
 * Asks before a create begins a ledger for a file that has one already: it would create records again.
 * @param usual the ledger that the file has without `--ledger`.
 * @throws {CliError} kind `usage` where nobody can be asked, or when that ledger is damaged or cannot be read.
 */
export async function askForNewLedger(
  context: Context,
  usual: string,
  { yes }: Pick<WriteFlags, 'yes'>,
): Promise<void> {
  const handle = await openLedger(usual).catch((error: unknown) => {
    throw usageError(
      `cannot read ${usual}, which may say that these records have been created: ${systemReason(error)}`,
      'make it readable',
    );
  });
  if (handle === undefined) return;
  const { header } = await readLedger(handle, usual).finally(() => handle.close());
  // On another system it is another record.
  if (header.baseUrl !== normalizeBaseUrl(await context.baseUrl())) return;
  const reason = `${usual} is the ledger of these records; with another one, those that exist are created again`;
  await confirmation(context, {
    yes,
    reason,
    retry: 'leave out --ledger to continue that run',
    declined: 'nothing was sent',
  })(`${reason}, under a second DOI. Create them again?`);
}
