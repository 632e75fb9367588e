import { STATES } from '../api/states.ts';
import { CliError, type Problem } from '../errors.ts';
import type { Numbered } from '../formats/input/source.ts';
import type { Finding } from '../metadata/check.ts';
import { InDoubt } from './create-record.ts';
import { firstFindings, isError, toProblem } from './findings.ts';
import { changesMember } from './ledger/changes.ts';
import type { LineResult } from './ledger/entry.ts';
import type { ChangeRequest } from './request.ts';
import type { WriteOutcome } from './write.ts';
import type { WriteRun } from './write-run.ts';

/** The result of a line that did not fail; a dry run shows what would change. */
export function resultOf(
  { io, mode }: WriteRun,
  { files }: Numbered,
  line: number,
  { outcome, doi, record, changes, findings, problem }: WriteOutcome,
): LineResult {
  const state = STATES.find((name) => name === record?.attributes['state']) ?? null;
  const asOf = state === null ? undefined : new Date(io.host.now()).toISOString();
  const errors =
    problem === undefined ? [] : [{ path: 'state', message: io.redactor.mask(problem) }];
  const preview = mode === 'send' ? undefined : changes && changesMember(changes);
  const shown = { changes: preview, errors, ...findingMembers(findings) };
  return { line, file: files?.[line - 1], doi: doi ?? null, state, asOf, outcome, ...shown };
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

/** The result of a line that failed. */
export function failedResult(
  { io }: WriteRun,
  { files }: Numbered,
  line: number,
  doi: string | null,
  thrown: CliError | InDoubt,
): LineResult {
  const isInDoubt = thrown instanceof InDoubt;
  const error = isInDoubt ? thrown.reason : thrown;
  const why = isInDoubt ? IN_DOUBT : reasonOf(io, doi, error);
  const listed =
    error.problems.length > 0 ? error.problems : [{ path: null, message: error.message }];
  const mask = (text: string) => io.redactor.mask(text);
  const errors = listed.map(({ path, message, ...more }) => ({
    path: path && mask(path),
    message: mask(`${message}${why}`),
    ...more,
  }));
  return { line, file: files?.[line - 1], doi, state: null, outcome: 'failed', errors };
}

/** The next run finds the record, as long as its line is unchanged. */
const IN_DOUBT = ' (the record may have been created: run the same command again, unchanged)';

/** The hint of an error in brackets, if it adds facts: a prefix's owner (service.md, W8). */
function reasonOf(
  { suggest }: WriteRun['io'],
  doi: string | null,
  { kind, hint }: CliError,
): string {
  if (kind === 'unavailable' && doi !== null) return ` (${suggest('dois', 'get', doi)})`;
  return kind === 'credentials' && hint !== undefined ? ` (${hint})` : '';
}

/**
 * Returns the outcome of an event.
 * @throws {CliError} kind `rejected` where the event did not change the state.
 */
export function requireState(outcome: WriteOutcome, { command }: ChangeRequest): WriteOutcome {
  if (outcome.problem === undefined || command === 'create' || command === 'update') return outcome;
  throw new CliError('rejected', outcome.problem);
}
