import { CliError, usageError } from '../../errors.ts';

/** The events that move a DOI between its states (observed). */
export const EVENTS = ['publish', 'register', 'hide'] as const;
export type Event = (typeof EVENTS)[number];

/** A JSON:API document to be sent, and what it asks for. */
export interface DoiDocument {
  /** The text of the request body. */
  readonly body: string;
  /** The DOI it is about, if it names one and does not leave the suffix to the service. */
  readonly doi: string | undefined;
  /** The event asked for; without one the record becomes a Draft. */
  readonly event: string | undefined;
}

/**
 * The request body for a DOI from the text of a file: a JSON:API document as it is, or one made around a bare
 * attributes object.
 * @param source what to call the file in errors.
 * @throws {CliError} kind `usage` when the text is neither.
 */
export function doiDocument(text: string, source: string, event: Event | undefined): DoiDocument {
  const given = parseObject(text.replace(/^\uFEFF/, ''), source);
  const document = 'data' in given ? given : { data: { type: 'dois', attributes: given } };
  const data = asObject(document['data'], `${source}: data must be one resource object`);
  if (data['type'] !== 'dois') throw usageError(`${source}: data.type must be "dois"`);
  const attributes = asObject(data['attributes'], `${source}: data.attributes must be an object`);
  const { doi, prefix } = attributes;
  if (!isText(doi) && !isText(prefix)) {
    throw usageError(
      `${source}: the attributes name neither a doi nor a prefix`,
      'add "prefix": "10.5072" or "doi"',
    );
  }
  if (event !== undefined) attributes['event'] = event;
  const asked = attributes['event'];
  if (asked !== undefined && asked !== null && !EVENTS.includes(asked as Event)) {
    // The service ignores an event that it does not know and answers 201 (observed).
    throw usageError(`${source}: the event must be one of ${EVENTS.join(', ')}`);
  }
  return {
    body: JSON.stringify(document),
    doi: isText(doi) ? doi : undefined,
    event: isText(asked) ? asked : undefined,
  };
}

function parseObject(text: string, source: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const hint = lines.length > 1 && lines.every(isJson) ? 'create takes one record at a time' : undefined;
    throw usageError(`${source} is not valid JSON: ${(error as Error).message}`, hint);
  }
  return asObject(value, `${source} holds no JSON object`);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function asObject(value: unknown, complaint: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usageError(complaint);
  return value as Record<string, unknown>;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const STATE_AFTER: Readonly<Record<string, string>> = { publish: 'findable', register: 'registered' };

/**
 * Checks the state that came back against the event that was asked for: the service may leave a record in
 * another state and answer 201 all the same (observed).
 * @throws {CliError} kind `rejected` when they differ; the record exists all the same.
 */
export function checkState(doi: string, state: unknown, event: string | undefined): void {
  const expected = event === undefined ? 'draft' : STATE_AFTER[event];
  if (expected === undefined || state === expected) return;
  throw new CliError(
    'rejected',
    `${doi} was created, but its state is ${String(state)}, not ${expected} as asked`,
    {
      hint: `doi-cli dois get ${doi}`,
    },
  );
}
