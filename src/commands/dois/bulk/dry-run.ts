import { LineIndex } from '../../../bulk/line-index.ts';
import { linesOf, survey } from '../../../bulk/survey.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { isBlank, textOf } from '../../../text/lines.ts';
import { counted, number } from '../../../text/words.ts';
import type { BulkInput } from './input.ts';
import { type LineOptions, problemsOf, readLine, uniqueDoiOf } from './line-record.ts';

/**
 * Prints for each line whether it would be sent, and sends nothing.
 * @throws {CliError} kind `rejected` when a line has errors.
 */
export async function dryRun(context: Context, input: BulkInput, lines: LineOptions): Promise<void> {
  const { signal } = context.host;
  const doiOf = (text: string, line: number) => uniqueDoiOf(text, line, lines);
  const { records } = await survey({ input, index: new LineIndex(), signal, doiOf });
  let invalid = 0;
  for await (const line of linesOf(input)) {
    signal.throwIfAborted();
    if (isBlank(line.bytes)) continue;
    const record = readLine(textOf(line, input.name), line.number, lines);
    const errors = problemsOf(record, lines);
    if (errors.length > 0) invalid += 1;
    const outcome = errors.length > 0 ? 'failed' : 'valid';
    const result = { line: line.number, doi: record.doi ?? null, state: null, outcome, errors };
    await context.out.write(`${JSON.stringify(result)}\n`);
  }
  const text = `${counted(records, 'record')}, ${number(invalid)} invalid; nothing was sent (--dry-run)`;
  if (invalid > 0) throw new CliError('rejected', text);
  context.messages.note(text);
}
