import { type Doi, getDoi } from '../api/dois.ts';
import type { Service } from '../api/service.ts';
import type { Event } from '../api/states.ts';
import { CliError } from '../errors.ts';
import type { RunContext } from './run-context.ts';

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
    throw asNotFound(error, doi, service);
  }
}

/** A `not-found` error that says that the DOI may be hidden (service.md, A12); other errors as they are. */
export function asNotFound(error: unknown, doi: string, { credentials }: Service, hint?: string): unknown {
  const reader = credentials === undefined ? 'anonymous readers' : 'these credentials';
  if (!(error instanceof CliError) || error.kind !== 'not-found') return error;
  return error.with({ message: `${doi} does not exist, or ${reader} may not read it`, hint, problems: [] });
}

/**
 * Refuses an event that the service would ignore in the present state of a record (service.md, W4).
 * @throws {CliError} kind `rejected`.
 */
export function refuseIneffective(
  context: RunContext,
  event: Event | undefined,
  { id, attributes: { state } }: Doi,
): void {
  if (event === 'show' && state === 'draft') {
    throw new CliError('rejected', `${id} is a Draft, and show is for Registered records`, {
      hint: `to make it Findable: ${context.suggest('dois', 'publish', id)}`,
    });
  }
  if (event === 'hide' && state === 'draft') {
    throw new CliError('rejected', `${id} is a Draft, which is already hidden from others`, {
      hint: `to register it without adding it to the index: ${context.suggest('dois', 'register', id)}`,
    });
  }
  if (event === 'register' && state === 'findable') {
    throw new CliError('rejected', `${id} is Findable, which includes being registered`, {
      hint: `to remove it from the index: ${context.suggest('dois', 'hide', id)}`,
    });
  }
}
