import { getSystemErrorMap } from 'node:util';
import { errorCode } from '../errors.ts';

/**
 * The reason of a failed operation on a file, in words; an error that is not the system's has its
 * own.
 */
export function systemReason(error: unknown): string {
  const { message } = error as Error;
  const code = errorCode(error) ?? '';
  // Errors of our own with a system's code have words already.
  if (!message.startsWith(`${code}:`)) return message;
  const [, reason = message] =
    [...getSystemErrorMap().values()].find(([name]) => name === code) ?? [];
  return reason;
}
