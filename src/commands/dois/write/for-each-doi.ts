import type { Context } from '../../../cli/context.ts';
import { CliError, type ErrorKind, type Problem } from '../../../errors.ts';

/** Failures after which the other DOIs would fail too. */
const FATAL: readonly ErrorKind[] = [
  'credentials',
  'unavailable',
  'throttled',
  'output',
  'interrupted',
  'terminated',
  'hung-up',
];

/**
 * Calls `act` for each of several DOIs. After a failure it goes on with the next DOI, unless that would fail
 * too.
 * @param action the participle for the error at the end: `deleted`.
 * @throws {CliError} the failure itself for a single DOI. For several, an error with the kind of the last
 *   failure; the kind is `usage` only when every DOI failed.
 */
export async function forEachDoi(
  context: Context,
  dois: readonly string[],
  action: string,
  act: (doi: string) => Promise<void>,
): Promise<void> {
  const distinct = [...new Map(dois.map((doi) => [doi.toLowerCase(), doi])).values()];
  const failed: string[] = [];
  // Failures that JSON messages cannot show at once are listed in the error at the end.
  const unreported: Problem[] = [];
  let kind: ErrorKind = 'usage';
  for (const doi of distinct) {
    context.host.signal.throwIfAborted();
    try {
      await act(doi);
    } catch (error) {
      if (distinct.length === 1 || !(error instanceof CliError)) throw error;
      if (FATAL.includes(error.kind)) throw listing(error, unreported);
      if (!context.messages.reportAsText(error)) unreported.push(...problemsOf(doi, error));
      failed.push(doi);
      if (error.kind !== 'usage') kind = error.kind;
    }
  }
  if (failed.length > 0) {
    // Exit code 2 says that nothing was done.
    const final = kind === 'usage' && failed.length < distinct.length ? 'rejected' : kind;
    const message = `${failed.length} of ${distinct.length} DOIs were not ${action}: ${failed.join(', ')}`;
    throw listing(new CliError(final, message), unreported);
  }
}

function problemsOf(doi: string, { message, problems, lines }: CliError): Problem[] {
  const own = lines.length === 0 ? [] : problems;
  return [{ path: doi, message }, ...own.map((one) => ({ ...one, path: `${doi}: ${one.path}` }))];
}

/** The error with these problems, if there are any. */
function listing(error: CliError, problems: readonly Problem[]): CliError {
  if (problems.length === 0) return error;
  return error.with({ problems, lines: problems.map(({ path, message }) => `${path}: ${message}`) });
}
