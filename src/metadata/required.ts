import type { State } from '../api/states.ts';
import type { Path } from '../text/json-positions.ts';
import type { JsonObject } from '../text/json-values.ts';
import { type Finding, findingAt, type Severity } from './findings.ts';

// A Findable record needs all of these (observed).
const REQUIRED: readonly Path[] = [
  ['creators'],
  ['titles'],
  ['publisher'],
  ['publicationYear'],
  ['types', 'resourceTypeGeneral'],
  ['url'],
];

/**
 * The attributes that a record lacks for a state. DataCite XML may hold all of them but the URL, so with XML
 * only the URL is required.
 */
export function requiredFindings(
  attributes: JsonObject,
  state: Exclude<State, 'draft'>,
  severity: Severity = 'error',
): readonly Finding[] {
  const message = `is missing: a ${state === 'findable' ? 'Findable' : 'Registered'} record needs it`;
  const paths = isEmpty(attributes['xml']) ? REQUIRED : REQUIRED.slice(-1);
  return paths
    .filter((steps) => isEmpty(valueAt(attributes, steps)))
    .map((steps) => findingAt(severity, steps, { message }));
}

function valueAt(attributes: JsonObject, steps: Path): unknown {
  return steps.reduce<unknown>((value, step) => (value as JsonObject | null | undefined)?.[step], attributes);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null;
}
