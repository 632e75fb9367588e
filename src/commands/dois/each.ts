import type { Context } from '../../context.ts';
import { CliError, type ErrorKind, toCliError } from '../../errors.ts';

/**
 * Does something with each of several DOIs. One that fails does not keep the others from it, unless the service cannot
 * be used at all.
 * @param what was not done to all, for the error at the end: `deleted`.
 * @throws {CliError} of the kind of the last failure; the failure itself where there is one DOI alone.
 */
export async function withEach(
  context: Context,
  dois: readonly string[],
  what: string,
  act: (doi: string) => Promise<void>,
): Promise<void> {
  const distinct = [...new Map(dois.map((doi) => [doi.toLowerCase(), doi])).values()];
  const failed: string[] = [];
  let kind: ErrorKind = 'rejected';
  for (const doi of distinct) {
    context.host.signal.throwIfAborted();
    try {
      await act(doi);
    } catch (error) {
      const failure = toCliError(error);
      if (distinct.length === 1 || !(error instanceof CliError) || ENDING.includes(failure.kind)) throw error;
      context.messages.failure([...failure.lines, failure.message].join('\n'));
      failed.push(doi);
      kind = failure.kind;
    }
  }
  if (failed.length > 0) {
    throw new CliError(
      kind,
      `${failed.length} of ${distinct.length} DOIs were not ${what}: ${failed.join(', ')}`,
    );
  }
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
