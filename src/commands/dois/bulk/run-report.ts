import { CliError } from '../../../errors.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import { OUTCOMES } from '../../../writing/ledger/outcome.ts';
import { expectsRecords } from '../../../writing/request.ts';
import { addRespelled, type RespelledValues, respelledLines } from '../../../writing/respelled.ts';
import { isTaken } from '../../../writing/result.ts';
import type { FinishedLine } from '../../../writing/run.ts';
import { RunCounts } from '../../../writing/run-counts.ts';
import { MAX_SHOWN, WarningCounts } from '../results/results.ts';
import type { Bulk, BulkInput } from './input.ts';
import { failureLines, warningLines } from './report.ts';

/** What a run tells at its end. */
export class RunReport {
  readonly counts = new RunCounts();
  readonly warned = new WarningCounts();
  readonly respelled: RespelledValues = new Map();
  /** The number of rows without edits, which were not compared with a stored record. */
  unedited = 0;
  hasConflicts = false;
  /** Whether a DOI to create exists. */
  isTaken = false;
  /** The number of lines that warned at once. */
  #warnings = 0;

  /** Adds a line. @returns its errors or warnings, if few lines had any before. */
  add(line: FinishedLine, input: BulkInput): readonly string[] {
    const { result, outcome, error } = line;
    const { errors } = result;
    this.counts.add(line);
    this.warned.add(result);
    if (outcome?.respelled?.length) addRespelled(this.respelled, outcome.respelled);
    if (outcome?.outcome === 'unchanged' && result.state === null) this.unedited += 1;
    this.hasConflicts ||= errors.some(({ conflict }) => conflict !== undefined);
    this.isTaken ||= errors.some(isTaken);
    if (error !== undefined)
      return this.counts.of('failed') > MAX_SHOWN ? [] : failureLines(result, input);
    const warnings = outcome === undefined ? [] : warningLines(result, input);
    if (warnings.length > 0) this.#warnings += 1;
    return this.#warnings > MAX_SHOWN ? [] : warnings;
  }
}

/** Prints the end of a run. @throws {CliError} unless all records are as requested. */
export function printReport(bulk: Bulk, report: RunReport, records: number): void {
  const { context, input, options, flags, target, begun } = bulk;
  const { counts, warned, respelled } = report;
  const { messages } = context;
  if (options.command === 'delete' && counts.of('unchanged') > 0) {
    const which = counted(counts.of('unchanged'), 'DOI');
    messages.note(`not found, or not readable with these credentials: ${which}`);
  }
  for (const line of respelled.size > 0 ? respelledLines(respelled) : []) messages.note(line);
  for (const line of warned.lines()) messages.note(line);
  const notTried = records - counts.all - counts.of('before');
  const commonLabels = {
    valid: 'would change',
    before: 'done before',
    wrong: 'not in the state asked for',
  };
  const labels = options.command === 'create' ? { ...commonLabels, valid: 'valid' } : commonLabels;
  const parts = [
    ...OUTCOMES.filter((outcome) => outcome !== 'failed'),
    'before',
    'wrong',
    'failed',
  ] as const;
  const texts = parts.map(
    (part) => [counts.of(part), labels[part as keyof typeof labels] ?? part] as const,
  );
  const summary = [...texts, [notTried, 'not tried'] as const]
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${number(count)} ${text}`)
    .join(', ');
  const what = counted(records, expectsRecords(options) ? 'record' : 'DOI');
  const unsent = target.isPreview ? 'nothing was sent yet' : 'nothing was sent (--dry-run)';
  const outcome =
    flags.dryRun || target.isPreview
      ? `${what}: ${summary}; ${unsent}`
      : `${what} in ${formatDuration(context.host.now() - begun)}: ${summary}`;
  const line = records === 0 ? `no DOI of ${input.name} matches` : outcome;
  const failed = counts.of('failed');
  if (failed + counts.of('wrong') + notTried === 0) {
    messages.note(line);
    return;
  }
  const hint = failed > 0 && !target.isPreview ? hintFor(bulk, report) : undefined;
  throw new CliError('rejected', line, { hint });
}

function hintFor(
  { context, input, options, flags }: Bulk,
  { counts, hasConflicts, isTaken: hasTaken }: RunReport,
): string | undefined {
  const failed = counts.of('failed');
  const doubtful = counts.of('doubtful');
  const unavailable = counts.of('unavailable');
  const noun = input.files === undefined ? 'line' : 'file';
  const singular = input.isList ? 'DOI' : noun;
  const plural = `${singular}s`;
  if (doubtful > 0) {
    const lines = `${number(doubtful)} ${doubtful === 1 ? singular : plural}`;
    const others = failed > doubtful ? `; correct only the ${plural} that were refused` : '';
    const remedy = 'run the same command again, unchanged, to find out';
    return `${lines} may have been carried out: ${remedy}${others}`;
  }
  if (hasConflicts) {
    return 'export again and repeat the edits that failed, or send them anyway with --overwrite';
  }
  const file = input.folder === undefined ? ['--file', input.name] : [];
  const update =
    hasTaken && options.command === 'create'
      ? `to change DOIs that exist: ${context.suggest('dois', 'update', ...file)}`
      : undefined;
  if (flags.dryRun) return update;
  const again =
    expectsRecords(options) || (unavailable > 0 && !input.isList)
      ? 'tries only those'
      : 'changes those that are not as requested';
  const remedy = unavailable === failed ? '' : `correct the ${plural} that failed; `;
  return [`${remedy}the same command again ${again}`, update].filter(Boolean).join('; ');
}
