import { CliError } from '../../errors.ts';
import { BadBody, WebPage } from './body.ts';
import type { Call } from './call.ts';
import { isTransient, type Refusal, refusalError } from './refusal.ts';

/** An attempt that brought no answer, or a refusal. */
export interface Failure {
  readonly reason: string;
  readonly unsent: boolean;
  readonly refusal?: Refusal;
  readonly cause?: Error;
}

/** Whether the service asks for fewer requests. */
export function isThrottled({ refusal }: Failure): boolean {
  return (
    refusal !== undefined && (refusal.status === 429 || (refusal.status === 403 && isTransient(refusal)))
  );
}

/** True when what was asked for may have been done all the same. */
export function isLost({ unsent, refusal }: Failure): boolean {
  return refusal === undefined ? !unsent : refusal.status === 408 || refusal.status >= 500;
}

/** What became of a call in doubt: its answer, that it had no effect, or that nobody knows. */
export async function settle<T>(call: Call<T>): Promise<{ readonly value: T } | 'undone' | 'unknown'> {
  if (call.settle === undefined) return 'unknown';
  try {
    return (await call.settle()) ?? 'undone';
  } catch (error) {
    // What made the call fail matters more, unless the credentials are no longer good or the run was stopped.
    if (error instanceof CliError && ['unavailable', 'throttled'].includes(error.kind)) return 'unknown';
    throw error;
  }
}

/** Whether another attempt may help and can do no harm. */
export function mayRepeat(
  { method, idempotent }: Call<unknown>,
  { unsent, refusal }: Failure,
  settled: 'undone' | 'unknown',
): boolean {
  if (refusal !== undefined && !isTransient(refusal)) return false;
  if (method === 'PUT' && settled === 'undone') return true;
  return idempotent || method === 'GET' || method === 'DELETE' || unsent || refusal?.status === 429;
}

/** What a call is ended with. */
export function failureError(
  { reason, unsent, refusal, cause }: Failure,
  call: Call<unknown>,
  attempts: number,
): CliError {
  if (refusal !== undefined) return refusalError(refusal, call.method !== 'GET' && refusal.status >= 500);
  const tried = attempts === 1 ? '' : ` (${attempts} attempts)`;
  const doubt = unsent || call.method === 'GET' ? '' : '; the request may have had its effect';
  const what = cause instanceof BadBody ? 'no usable answer' : 'no answer';
  return new CliError('unavailable', `${what} from ${call.url.host}: ${reason}${tried}${doubt}`, {
    hint: unsent || cause instanceof WebPage ? 'check the network and --base-url' : 'try again later',
    cause,
  });
}
