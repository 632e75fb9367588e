import type { LineResult } from '../../../bulk/result.ts';
import type { BulkCounts } from '../../../bulk/run.ts';
import type { Survey } from '../../../bulk/survey.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { formatDuration, number, plural } from '../../../text/words.ts';
import type { BulkInput } from './input.ts';

/** Says how to go on, in the place of what was said of that. */
export function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof CliError)) return error;
  const { kind, message, status, problems, lines } = error;
  const details = { hint, problems, lines, cause: error, ...(status === undefined ? {} : { status }) };
  return new CliError(kind, message, details);
}

/** What is wrong with a line, in the way of compilers: `records.ndjson:3: error: url: is wrong`. */
export function failureText({ line, errors }: LineResult, { name }: BulkInput): string {
  return errors
    .map(
      ({ path, message }) =>
        `${name}:${line}: error: ${path === null || path === '' ? '' : `${path}: `}${message}`,
    )
    .join('\n');
}

/**
 * Says what came of a run to its end.
 * @throws {CliError} kind `rejected` when lines failed.
 */
export function conclude(context: Context, counts: BulkCounts, { records }: Survey, elapsedMs: number): void {
  const { created, updated, failed, before, wrong } = counts;
  const parts = [
    ...(created > 0 ? [`${number(created)} created`] : []),
    ...(updated > 0 ? [`${number(updated)} updated`] : []),
    ...(before > 0 ? [`${number(before)} done before`] : []),
    ...(wrong > 0 ? [`${number(wrong)} not in the state asked for`] : []),
    ...(failed > 0 ? [`${number(failed)} failed`] : []),
  ];
  const left = records - created - updated - before - failed;
  if (left > 0) parts.push(`${number(left)} not tried`);
  const line = `${number(records)} ${plural(records, 'record')} in ${formatDuration(elapsedMs)}: ${parts.join(', ')}`;
  if (failed + wrong === 0) {
    context.messages.note(line);
    return;
  }
  throw new CliError('rejected', line, {
    ...(failed > 0 ? { hint: 'correct the lines that failed; the same command again tries only those' } : {}),
  });
}
