import type { State } from '../api/states.ts';
import { type Path, pathText } from '../text/json-places.ts';
import type { Finding } from './findings.ts';

type Attributes = Readonly<Record<string, unknown>>;

// What a Findable record cannot be without (observed).
const REQUIRED: readonly Path[] = [
  ['creators'],
  ['titles'],
  ['publisher'],
  ['publicationYear'],
  ['types', 'resourceTypeGeneral'],
  ['url'],
];

/**
 * What a record still lacks for a state. A Draft needs a DOI or a prefix alone, which is for whoever creates it to
 * look at. DataCite XML may hold the rest, so that with it only the address is asked for.
 */
export function requiredFindings(
  attributes: Attributes,
  state: Exclude<State, 'draft'>,
  severity: Finding['severity'] = 'error',
): readonly Finding[] {
  const paths = isEmpty(attributes['xml']) ? REQUIRED : REQUIRED.slice(-1);
  return paths
    .filter((steps) => isEmpty(valueAt(attributes, steps)))
    .map((steps) => ({
      severity,
      path: pathText(steps),
      steps,
      message: `is missing: a ${state === 'findable' ? 'Findable' : 'Registered'} record needs it`,
    }));
}

function valueAt(attributes: Attributes, steps: Path): unknown {
  return steps.reduce<unknown>((value, step) => (value as Attributes | null | undefined)?.[step], attributes);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null;
}
