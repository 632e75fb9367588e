import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../cli/service.ts';
import { CliError } from '../../../errors.ts';
import { changeLine, checkLine, failedResult } from '../../../records/carry-out.ts';
import type { LineResult } from '../../../records/entry.ts';
import { doiOfLine, type LineOptions, namesDois } from '../../../records/line.ts';
import { LineIndex } from '../../../records/line-index.ts';
import { type BulkCounts, type BulkRun, runBulk, tried } from '../../../records/run.ts';
import { type Survey, survey } from '../../../records/survey.ts';
import { counted, number } from '../../../text/words.ts';
import { Progress } from '../../../ui/progress.ts';
import type { BulkInput, WriteFlags } from './input.ts';
import { resultText } from './report.ts';

/** A file of lines, how to read them, and what to do with them. */
export interface Bulk {
  readonly context: Context;
  readonly input: BulkInput;
  readonly lines: LineOptions;
  readonly flags: WriteFlags;
}

/** Sees each line while all of them are checked. */
interface Observer {
  /** @param doi as the line names it. */
  see(line: number, index: LineIndex, doi: string | undefined): void;
}

/**
 * Checks all lines. A file may name each DOI only once when it creates them; a list of DOIs is worked off without
 * those that come again.
 */
export async function surveyLines(
  { context, input, lines }: Bulk,
  index: LineIndex,
  observer?: Observer,
): Promise<Survey> {
  const skipsRepeats = namesDois(lines);
  const doiOf = (text: string, line: number) => {
    const doi = doiOfLine(text, line, lines);
    observer?.see(line, index, doi);
    // Several updates of one DOI are carried out one after the other.
    return lines.command === 'create' || skipsRepeats ? doi : undefined;
  };
  const found = await survey({ input, index, signal: context.host.signal, doiOf, skipsRepeats });
  const again = found.repeats.size;
  if (again > 0) {
    const text = `${counted(again, 'line')} ${again === 1 ? 'repeats' : 'repeat'} the DOI of an earlier one`;
    context.messages.note(`${input.name}: ${text}, and ${again === 1 ? 'is' : 'are'} left out`);
  }
  return found;
}

/** Carries out the lines that a survey found, and prints their results: for people on a terminal, else as NDJSON. */
export function runLines(
  { context, input, flags }: Bulk,
  { repeats }: Survey,
  run: Omit<BulkRun, 'input' | 'repeats' | 'signal' | 'failFast' | 'write'>,
): Promise<BulkCounts> {
  const { signal, terminal } = context.host;
  const isText = (flags.format ?? (terminal.stdout ? 'text' : 'ndjson')) === 'text';
  return runBulk({
    ...run,
    input,
    repeats,
    signal,
    failFast: flags.failFast === true,
    write: (text) =>
      context.out.write(isText ? resultText(context, JSON.parse(text) as LineResult, input) : text),
  });
}

/**
 * Prints for each line what it would change, which is read from the service, or for a create whether it would be
 * sent. It changes nothing, and keeps no ledger.
 * @throws {CliError} kind `rejected` when a line would fail.
 */
export async function dryRun(bulk: Bulk): Promise<void> {
  const { context, lines, flags } = bulk;
  const index = new LineIndex();
  const found = await surveyLines(bulk, index);
  const creates = lines.command === 'create';
  const service = creates ? undefined : await context.service('writes', flags.rate ?? 'service');
  const { stdout } = context.host.terminal;
  const progress = await Progress.start(context, stdout, 'waiting for the first answer');
  const { valid, unchanged, failed } = await runLines(bulk, found, {
    ledger: { index, settle: () => undefined, fixed: async () => undefined, result: async () => undefined },
    jobs: service === undefined ? 1 : (flags.jobs ?? jobsFor(service)),
    keyOf: () => undefined,
    carryOut: async (task) =>
      service === undefined ? checkLine(lines, task) : changeLine({ context, service, lines }, task),
    failed: (task, doi, error) => failedResult(bulk, task, doi, error),
    progress: (counts) => progress.update(tried(counts).all, found.records),
  }).finally(() => progress.stop());
  const which = counted(found.records, namesDois(lines) ? 'DOI' : 'record');
  const told = creates
    ? `, ${number(failed)} invalid`
    : `: ${number(valid)} would change, ${number(unchanged)} unchanged, ${number(failed)} would fail`;
  const text = `${which}${told}; nothing was sent (--dry-run)`;
  if (failed > 0) throw new CliError('rejected', text);
  context.messages.note(text);
}
