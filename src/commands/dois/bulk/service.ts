import type { Rate } from '../../../api/http/rate-limiter.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { toCliError } from '../../../errors.ts';
import { number } from '../../../text/words.ts';

// The service asks for this rate when about 100,000 records or more are written in a day
// (service.md, E8).
const MANY_RECORDS = 100_000;
const MODEST_RATE = { requests: 500, windowMs: 300_000 };

/** The service for a run that writes. @param rate of `--rate`. @param records to write. */
export function serviceForWrites(
  context: Context,
  rate: Rate | undefined,
  records: number,
): Promise<Service> {
  if (rate !== undefined || records <= MANY_RECORDS)
    return context.service('writes', rate ?? 'service');
  const limit = 'at most 500 requests in five minutes, as the service asks';
  context.messages.status(`${number(records)} records: ${limit} (--rate sets another limit)`);
  return context.service('writes', MODEST_RATE);
}

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
    if (!context.options.anonymous) return await context.service('writes', rate);
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
