import type { InputRecord } from '../../../formats/input/source.ts';
import { counted } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import { baselineOf, isEditedRow, refuseOtherRow } from '../../../writing/edits.ts';
import type { LineIndex } from '../../../writing/ledger/entry.ts';
import { doiIn, expectsRecords, requestIn } from '../../../writing/request.ts';
import { type Survey, survey } from '../../../writing/survey.ts';
import { askAboutBaselines } from './confirm.ts';
import type { Bulk } from './input.ts';

export interface SurveyedLines extends Survey {
  /** The DOIs of the records in JSON that name the time of their last update. */
  readonly dated: readonly string[];
}

/** Checks all lines. Only a list of DOIs may name one again; that line is left out. */
export async function surveyLines(
  { context, input, options, flags }: Bulk,
  index: LineIndex,
): Promise<SurveyedLines> {
  const { signal } = context.host;
  const reading = await Progress.start(context, false, 'reading the records', 'record');
  let read = 0;
  const baselines = { exported: 0, dated: 0, missing: 0, stored: 0 };
  const dated: string[] = [];
  const isOnlyNames = !expectsRecords(options);
  let edited = 0;
  const doiOf = (record: InputRecord) => {
    read += 1;
    reading.update(read, undefined);
    if (isOnlyNames && input.rows) {
      const row = record.parse(input.name, record.line);
      refuseOtherRow(row);
      if (isEditedRow(row)) edited += 1;
    }
    if (options.command !== 'update' || isOnlyNames) return doiIn(record, input, options);
    const request = requestIn(record, input, options);
    if (request.command !== 'update' || request.record === undefined) return undefined;
    refuseOtherRow(request.record);
    const baseline = baselineOf(request.record);
    baselines[baseline] += 1;
    if (baseline === 'dated' && request.record.row === undefined) dated.push(request.doi);
    return request.doi;
  };
  const mayChange = options.command !== 'create';
  const lines = { input, index, signal, doiOf, skipsRepeats: isOnlyNames, mayChange };
  const surveyed = await survey(lines).finally(() => reading.stop());
  const again = surveyed.repeats.size;
  if (again > 0) {
    const text = `${counted(again, 'line')} ${again === 1 ? 'repeats' : 'repeat'} the DOI of an earlier one`;
    context.messages.note(`${input.name}: ${text}, and ${again === 1 ? 'is' : 'are'} left out`);
  }
  if (edited > 0 && options.command !== 'delete') {
    const which =
      edited === 1
        ? '1 row has edits, which are'
        : `${counted(edited, 'row')} have edits, which are`;
    context.messages.note(`${input.name}: ${which} not sent: only the DOIs of the file are used`);
  }
  const { missing, stored } = baselines;
  if (missing + stored > 0) await askAboutBaselines(context, input.name, missing, flags);
  return { ...surveyed, dated };
}
