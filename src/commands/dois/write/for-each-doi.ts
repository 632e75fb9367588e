import type { Context } from '../../../cli/context.ts';
import { CliError, type ErrorKind, type Problem, toCliError } from '../../../errors.ts';

/**
 * Does something with each of several DOIs. One that fails does not keep the others from it, unless the service cannot
 * be used at all.
 * @param what was not done to all, for the error at the end: `deleted`.
 * @throws {CliError} of the kind of the last failure, but `usage` only where nothing was done for any; the failure itself
 *   where there is one DOI alone.
 */
export async function forEachDoi(
  context: Context,
  dois: readonly string[],
  what: string,
  act: (doi: string) => Promise<void>,
): Promise<void> {
  const distinct = [...new Map(dois.map((doi) => [doi.toLowerCase(), doi])).values()];
  const failed: string[] = [];
  // What is not said at once stands in the error at the end.
  const untold: Problem[] = [];
  let kind: ErrorKind = 'usage';
  for (const doi of distinct) {
    context.host.signal.throwIfAborted();
    try {
      await act(doi);
    } catch (error) {
      const failure = toCliError(error);
      if (distinct.length === 1 || !(error instanceof CliError)) throw error;
      if (ENDING.includes(failure.kind)) throw withProblems(failure, untold);
      if (!context.messages.reportAsText(failure)) untold.push(...problemsOf(doi, failure));
      failed.push(doi);
      if (failure.kind !== 'usage') kind = failure.kind;
    }
  }
  if (failed.length > 0) {
    // To be told apart from a slip with which nothing was sent.
    const ending = kind === 'usage' && failed.length < distinct.length ? 'rejected' : kind;
    const message = `${failed.length} of ${distinct.length} DOIs were not ${what}: ${failed.join(', ')}`;
    throw withProblems(new CliError(ending, message), untold);
  }
}

function problemsOf(doi: string, { message, problems, lines }: CliError): Problem[] {
  const own = lines.length === 0 ? [] : problems;
  return [{ path: doi, message }, ...own.map((one) => ({ ...one, path: `${doi}: ${one.path}` }))];
}

function withProblems(error: CliError, problems: readonly Problem[]): CliError {
  if (problems.length === 0) return error;
  return new CliError(error.kind, error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.status === undefined ? {} : { status: error.status }),
    problems,
    lines: problems.map(({ path, message }) => `${path}: ${message}`),
    cause: error,
  });
}

const ENDING: readonly ErrorKind[] = [
  'credentials',
  'unavailable',
  'throttled',
  'output',
  'interrupted',
  'terminated',
  'hung-up',
];
