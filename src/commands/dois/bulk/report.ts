import { basename } from 'node:path';
import { CliError, type Problem } from '../../../errors.ts';
import { type Finding, findingText } from '../../../metadata/check.ts';
import { apart, counted, formatDuration, number } from '../../../text/words.ts';
import { placedText } from '../../../writing/findings.ts';
import type { Change } from '../../../writing/ledger/changes.ts';
import type { LineResult } from '../../../writing/ledger/entry.ts';
import { OUTCOMES } from '../../../writing/ledger/outcome.ts';
import { expectsRecords } from '../../../writing/request.ts';
import { attemptTotals, type BulkCounts } from '../../../writing/run.ts';
import { firstRows, type WarningCounts } from '../results/results.ts';
import type { Bulk, BulkInput } from './input.ts';

const MOST_CHANGES = 8;
/** Columns with the number of characters that they need at least. */
const DOI = { name: 'doi', least: 24 };
const VALUE = { least: 12 };

const HEADS = 'doi state asOf outcome changes errors dropped warnings'.split(' ');

/** The changes of this run by line, until the result of the line is printed. */
export type ChangesOfRun = Map<number, readonly Change[]>;

/** The layout of results in CSV, and in the tables that end a run on a terminal. */
export function resultLayout({ input, options: { command } }: Bulk, changed: ChangesOfRun) {
  const { files } = input;
  const place =
    files === undefined
      ? { name: input.rows ? 'row' : 'line', least: 4 }
      : { name: 'file', least: 12 };
  const changes =
    command === 'create'
      ? [place, DOI, { name: 'state' }]
      : [
          place,
          DOI,
          { name: 'field', least: 12 },
          { name: 'before', ...VALUE },
          { name: 'after', ...VALUE },
        ];
  const problems = (
    severity: Finding['severity'],
    problemsOf: (result: LineResult) => readonly Problem[],
  ) =>
    firstRows<LineResult>(
      severity === 'error',
      [place, DOI, { name: severity, least: 30, wraps: true }],
      (result) =>
        problemsOf(result).map((problem) => [
          placeIn(result),
          result.doi ?? '',
          problemText(problem, severity),
        ]),
    );
  return {
    heads: [files === undefined ? 'line' : 'file', ...HEADS],
    cells: ({
      doi,
      state,
      asOf,
      outcome,
      changes: changeList = [],
      errors,
      ...rest
    }: LineResult) => [
      placeIn(rest),
      ...[doi, state, asOf].map((cell) => cell ?? ''),
      outcome,
      changeList
        .map(({ path, before, after }) => `${path}: ${shown(before)} → ${shown(after)}`)
        .join('; '),
      ...[errors, rest.dropped, rest.warnings].map((list = []) =>
        list.map((problem) => problemText(problem)).join('; '),
      ),
    ],
    tables: [
      firstRows<LineResult>(false, changes, (result) => changedRows(result, changed)),
      problems('warning', toldOf),
      problems('error', ({ errors }) => errors),
    ],
  };
}

const placeIn = ({ line, file }: Pick<LineResult, 'line' | 'file'>) =>
  file === undefined ? String(line) : basename(file);

function changedRows(result: LineResult, changed: ChangesOfRun): string[][] {
  const { line, doi, state } = result;
  const changes = changed.get(line);
  changed.delete(line);
  if (changes === undefined) return [];
  const rows = changes
    .slice(0, MOST_CHANGES)
    .map(({ path, before, after }) => [path, ...apart([shown(before), shown(after)])]);
  if (changes.length > MOST_CHANGES) rows.push([`… and ${changes.length - MOST_CHANGES} more`]);
  if (rows.length === 0) rows.push([state ?? '']);
  return rows.map((row, index) => [
    ...(index === 0 ? [placeIn(result), doi ?? ''] : ['', '']),
    ...row,
  ]);
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const toldOf = ({ dropped = [], warnings = [] }: LineResult) => [...dropped, ...warnings];

function findingOf(problem: Problem, severity: Finding['severity']): Finding {
  return { ...problem, severity, path: problem.path ?? '', steps: [] };
}

/** `url: is wrong` */
function problemText(problem: Problem, severity: Finding['severity'] = 'error'): string {
  return findingText(findingOf(problem, severity)).replace(/^\w+: /, '');
}

/** The warnings of a line, including values that the service drops. */
export function warningLines(result: LineResult, input: BulkInput): readonly string[] {
  return failureLines({ ...result, errors: toldOf(result) }, input, 'warning');
}

/** The errors of a line as compilers print them: `records.ndjson:3: error: url: is wrong`. */
export function failureLines(
  { line, file, doi, errors }: LineResult,
  { name, rows, isList, folder }: BulkInput,
  severity: Finding['severity'] = 'error',
): string[] {
  if (isList) return errors.map((problem) => placedText(doi ?? name, findingOf(problem, severity)));
  // The line of a stream cannot be looked up, and rows may have been sorted.
  const which = (rows || folder !== undefined) && doi !== null ? ` (${doi})` : '';
  // Problems of XML already have the lines of their file.
  const lineAt = file === undefined ? { line } : {};
  const at = rows ? { row: line } : lineAt;
  return errors.map(
    (problem) => `${placedText(file ?? name, { ...findingOf(problem, severity), ...at })}${which}`,
  );
}

interface RunReport {
  readonly records: number;
  readonly conflicts: boolean;
  /** Whether a DOI to create exists. */
  readonly taken: boolean;
  readonly warned: WarningCounts;
}

/** Prints the counts of a finished run. @throws {CliError} unless all records are as requested. */
export function reportCounts(
  { context, input, options, flags, target, begun }: Bulk,
  counts: BulkCounts,
  { records, warned, ...causes }: RunReport,
): void {
  for (const line of warned.lines()) context.messages.note(line);
  const { failed, before, wrong } = counts;
  const notTried = records - attemptTotals(counts).all - before;
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
    (part) => [counts[part], labels[part as keyof typeof labels] ?? part] as const,
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
  if (failed + wrong + notTried === 0) {
    context.messages.note(line);
    return;
  }
  const run = { context, input, options, flags };
  const hint = failed > 0 && !target.isPreview ? hintFor(run, counts, causes) : undefined;
  throw new CliError('rejected', line, { hint });
}

function hintFor(
  { context, input, options, flags }: Omit<Bulk, 'target' | 'begun'>,
  { failed, doubtful, unavailable }: BulkCounts,
  { conflicts, taken }: Pick<RunReport, 'conflicts' | 'taken'>,
): string | undefined {
  const noun = input.files === undefined ? 'line' : 'file';
  const singular = input.isList ? 'DOI' : noun;
  const plural = `${singular}s`;
  if (doubtful > 0) {
    const lines = `${number(doubtful)} ${doubtful === 1 ? singular : plural}`;
    const others = failed > doubtful ? `; correct only the ${plural} that were refused` : '';
    const remedy = 'run the same command again, unchanged, to find out';
    return `${lines} may have been carried out: ${remedy}${others}`;
  }
  if (conflicts) {
    return 'export again and repeat the edits that failed, or send them anyway with --overwrite';
  }
  const file = input.folder === undefined ? ['--file', input.name] : [];
  const update = taken
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
