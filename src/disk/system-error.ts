import { getSystemErrorMap } from 'node:util';
import { errorCode } from '../errors.ts';

/**
 * The reason of a failed file operation, in words. For an error that is not the system's, its
 * message.
 */
export function systemReason(error: unknown): string {
  const { message } = error as Error;
  const code = errorCode(error) ?? '';
  // Our own errors with a system code have a message already.
  if (!message.startsWith(`${code}:`)) return message;
  const [, reason = message] =
    [...getSystemErrorMap().values()].find(([name]) => name === code) ?? [];
  return reason;
}
