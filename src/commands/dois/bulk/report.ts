import type { LineResult } from '../../../bulk/entry.ts';
import type { BulkCounts } from '../../../bulk/run.ts';
import type { Survey } from '../../../bulk/survey.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { placeText } from '../../../metadata/check.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import type { BulkInput } from './input.ts';

/** The errors of a line as a compiler prints them: `records.ndjson:3: error: url: is wrong`. */
export function failureText({ line, errors }: LineResult, { name }: BulkInput): string {
  const place = `${name}:${line}: error: `;
  return errors.map(({ path, message, column }) => `${place}${placeText(path, column)}${message}`).join('\n');
}

/**
 * Prints the counts of a run that reached its end.
 * @throws {CliError} kind `rejected` when lines failed.
 */
export function reportCounts(
  context: Context,
  counts: BulkCounts,
  { records }: Survey,
  elapsedMs: number,
): void {
  const { created, updated, failed, before, wrong } = counts;
  const notTried = records - created - updated - before - failed;
  const parts = (
    [
      [created, 'created'],
      [updated, 'updated'],
      [before, 'done before'],
      [wrong, 'not in the state asked for'],
      [failed, 'failed'],
      [notTried, 'not tried'],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${number(count)} ${text}`);
  const line = `${counted(records, 'record')} in ${formatDuration(elapsedMs)}: ${parts.join(', ')}`;
  if (failed + wrong + notTried === 0) {
    context.messages.note(line);
    return;
  }
  throw new CliError('rejected', line, {
    hint: failed > 0 ? 'correct the lines that failed; the same command again tries only those' : undefined,
  });
}
