import type { Doi } from '../../../api/dois.ts';
import { type Event, stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';

/** What a command did to a record. */
export type Action = 'created' | 'updated' | 'published' | 'registered' | 'hidden';

/**
 * Refuses an event that the service would ignore in the present state of a record (observed).
 * @throws {CliError} kind `rejected`.
 */
export function refuseIneffective(
  context: Context,
  event: Event | undefined,
  { id, attributes: { state } }: Doi,
): void {
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

/**
 * Compares the state of the record in the answer with the event of the request: the service may leave a
 * record in another state and still answer with success (observed).
 * @throws {CliError} kind `rejected` when they differ. The rest of the request has been carried out.
 */
export function checkState(
  { id, attributes }: Doi,
  action: Action,
  event: Event | undefined,
  hint: string,
): void {
  if (event === undefined && action !== 'created') return;
  const expected = stateAfter(event);
  const { state, reason } = attributes;
  if (state === expected) return;
  const found = state === undefined ? 'the service does not say its state' : `its state is ${String(state)}`;
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : whyNot(event, attributes);
  throw new CliError('rejected', `${id} was ${action}, but ${found}, not ${expected} as asked${why}`, {
    hint,
  });
}

/** Why an event may have had no effect, as far as the record shows it. */
function whyNot(event: Event | undefined, { url, state }: Doi['attributes']): string {
  if (event === 'hide' && state === 'draft') return ': only a Findable record can be hidden';
  if (event === 'register' && state === 'findable') return ': a Findable record can only be hidden';
  if (event !== undefined && event !== 'hide' && !url) return ': it has no URL';
  return event === undefined ? '' : ': the service ignored the event';
}
