import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { counted } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import type { LineIndex } from '../../../writing/ledger/line-index.ts';
import { type Survey, survey } from '../../../writing/survey.ts';
import type { Bulk, WriteFlags } from './input.ts';

/** Checks all lines of a file before anything is sent, and asks about an old export. */
export async function surveyFile(
  { context, input, options, flags }: Bulk,
  index: LineIndex,
): Promise<Survey> {
  const { messages, host } = context;
  const reading = await Progress.start(
    context,
    false,
    'reading the records',
    'record',
    'reading: ',
  );
  async function* records() {
    let read = 0;
    for await (const record of input.records()) {
      read += 1;
      reading.update(read, undefined);
      yield record;
    }
  }
  const { signal } = host;
  const file = { input: { ...input, records }, options, index, signal, isDryRun: flags.dryRun };
  const surveyed = await survey(file).finally(() => reading.stop());
  const { baselines, unsent } = surveyed.identities;
  const again = surveyed.repeats.size;
  if (again > 0) {
    const [repeat, are] = again === 1 ? ['repeats', 'is'] : ['repeat', 'are'];
    const text = `${counted(again, 'line')} ${repeat} the DOI of an earlier one`;
    messages.note(`${input.name}: ${text}, and ${are} left out`);
  }
  if (unsent > 0) {
    const which = `${counted(unsent, 'row')} ${unsent === 1 ? 'has' : 'have'} edits`;
    const used = 'only the DOIs of the file are used';
    messages.note(`${input.name}: ${which}, which are not sent: ${used}`);
  }
  const { missing, stored } = baselines;
  if (missing + stored > 0) await askAboutBaselines(context, input.name, missing, flags);
  return { ...surveyed, input };
}

/**
 * Handles records without exported values: notes that their edits are compared with the stored
 * record, or asks about an old export.
 * @param missing the number of records from an export.
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
  const some = `${counted(missing, 'record')} of ${name} ${missing === 1 ? 'does' : 'do'}`;
  const danger = 'so that old values may undo what others have changed';
  const reason = `${some} not say what was exported, ${danger}`;
  if (dryRun)
    return context.messages.warn(`${reason}: the run itself will ask, or need --overwrite`);
  const retry =
    'export again, as CSV or with updated among the --fields, and edit that file; ' +
    'or send all values with --overwrite';
  const confirm = confirmation(context, {
    yes: false,
    reason,
    retry,
    declined: 'nothing was sent',
  });
  await confirm(`${reason}. Send all that differ?`);
}
