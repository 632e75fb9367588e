import { type Doi, getDoi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { CliError } from '../../../errors.ts';

/**
 * Reads a DOI that is about to be changed.
 * @throws {CliError} kind `not-found` where these credentials cannot see it.
 */
export async function getExistingDoi(
  service: Service,
  doi: string,
  options?: Parameters<typeof getDoi>[2],
): Promise<Doi> {
  try {
    return await getDoi(service, doi, options);
  } catch (error) {
    throw asNotFound(error, doi, 'these credentials');
  }
}

/**
 * A `not-found` error that says that the DOI may exist and be hidden from the reader; other errors as they
 * are.
 */
export function asNotFound(error: unknown, doi: string, reader: string, hint?: string): unknown {
  if (!(error instanceof CliError) || error.kind !== 'not-found') return error;
  return error.with({ message: `${doi} does not exist, or ${reader} may not read it`, hint, problems: [] });
}
