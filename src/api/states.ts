import { isNonEmptyString, type JsonObject } from '../text/json-values.ts';

/** The events that move a DOI between its states (service.md, W3). */
export const EVENTS = ['publish', 'register', 'hide', 'show'] as const;
export type Event = (typeof EVENTS)[number];

/** The states of a DOI, as the service spells them. */
export const STATES = ['draft', 'registered', 'findable'] as const;
export type State = (typeof STATES)[number];

const STATE_AFTER: Readonly<Record<Event, State>> = {
  publish: 'findable',
  register: 'registered',
  hide: 'registered',
  show: 'findable',
};

/** The state that an event leads to; Draft without an event. */
export function stateAfter(event: Event | undefined): State {
  return event === undefined ? 'draft' : STATE_AFTER[event];
}

export function isEvent(value: unknown): value is Event {
  return EVENTS.includes(value as Event);
}

type Action = 'created' | 'updated' | 'published' | 'registered' | 'hidden' | 'transferred';

/** The problem if a record is not in the state that the event, or its creation, should lead to. */
export function stateProblem(
  { id, attributes }: { readonly id: string; readonly attributes: JsonObject },
  action: Action,
  event: Event | undefined,
): string | undefined {
  const expected = stateAfter(event);
  const { state, reason } = attributes;
  if (state === expected) return undefined;
  const actual =
    state === undefined ? 'the service does not report its state' : `its state is ${String(state)}`;
  const why = isNonEmptyString(reason) ? `: ${reason}` : whyNot(event, attributes);
  return `${id} was ${action}, but ${actual}, not ${expected} as requested${why}`;
}

/** Why an event may have had no effect, judging by the record. */
function whyNot(event: Event | undefined, { url, state }: JsonObject): string {
  if (event === 'hide' && state === 'draft') return ': only a Findable record can be hidden';
  if (event === 'register' && state === 'findable') return ': a Findable record can only be hidden';
  if (event === 'show' && state === 'draft') return ': only a Registered record can be shown';
  if (event !== undefined && event !== 'hide' && !url) return ': it has no URL';
  return event === undefined ? '' : ': the service ignored the event';
}
