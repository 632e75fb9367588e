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

/** Whether a value is the name of an event. */
export function isEvent(value: unknown): value is Event {
  return EVENTS.includes(value as Event);
}
