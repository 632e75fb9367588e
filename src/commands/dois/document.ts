import { CliError, usageError } from '../../errors.ts';
import { findObject } from './json-text.ts';

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
 * The request body for a DOI from the bytes of a file: a JSON:API document, or one made around a bare attributes
 * object. The text is sent as it is spelled; an event is put into it without touching the rest.
 * @param source what to call the file in errors.
 * @throws {CliError} kind `usage` when the text is neither.
 */
export function doiDocument(bytes: Buffer, source: string, event: Event | undefined): DoiDocument {
  const text = decode(bytes, source);
  const given = parseObject(text, source);
  const isDocument = 'data' in given;
  const json = isDocument ? text : `{"data":{"type":"dois","attributes":${text}}}`;
  const data = isDocument
    ? asObject(given['data'], `${source}: data must be one resource object`)
    : { type: 'dois', attributes: given };
  if (data['type'] !== 'dois') throw usageError(`${source}: data.type must be "dois"`);
  const attributes = asObject(data['attributes'], `${source}: data.attributes must be an object`);
  const { doi, prefix } = attributes;
  if (!isText(doi) && !isText(prefix)) {
    throw usageError(
      `${source}: the attributes name neither a doi nor a prefix`,
      'add "prefix": "10.5072" or "doi"',
    );
  }
  return {
    body: withEvent(json, source, attributes['event'], event),
    doi: isText(doi) ? doi : undefined,
    event: event ?? (isText(attributes['event']) ? attributes['event'] : undefined),
  };
}

function withEvent(json: string, source: string, given: unknown, wanted: Event | undefined): string {
  if (given !== undefined && given !== null && !EVENTS.includes(given as Event)) {
    // The service ignores an event that it does not know and answers 201 (observed).
    throw usageError(`${source}: the event must be one of ${EVENTS.join(', ')}`);
  }
  let place: ReturnType<typeof findObject>;
  try {
    place = findObject(json, ['data', 'attributes']);
  } catch (error) {
    throw usageError(`${source}: ${(error as Error).message}`);
  }
  if (wanted === undefined || given === wanted || place === undefined) return json;
  if (given !== undefined) {
    throw usageError(`${source} has an event of its own, ${JSON.stringify(given)}`, 'leave --event away');
  }
  const member = `"event":"${wanted}"${place.empty ? '' : ','}`;
  return json.slice(0, place.at) + member + json.slice(place.at);
}

function decode(bytes: Buffer, source: string): string {
  try {
    // A byte order mark is taken off here too.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${source} is not UTF-8 text`, `iconv -f latin1 -t utf-8 ${source}`);
  }
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

const STATE_AFTER: Readonly<Record<string, string>> = {
  publish: 'findable',
  register: 'registered',
  hide: 'registered',
};

/**
 * Checks the state that came back against the event that was asked for: the service may leave a record in
 * another state and answer 201 all the same (observed).
 * @throws {CliError} kind `rejected` when they differ; the record exists all the same.
 */
export function checkState(doi: string, state: unknown, event: string | undefined, hint: string): void {
  const expected = event === undefined ? 'draft' : STATE_AFTER[event];
  if (state === expected) return;
  const found = state === undefined ? 'the service does not tell its state' : `its state is ${String(state)}`;
  throw new CliError('rejected', `${doi} was created, but ${found}, not ${expected} as asked`, { hint });
}
