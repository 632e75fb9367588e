import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { counted } from '../../../text/words.ts';
import type { WriteCommand } from '../../../writing/ledger/entry.ts';
import type { WriteFlags } from './input.ts';

const QUESTIONS: Readonly<Partial<Record<WriteCommand, (which: string, to: string) => string>>> = {
  delete: (which) => `Delete ${which} for good?`,
  transfer: (which, to) =>
    `Transfer ${which} to ${to}? Their present repository can no longer change them.`,
  publish: (which) => `Publish ${which}? A registered DOI cannot be deleted.`,
  register: (which) => `Register ${which}? A registered DOI cannot be deleted.`,
};

/**
 * Prepares the question before what cannot be undone, before anything is read. @returns asks about
 * DOIs, below a list of them; undefined where nothing is asked.
 */
export function questionFor(
  context: Context,
  command: WriteCommand,
  { file, yes, dryRun, to = '' }: WriteFlags,
): ((which: string, list?: string) => Promise<void>) | undefined {
  const question = QUESTIONS[command];
  const isAlways = command === 'delete' || command === 'transfer';
  const isAsked = !yes && !dryRun && (isAlways || (file !== undefined && context.interactive));
  if (question === undefined || !isAsked) return undefined;
  const reason = `${command === 'transfer' ? 'a transfer' : 'deleting'} asks for confirmation`;
  const confirmed = confirmation(context, { yes, reason, declined: 'nothing was sent' });
  return (which, list = '') => confirmed(list + question(which, to));
}

/**
 * Where records do not say what was exported: says that edits are compared with the record as it
 * is, or asks about an old export. @param missing how many of them an export has read.
 */
export async function askAboutBaselines(
  context: Context,
  name: string,
  missing: number,
  { overwrite, dryRun }: WriteFlags,
): Promise<void> {
  if (overwrite) return;
  if (missing === 0) {
    context.messages.note(
      `${name} does not say what was exported: each value that differs from its record replaces it`,
    );
    return;
  }
  const reason = `${counted(missing, 'record')} of ${name} ${missing === 1 ? 'does' : 'do'} not say what was exported, so that old values may undo what others have changed`;
  if (dryRun)
    return context.messages.warn(`${reason}: the run itself will ask, or need --overwrite`);
  await confirmation(context, {
    yes: false,
    reason,
    retry:
      'export again, as CSV or with updated among the --fields, and edit that file; or send all values with --overwrite',
    declined: 'nothing was sent',
  })(`${reason}. Send all that differ?`);
}
