import type { Doi } from '../api/dois.ts';
import { type Event, stateAfter } from '../api/states.ts';
import { isNonEmptyString } from '../text/json-values.ts';

/** What was done to a record. */
export type Action = 'created' | 'updated' | 'published' | 'registered' | 'hidden';

/** How the state of a record differs from the one asked for; undefined when it does not. */
export function stateProblem(
  { id, attributes }: Doi,
  action: Action,
  event: Event | undefined,
): string | undefined {
  if (event === undefined && action !== 'created') return undefined;
  const expected = stateAfter(event);
  const { state, reason } = attributes;
  if (state === expected) return undefined;
  const found = state === undefined ? 'the service does not say its state' : `its state is ${String(state)}`;
  const why = isNonEmptyString(reason) ? `: ${reason}` : whyNot(event, attributes);
  return `${id} was ${action}, but ${found}, not ${expected} as asked${why}`;
}

/** Why an event may have had no effect, judging by the record. */
function whyNot(event: Event | undefined, { url, state }: Doi['attributes']): string {
  if (event === 'hide' && state === 'draft') return ': only a Findable record can be hidden';
  if (event === 'register' && state === 'findable') return ': a Findable record can only be hidden';
  if (event === 'show' && state === 'draft') return ': only a Registered record can be shown';
  if (event !== undefined && event !== 'hide' && !url) return ': it has no URL';
  return event === undefined ? '' : ': the service ignored the event';
}
