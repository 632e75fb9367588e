import { CliError, usageError } from '../errors.ts';
import { confirm } from '../ui/input.ts';
import type { Io } from './io.ts';

interface Confirmation {
  readonly yes: boolean | undefined;
  /** The reason for the question, which begins the error: `revoking keys asks for confirmation`. */
  readonly reason: string;
  /** The hint of that error; the same command with `--yes` by default. */
  readonly retry?: string;
  /** The error if the answer is no. */
  readonly declined: string;
}

/**
 * Prepares a question, before any request. Without a terminal, `--yes` is required.
 */
export function confirmation(
  context: Io,
  { yes, reason, retry = context.again(['--yes']), declined }: Confirmation,
): (question: string) => Promise<void> {
  if (yes) return async () => undefined;
  if (!context.interactive)
    throw usageError(`${reason}, and there is no terminal to ask on`, retry);
  return async (question) => {
    if (!(await confirm(context, question))) throw new CliError('rejected', declined);
  };
}
