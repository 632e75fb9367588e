import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../cli/service.ts';
import { CliError } from '../../../errors.ts';
import { type Change, changeText } from '../../../records/changes.ts';
import type { LineResult } from '../../../records/entry.ts';
import { LineIndex } from '../../../records/line-index.ts';
import { runBulk, tried } from '../../../records/run.ts';
import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import { changeLine } from './change-line.ts';
import { checkLine } from './create-line.ts';
import type { BulkInput, ManyFlags } from './input.ts';
import { namesDois } from './line-record.ts';
import { failedResult } from './line-work.ts';
import { isForPeople, resultText } from './report.ts';
import { type Surveyed, surveyLines } from './survey-lines.ts';

interface Preview extends LineResult {
  readonly changes?: readonly Change[];
}

/** A line of a dry run for people: a diff, or a sentence. */
function previewText(context: Context, result: Preview, input: BulkInput): string {
  const { doi, outcome, changes = [] } = result;
  if (outcome === 'failed' || changes.length === 0) return resultText(context, result, input);
  const diff = changes.map(({ path, before, after }) =>
    changeText({ path, before: before ?? undefined, after: after ?? undefined }),
  );
  return `${visible(`${doi}\n${diff.join('').trimEnd()}`, { keepNewlines: true })}\n`;
}

/**
 * Prints for each line what it would change, which is read from the service, or for a create whether it would be
 * sent. It changes nothing, and keeps no ledger.
 * @throws {CliError} kind `rejected` when a line would fail.
 */
export async function dryRun(bulk: Surveyed & { readonly flags: ManyFlags }): Promise<void> {
  const { context, input, lines, flags } = bulk;
  const index = new LineIndex();
  const isText = isForPeople(context, flags);
  const { records, repeats } = await surveyLines(bulk, index);
  const creates = lines.command === 'create';
  const service = creates ? undefined : await context.service('writes', flags.rate ?? 'service');
  const progress = await Progress.start(
    context,
    context.host.terminal.stdout,
    'waiting for the first answer',
  );
  const counts = await runBulk({
    input,
    ledger: { index, settle: () => undefined, fixed: async () => undefined, result: async () => undefined },
    repeats,
    signal: context.host.signal,
    jobs: service === undefined ? 1 : (flags.jobs ?? jobsFor(service)),
    failFast: flags.failFast === true,
    keyOf: () => undefined,
    carryOut: async (task): Promise<LineResult> =>
      service === undefined ? checkLine(lines, task) : changeLine({ context, service, lines }, task),
    failed: (task, doi, error) => failedResult(bulk, task, doi, error),
    write: (text) =>
      context.out.write(isText ? previewText(context, JSON.parse(text) as Preview, input) : text),
    progress: (counts) => progress.update(tried(counts).all, records),
  }).finally(() => progress.stop());
  const { valid, unchanged, failed } = counts;
  const noun = namesDois(lines) ? 'DOI' : 'record';
  const told = creates
    ? `${number(failed)} invalid`
    : `${number(valid)} would change, ${number(unchanged)} unchanged, ${number(failed)} would fail`;
  const text = `${counted(records, noun)}${creates ? ',' : ':'} ${told}; nothing was sent (--dry-run)`;
  if (failed > 0) throw new CliError('rejected', text);
  context.messages.note(text);
}
