import type { Context } from '../../../cli/context.ts';
import { type Change, changesMember, changeText } from '../../../records/changes.ts';
import { counted } from '../../../text/words.ts';
import type { ReportFormat } from '../record/written-record.ts';

/** Prints what a command would change of a record: a diff, or an object with the changes. */
export async function printPreview(
  context: Context,
  doi: string,
  changes: readonly Change[],
  format: ReportFormat | undefined,
): Promise<void> {
  if (format === 'json' || format === 'ndjson') {
    const preview = { doi, changes: changesMember(changes) };
    await context.out.write(`${JSON.stringify(preview, undefined, format === 'json' ? 2 : 0)}\n`);
  } else {
    await context.out.write(changes.map(changeText).join(''));
  }
  context.messages.note(
    `${changes.length === 0 ? `${doi} would stay as it is` : `${counted(changes.length, 'change')} in ${doi}`}; nothing was sent (--dry-run)`,
  );
}
