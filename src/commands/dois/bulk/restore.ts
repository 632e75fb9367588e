import { rm } from 'node:fs/promises';
import { writeRate } from '../../../api/http/rate-limiter.ts';
import { same } from '../../../api/record-match.ts';
import type { Service } from '../../../api/service.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { counted } from '../../../text/words.ts';
import { exportedEdits, isEditedRow } from '../../../writing/edits.ts';
import { LineIndex } from '../../../writing/ledger/line-index.ts';
import { ListedRecords } from '../../../writing/listed-records.ts';
import type { Survey } from '../../../writing/survey.ts';
import type { Bulk } from './input.ts';
import { BEFORE_QUESTION, fileRun, previewLines, sendLines } from './run-lines.ts';
import type { RunReport } from './run-report.ts';
import { surveyFile } from './survey-file.ts';

/**
 * Puts the exported values back, after a table of what returns and a question. It needs no ledger:
 * the same command again finds what is left.
 * @param ledger of the update of the same file. It describes edits that are undone now.
 */
export async function restore(bulk: Bulk, lock: Lock, ledger: string): Promise<void> {
  const { context, flags } = bulk;
  const ask = confirmation(context, {
    yes: flags.yes,
    reason: 'putting exported values back asks for confirmation',
    declined: 'nothing was sent',
  });
  const surveyed = await surveyFile(bulk, new LineIndex());
  const service = await context.services.open('writes', flags.rate ?? writeRate(surveyed.records));
  if (!flags.yes) {
    const run = fileRun(bulk, surveyed, service, { mode: 'preview' });
    const shown = await previewLines({ ...bulk, target: BEFORE_QUESTION }, run, surveyed);
    const valid = shown.counts.of('valid');
    if (valid === 0) return;
    await ask(`Put the exported values of ${counted(valid, 'record')} back?`);
  }
  await rm(ledger, { force: true });
  await sendLines(bulk, service, surveyed, lock);
  context.messages.note(
    'edits of this export in another file are not sent again while its .update-ledger is there',
  );
}

/** Notes how many records differ from an export without edits: its sender may want it back. */
export async function noteDiffering(
  { context, input, flags }: Bulk,
  service: Service,
  { identities: { exported } }: Survey,
  { counts, unedited }: RunReport,
): Promise<void> {
  const { length } = exported;
  if (length === 0 || counts.of('unchanged') + counts.of('before') !== length) return;
  const rows = async function* () {
    for await (const record of input.records()) yield record.parse(input.name, record.line);
  };
  if (unedited < length) for await (const row of rows()) if (isEditedRow(row)) return;
  const listed = new ListedRecords(service, exported);
  let differing = 0;
  for await (const row of rows()) {
    const stored = await listed.find(row.doi ?? '');
    if (stored === undefined) continue;
    const exportedValues = Object.entries(exportedEdits(row, stored).mine);
    if (!exportedValues.every(([name, value]) => same(stored.attributes[name], value)))
      differing += 1;
  }
  if (differing === 0) return;
  const which = `${counted(differing, 'record')} ${differing === 1 ? 'differs' : 'differ'}`;
  const command = context.suggest('dois', 'update', '--file', String(flags.file), '--restore');
  context.messages.note(`${which} from this export; to put its values back: ${command}`);
}
