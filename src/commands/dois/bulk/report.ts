import { type LineResult, OUTCOMES } from '../../../bulk/entry.ts';
import { type BulkCounts, tried } from '../../../bulk/run.ts';
import type { Survey } from '../../../bulk/survey.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import { placedText } from '../record/findings.ts';
import type { BulkInput } from './input.ts';

/** The errors of a line as a compiler prints them: `records.ndjson:3: error: url: is wrong`. */
export function failureText({ line, doi, errors }: LineResult, { name, folder }: BulkInput): string {
  // Nobody can look a line of a stream up.
  const which = folder !== undefined && doi !== null ? ` (${doi})` : '';
  return errors
    .map((problem) => {
      const finding: Finding = { ...problem, severity: 'error', path: problem.path ?? '', steps: [], line };
      return `${placedText(name, finding)}${which}`;
    })
    .join('\n');
}

/**
 * Prints the counts of a run that reached its end.
 * @param run.isList whether the lines only name DOIs.
 * @throws {CliError} kind `rejected` when lines failed.
 */
export function reportCounts(
  context: Context,
  counts: BulkCounts,
  { records }: Survey,
  { isList, elapsedMs }: { readonly isList: boolean; readonly elapsedMs: number },
): void {
  const { failed, before, wrong } = counts;
  const notTried = records - tried(counts).all - before;
  const parts = (
    [
      ...OUTCOMES.filter((outcome) => outcome !== 'failed').map((one) => [counts[one], one] as const),
      [before, 'done before'],
      [wrong, 'not in the state asked for'],
      [failed, 'failed'],
      [notTried, 'not tried'],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${number(count)} ${text}`);
  const line = `${counted(records, isList ? 'DOI' : 'record')} in ${formatDuration(elapsedMs)}: ${parts.join(', ')}`;
  if (failed + wrong + notTried === 0) {
    context.messages.note(line);
    return;
  }
  const again = isList ? 'changes those that are not as asked' : 'tries only those';
  throw new CliError('rejected', line, {
    hint: failed > 0 ? `correct the lines that failed; the same command again ${again}` : undefined,
  });
}
