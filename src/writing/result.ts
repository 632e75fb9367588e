import { STATES } from '../api/states.ts';
import { CliError, type Problem } from '../errors.ts';
import type { InputRecord, Numbered } from '../formats/input/source.ts';
import type { Finding } from '../metadata/check.ts';
import { InDoubt } from './create-record.ts';
import { firstFindings, isError, toProblem } from './findings.ts';
import { changesMember } from './ledger/changes.ts';
import type { LineResult } from './ledger/entry.ts';
import { doiIn, type RequestOptions } from './request.ts';
import type { RunContext } from './send.ts';
import type { WriteOutcome } from './write.ts';

/** The parts of a run that results depend on. */
interface ResultContext {
  readonly context: RunContext;
  readonly file: Numbered;
  readonly options: RequestOptions;
}

/** The result of a line that did not fail. @param isDryRun whether to show what would change. */
export function resultOf(
  { context, file }: Pick<ResultContext, 'context' | 'file'>,
  line: number,
  { outcome, doi, record, changes, findings, problem }: WriteOutcome,
  isDryRun: boolean,
): LineResult {
  const state = STATES.find((name) => name === record?.attributes['state']) ?? null;
  const asOf = state === null ? undefined : new Date(context.host.now()).toISOString();
  const errors =
    problem === undefined ? [] : [{ path: 'state', message: context.redactor.mask(problem) }];
  const preview = isDryRun ? changes && changesMember(changes) : undefined;
  const shown = { changes: preview, errors, ...findingMembers(findings) };
  return { line, file: file.files?.[line - 1], doi: doi ?? null, state, asOf, outcome, ...shown };
}

function findingMembers(all: readonly Finding[]): Pick<LineResult, 'dropped' | 'warnings'> {
  const findings = firstFindings(all);
  const dropped = findings.filter((finding) => finding.dropped).map(toProblem);
  const warnings = findings
    .filter((finding) => !finding.dropped && !isError(finding))
    .map(toProblem);
  return {
    ...(dropped.length > 0 ? { dropped } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Whether a DOI could not be created because it exists. */
export function isTaken({ path, message }: Problem): boolean {
  return path === 'doi' && /taken|exists already/i.test(message);
}

/** The result of a line that failed. @param reserved its DOI in the ledger. */
export function failedResult(
  { context, file, options }: ResultContext,
  input: InputRecord,
  reserved: string | undefined,
  thrown: CliError | InDoubt,
): LineResult {
  const isInDoubt = thrown instanceof InDoubt;
  const error = isInDoubt ? thrown.reason : thrown;
  const doi = doiIn(input, file, options) ?? reserved ?? null;
  const why = isInDoubt ? IN_DOUBT : reasonOf(context, doi, error);
  const listed =
    error.problems.length > 0 ? error.problems : [{ path: null, message: error.message }];
  const mask = (text: string) => context.redactor.mask(text);
  const errors = listed.map(({ path, message, ...more }) => ({
    path: path && mask(path),
    message: mask(`${message}${why}`),
    ...more,
  }));
  return {
    line: input.line,
    file: file.files?.[input.line - 1],
    doi,
    state: null,
    outcome: 'failed',
    errors,
  };
}

/** The next run finds the record, as long as its line is unchanged. */
const IN_DOUBT = ' (the record may have been created: run the same command again, unchanged)';

/** The hint of an error in brackets, if it adds facts: a prefix's owner (service.md, W8). */
function reasonOf(context: RunContext, doi: string | null, { kind, hint }: CliError): string {
  if (kind === 'unavailable' && doi !== null) return ` (${context.suggest('dois', 'get', doi)})`;
  return kind === 'credentials' && hint !== undefined ? ` (${hint})` : '';
}

/**
 * Returns the outcome of an event.
 * @throws {CliError} kind `rejected` where the event did not change the state.
 */
export function requireState(outcome: WriteOutcome, { command }: RequestOptions): WriteOutcome {
  if (outcome.problem === undefined || command === 'create' || command === 'update') return outcome;
  throw new CliError('rejected', outcome.problem);
}
