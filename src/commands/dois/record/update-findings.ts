import type { Doi } from '../../../api/dois.ts';
import { type Event, isEvent, STATES, type State, stateAfter } from '../../../api/states.ts';
import type { Finding } from '../../../metadata/check.ts';
import { requiredFindings } from '../../../metadata/required.ts';
import type { ParsedRecord } from './document.ts';
import { lostIdentifiers } from './lost-identifiers.ts';

/** What is wrong with an update only beside the record as it is. */
export function beside(before: Doi, record: ParsedRecord, event: Event | undefined): readonly Finding[] {
  return [...missing(before, record, event), ...lostIdentifiers(before.attributes, record.attributes)];
}

/** What the record would lack in its state, as far as this update has to do with it. */
function missing(before: Doi, { attributes }: ParsedRecord, event: Event | undefined): readonly Finding[] {
  const state: State | undefined =
    event === undefined ? STATES.find((one) => one === before.attributes['state']) : stateAfter(event);
  if (state === undefined || state === 'draft') return [];
  // The service makes the XML of what a record holds: it says nothing about what is missing.
  const { xml: _, ...own } = before.attributes;
  const all = requiredFindings({ ...own, ...attributes }, state);
  // An old record may have lacked something for long.
  return isEvent(event) ? all : all.filter(({ steps }) => String(steps[0]) in attributes);
}
