import { basename } from 'node:path';
import type { Problem } from '../../../errors.ts';
import { type Finding, findingText } from '../../../metadata/check.ts';
import { apart } from '../../../text/words.ts';
import { placedText } from '../../../writing/findings.ts';
import type { LineResult } from '../../../writing/ledger/entry.ts';
import type { FinishedLine } from '../../../writing/run.ts';
import { firstRows } from '../results/results.ts';
import type { Bulk, BulkInput } from './input.ts';

const MOST_CHANGES = 8;
/** Columns with the number of characters that they need at least. */
const DOI = { name: 'doi', least: 24 };
const VALUE = { least: 12 };

const HEADS = 'doi state asOf outcome changes errors dropped warnings'.split(' ');

/** The layout of results in CSV, and in the tables that end a run on a terminal. */
export function resultLayout({ input, options: { command } }: Bulk) {
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
    firstRows<FinishedLine>(
      severity === 'error',
      [place, DOI, { name: severity, least: 30, wraps: true }],
      ({ result }) =>
        problemsOf(result).map((problem) => [
          placeIn(result),
          result.doi ?? '',
          problemText(problem, severity),
        ]),
    );
  return {
    heads: [files === undefined ? 'line' : 'file', ...HEADS],
    json: ({ result }: FinishedLine) => JSON.stringify(result),
    cells: ({
      result: { doi, state, asOf, outcome, changes: changeList = [], errors, ...rest },
    }: FinishedLine) => [
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
      firstRows<FinishedLine>(false, changes, changedRows),
      problems('warning', toldOf),
      problems('error', ({ errors }) => errors),
    ],
  };
}

const placeIn = ({ line, file }: Pick<LineResult, 'line' | 'file'>) =>
  file === undefined ? String(line) : basename(file);

/** The rows of a line that this run has changed, or would change. */
function changedRows({ result, outcome }: FinishedLine): string[][] {
  const { doi, state } = result;
  const { changes = [] } = outcome ?? {};
  const isNew = outcome?.outcome === 'created';
  const isChange = outcome?.changes !== undefined && outcome.outcome !== 'unchanged';
  if (!isNew && !isChange) return [];
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
