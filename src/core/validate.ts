import type { Attributes as Stored } from '../api/dois.ts';
import { doiBody } from '../api/dois.ts';
import { isEvent, STATES, type State, stateAfter } from '../api/states.ts';
import { usageError } from '../errors.ts';
import { type ParsedRecord, recordOf } from '../formats/input/record.ts';
import { storedAttributes } from '../metadata/corrections.ts';
import type { Finding } from '../metadata/findings.ts';
import { requiredFindings } from '../metadata/rules.ts';
import type { Attributes } from '../metadata/schema/types.ts';
import { isObject, type JsonObject } from '../text/json-values.ts';
import { findingsIn } from '../writing/findings.ts';

/** A finding about the attributes of a record. */
export interface DoiFinding {
  /** The service refuses an error; it takes a warning, or drops what the warning is about. */
  readonly severity: 'error' | 'warning';
  /** Where it is: `creators[0].name`. */
  readonly path: string;
  /** The problem, in words that follow the path. */
  readonly message: string;
  readonly value?: unknown;
  /** The values of a controlled list. */
  readonly allowed?: readonly string[] | undefined;
  readonly suggestion?: string | undefined;
  /** Whether the service drops the value without a word. */
  readonly dropped?: boolean;
}

/**
 * Checks attributes as `doi-cli dois validate` does, by the DataCite Metadata Schema and the rules
 * of the service. It sends nothing.
 * @param options.state to check for; by default that of the event among the attributes, or their
 *   own.
 * @returns errors first; empty for a valid record.
 * @throws {DoiCliError} kind `usage` for attributes that are not an object of JSON.
 */
export function validate(
  attributes: unknown,
  options: { readonly state?: 'draft' | 'registered' | 'findable' | undefined } = {},
): readonly DoiFinding[] {
  requireJson(attributes);
  const record = recordOf(JSON.parse(JSON.stringify(attributes)) as JsonObject, 'attributes');
  const state = options.state ?? stateOf(record);
  if (!STATES.includes(state)) throw usageError('state is not draft, registered or findable');
  return recordFindings(record, state).map(({ steps: _, ...finding }) => finding);
}

/**
 * What is wrong with a record for a state. A Draft needs no more, but hears what it lacks to become
 * Findable. @internal
 */
export function recordFindings(
  record: ParsedRecord,
  state: State,
  more: readonly Finding[] = [],
): readonly Finding[] {
  const lacking =
    state === 'draft' ? requiredFindings(record.attributes, 'findable', 'warning') : [];
  return findingsIn(record, state, [...lacking, ...more]);
}

/**
 * The state to check for: that of an event, given or in the record, or else the record's present
 * state. @internal
 */
export function stateOf({ attributes }: ParsedRecord, event: unknown = attributes['event']): State {
  if (isEvent(event)) return stateAfter(event);
  return STATES.find((state) => state === attributes['state']) ?? 'draft';
}

/**
 * The document to send. @throws {CliError} kind `usage` for attributes that JSON would leave out or
 * alter. @internal
 */
export function bodyOf(attributes: Attributes): string {
  requireJson(attributes);
  const { event } = attributes;
  if (event !== undefined && !isEvent(event)) {
    throw usageError('attributes.event is not publish, register, hide or show');
  }
  return doiBody(attributes);
}

/**
 * What the service stores of attributes: it drops some without a word (service.md, S1). @internal
 */
export function heldOf(attributes: Attributes): Stored {
  return storedAttributes(attributes, findingsIn(recordOf(attributes, 'attributes'), 'update'));
}

/**
 * @throws {CliError} kind `usage` for a value that JSON has no word for, such as NaN, which would
 * become null.
 */
function requireJson(attributes: unknown): asserts attributes is Readonly<Record<string, unknown>> {
  if (!isObject(attributes) || Symbol.iterator in attributes)
    throw usageError('attributes: not an object');
  try {
    JSON.stringify(attributes, (name, value: unknown) => {
      const isLost =
        ['function', 'symbol', 'bigint'].includes(typeof value) ||
        (typeof value === 'number' && !Number.isFinite(value)) ||
        value instanceof Map ||
        value instanceof Set;
      if (isLost) throw new Error(`${name} is not a value of JSON`);
      return value;
    });
  } catch (error) {
    throw usageError(`attributes: ${(error as Error).message.split('\n')[0]}`);
  }
}
