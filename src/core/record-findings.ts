import { isEvent, STATES, type State, stateAfter } from '../api/states.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import type { Finding } from '../metadata/findings.ts';
import { requiredFindings } from '../metadata/rules.ts';
import { findingsIn } from '../writing/findings.ts';

/** The findings in a record for a state. Missing properties of a Draft are warnings. */
export function recordFindings(
  record: ParsedRecord,
  state: State,
  more: readonly Finding[] = [],
): readonly Finding[] {
  const lacking =
    state === 'draft' ? requiredFindings(record.attributes, 'findable', 'warning') : [];
  return findingsIn(record, state, [...lacking, ...more]);
}

/** The state to check for: after the event, or else the present one. */
export function stateOf({ attributes }: ParsedRecord, event: unknown = attributes['event']): State {
  if (isEvent(event)) return stateAfter(event);
  return STATES.find((state) => state === attributes['state']) ?? 'draft';
}
