import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import { changeText } from '../../../records/changes.ts';
import { type LineResult, OUTCOMES } from '../../../records/entry.ts';
import { placedText } from '../../../records/findings.ts';
import { placeOf } from '../../../records/record-source.ts';
import { type BulkCounts, tried } from '../../../records/run.ts';
import { visible } from '../../../text/redact.ts';
import { ago, counted, formatDuration, number } from '../../../text/words.ts';
import type { Bulk, BulkInput } from './input.ts';

/** The result of a line for people: `Created 10.5072/abc (draft)`, `10.5072/abc: unchanged`, its errors, or a diff. */
export function resultText({ host, messages }: Context, result: LineResult, input: BulkInput): string {
  const { line, doi, state, asOf = '', outcome, changes = [] } = result;
  const problems = [...failureLines(result, input), ...warningLines(result, input)].map((text) =>
    messages.clean(text),
  );
  if (changes.length > 0) {
    const diff = changes.map((change) => changeText(change)).join('');
    const shown = visible(`${doi}\n${diff.trimEnd()}`, { keepNewlines: true });
    return [shown, ...problems].map((text) => `${text}\n`).join('');
  }
  const name = doi ?? placeOf(input, line);
  const verb = outcome.replace(/^./, (letter) => letter.toUpperCase());
  // A line that an earlier run has done: the state may be another one by now.
  const age = ago(asOf, host.now());
  const isOld = age !== 'just now' && age !== asOf;
  const since = isOld ? `, ${host.terminal.stdout ? age : asOf}` : '';
  const shown = state === null ? '' : ` (${state}${since})`;
  const done =
    outcome === 'unchanged' || outcome === 'valid' ? `${name}: ${outcome}` : `${verb} ${name}${shown}`;
  const lines = outcome === 'failed' ? problems : [messages.clean(done), ...problems];
  return `${lines.join('\n')}\n`;
}

/** The warnings of a line, and what the service drops of it. */
export function warningLines(result: LineResult, input: BulkInput): readonly string[] {
  const { dropped = [], warnings = [] } = result;
  return failureLines({ ...result, errors: [...dropped, ...warnings] }, input, 'warning');
}

/** The errors of a line as a compiler prints them: `records.ndjson:3: error: url: is wrong`. */
export function failureLines(
  { line, doi, errors }: LineResult,
  { name, rows, folder }: BulkInput,
  severity: Finding['severity'] = 'error',
): string[] {
  // Nobody can look a line of a stream up, and rows may have been sorted.
  const which = (rows || folder !== undefined) && doi !== null ? ` (${doi})` : '';
  return errors.map((problem) => {
    const at = rows ? { row: line } : { line };
    const finding: Finding = { ...problem, severity, path: problem.path ?? '', steps: [], ...at };
    return `${placedText(name, finding)}${which}`;
  });
}

/**
 * Prints the counts of a run that reached its end.
 * @param records how many there are.
 */
export function reportCounts(
  { context, lines, flags }: Bulk,
  counts: BulkCounts,
  records: number,
  elapsedMs: number,
): void {
  const { failed, before, wrong } = counts;
  const notTried = records - tried(counts).all - before;
  const named = { valid: 'would change', before: 'done before', wrong: 'not in the state asked for' };
  const own = lines.command === 'create' ? { ...named, valid: 'valid' } : named;
  const parts = [...OUTCOMES.filter((one) => one !== 'failed'), 'before', 'wrong', 'failed'] as const;
  const texts = parts.map((part) => [counts[part], own[part as keyof typeof own] ?? part] as const);
  const told = [...texts, [notTried, 'not tried'] as const]
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${number(count)} ${text}`)
    .join(', ');
  const what = counted(records, lines.holdsRecords ? 'record' : 'DOI');
  const line = flags.dryRun
    ? `${what}: ${told}; nothing was sent (--dry-run)`
    : `${what} in ${formatDuration(elapsedMs)}: ${told}`;
  if (failed + wrong + notTried === 0) {
    context.messages.note(line);
    return;
  }
  const again = lines.holdsRecords ? 'tries only those' : 'changes those that are not as asked';
  const hint = `correct the lines that failed; the same command again ${again}`;
  throw new CliError('rejected', line, { hint: failed > 0 && !flags.dryRun ? hint : undefined });
}
