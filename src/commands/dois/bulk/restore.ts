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
import type { BulkCounts } from '../../../writing/run.ts';
import { type Bulk, type SurveyedLines, surveyLines } from './input.ts';
import { previewLines, runLines } from './run-lines.ts';

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
  const index = new LineIndex();
  const surveyed = await surveyLines(bulk, index);
  const service = await context.service('writes', flags.rate ?? writeRate(surveyed.records));
  const work = { ...bulk, service };
  if (!flags.yes) {
    const { valid } = await previewLines(work, index, surveyed);
    if (valid === 0) return;
    await ask(`Put the exported values of ${counted(valid, 'record')} back?`);
  }
  await rm(ledger, { force: true });
  await runLines({ ...work, writes: { ledger: undefined, lock } }, index, surveyed);
}

/** Notes how many records differ from an export without edits: its sender may want it back. */
export async function noteDiffering(
  { context, input, flags }: Bulk,
  service: Service,
  { exported }: SurveyedLines,
  { unchanged, before }: BulkCounts,
): Promise<void> {
  if (exported === 0 || unchanged + before !== exported) return;
  const rows = async function* () {
    for await (const record of input.records()) yield record.parse(input.name, record.line);
  };
  const dois: string[] = [];
  for await (const row of rows()) {
    if (isEditedRow(row)) return;
    dois.push(row.doi ?? '');
  }
  const listed = new ListedRecords(service, dois);
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
