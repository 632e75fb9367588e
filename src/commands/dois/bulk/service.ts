import type { Rate } from '../../../api/http/rate-limiter.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { toCliError } from '../../../errors.ts';

/**
 * The service for the checks of a dry run of a creation; undefined without credentials, which it
 * does not need.
 */
export async function serviceForCheck(
  context: Context,
  rate?: Rate | 'service',
): Promise<Service | undefined> {
  let reason = 'no credentials are used';
  try {
    if (!context.options.anonymous) return await context.services.open('writes', rate);
  } catch (error) {
    const { kind, message } = toCliError(error);
    if (kind !== 'credentials') throw error;
    reason = message;
  }
  context.messages.note(
    `${reason}: not checked whether the account may create the DOI, and whether it exists`,
  );
  return undefined;
}
