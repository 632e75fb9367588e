import type { Context } from '../../cli/context.ts';
import { type ErrorKind, toCliError } from '../../errors.ts';

/** What one check found. */
export interface Finding {
  readonly check: string;
  /** A `warning` limits what can be done; a `problem` makes commands fail. */
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** What to do; null where there is nothing to do. */
  readonly hint: string | null;
  /** The kind of the error that a problem is; it decides the exit code. */
  readonly kind?: ErrorKind;
}

/** A check that found nothing wrong. */
export function fine(check: string, message: string, hint: string | null = null): Finding {
  return { check, status: 'ok', message, hint };
}

/** A check that found a limit. */
export function warning(check: string, message: string, hint: string | null = null): Finding {
  return { check, status: 'warning', message, hint };
}

/**
 * A problem in the words of an error.
 * @throws the reason of a stopped run.
 */
export function problem(context: Context, check: string, thrown: unknown): Finding {
  if (context.host.signal.aborted) throw context.host.signal.reason;
  const { kind, message, hint = null } = toCliError(thrown);
  return { check, status: 'problem', message, hint, kind };
}
