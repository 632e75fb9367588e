import type { Doi } from '../../../api/dois.ts';
import type { Event } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';

/**
 * Refuses an event that the service would ignore in the state that a record is in (observed).
 * @throws {CliError} kind `rejected`.
 */
export function refuseUnfit(
  context: Context,
  event: Event | undefined,
  { id, attributes: { state } }: Doi,
): void {
  if (event === 'hide' && state === 'draft') {
    throw new CliError('rejected', `${id} is a Draft, which nobody else sees anyway`, {
      hint: `to make it known to the Handle System alone: ${context.suggest('dois', 'register', id)}`,
    });
  }
  if (event === 'register' && state === 'findable') {
    throw new CliError('rejected', `${id} is Findable, and registered with that`, {
      hint: `to take it out of the index: ${context.suggest('dois', 'hide', id)}`,
    });
  }
}
