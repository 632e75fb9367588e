import { recordFindings, stateOf } from '../core/record-findings.ts';
import { usageError } from '../errors.ts';
import { recordOf } from '../formats/input/record.ts';
import { prepareXmlOf } from '../metadata/xml-attributes.ts';
import { isObject, type JsonObject } from '../text/json-values.ts';
import { unreadDois } from '../writing/unread-dois.ts';

/** A finding about the attributes of a record. */
export interface DoiFinding {
  /** The service refuses errors. It accepts values with a warning, or drops them. */
  readonly severity: 'error' | 'warning';
  /** Where it is: `creators[0].name`. */
  readonly path: string;
  /** The problem, in words that follow the path. */
  readonly message: string;
  readonly value?: unknown;
  /** The values of a controlled list. */
  readonly allowed?: readonly string[] | undefined;
  readonly suggestion?: string | undefined;
  /** Whether the service drops the value silently. */
  readonly dropped?: boolean;
}

/**
 * Checks attributes as `doi-cli dois validate` does, by the DataCite Metadata Schema and the rules
 * of the service. It sends nothing.
 * @param options.state to check for; by default the state after `event`, or the record's state.
 * @returns errors first; empty for a valid record.
 * @throws {DoiCliError} kind `usage` for attributes that are not a JSON object.
 */
export async function validate(
  attributes: unknown,
  options: { readonly state?: 'draft' | 'registered' | 'findable' | undefined } = {},
): Promise<readonly DoiFinding[]> {
  if (!isObject(attributes)) throw usageError('attributes: not an object');
  // As JSON, which has no undefined members.
  const copy: unknown = JSON.parse(JSON.stringify(attributes));
  const record = recordOf(copy as JsonObject, 'attributes');
  const { state = stateOf(record) } = options;
  await prepareXmlOf(record.attributes);
  return recordFindings(record, state, unreadDois(record)).map(
    ({ steps: _, ...finding }) => finding,
  );
}
