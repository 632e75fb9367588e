import { bareDoi, isDoi, misspelledDoi } from '../../text/doi.ts';
import { JsonProblem, type PlacedJson, parsePlaced } from '../../text/json.ts';
import {
  isNonEmptyString,
  isObject,
  type JsonObject,
  type Path,
  valueAt,
} from '../../text/json-values.ts';
import { readLines, textOf } from '../../text/lines.ts';
import { momentIn } from '../../text/moment.ts';
import { utf8Text } from '../../text/utf8.ts';
import { InvalidRecord, type ParsedRecord, type RecordOrigin } from '../input/record.ts';
import { type InputRecord, MAX_RECORD_BYTES, type RecordReader } from '../input/source.ts';
import { arrayItems } from './json-array.ts';

/** NDJSON: a record on each line that is not blank. */
export const readJsonLines: RecordReader = async function* (chunks, name) {
  for await (const line of readLines(chunks, name, MAX_RECORD_BYTES)) {
    const text = textOf(line, name);
    if (text.trim() !== '') yield inputRecord(text, line.number);
  }
};

/** A JSON array, or the list of the service with its records in `data`. */
export const readJsonArray: RecordReader = async function* (chunks, name) {
  for await (const { text, line } of arrayItems(latin1In(chunks), name, MAX_RECORD_BYTES))
    yield inputRecord(utf8Text(Buffer.from(text, 'latin1'), name, line), line);
};

/** A character for each byte: what separates the items of an array is ASCII. */
async function* latin1In(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.toString('latin1');
}

/** The whole file as one record. */
export const readJson: RecordReader = async function* (chunks, name) {
  const lines: string[] = [];
  for await (const line of readLines(chunks, name, MAX_RECORD_BYTES))
    lines.push(textOf(line, name));
  yield inputRecord(lines.join('\n'), 1);
};

function inputRecord(text: string, line: number): InputRecord {
  return { text, line, parse: (source, place) => parseRecord(text, source, place) };
}

/**
 * Parses JSON text: a JSON:API document, its resource object, or a bare attributes object.
 * @throws {InvalidRecord}
 */
export function parseRecord(text: string, source: string, line?: number): ParsedRecord {
  const where = line === undefined ? source : `${source}:${line}`;
  const placed = parseJson(text, source, line ?? 1);
  const { value } = placed;
  refuseList(value, where, '.[]');
  if (!isObject(value)) throw new InvalidRecord(where, 'holds no JSON object');
  if ('@context' in value)
    throw new InvalidRecord(where, 'is JSON-LD, such as CodeMeta, and no DataCite record');
  if (isResult(value) || checkedBy(value) !== undefined) {
    throw new InvalidRecord(where, `is the result of a run, not a record: ${TAKERS} take results`);
  }
  const { resource, at } = resourceIn(value, where);
  const attributes = resource
    ? asObject(resource['attributes'], where, 'data.attributes must be an object')
    : value;
  refuseOtherDois(where, resource?.['id'], attributes['doi']);
  const doi = [attributes['doi'], resource?.['id']].find(isNonEmptyString);
  const origin = originOf(attributes, resource);
  const wrong = origin === undefined && doi !== undefined ? misspelledDoi(doi) : undefined;
  if (wrong !== undefined) throw new InvalidRecord(where, `its doi ${wrong}`);
  return {
    attributes,
    doi,
    source,
    line: line ?? 1,
    origin,
    json: Object.assign(placed, { at, attributes }),
  };
}

interface Resource {
  readonly resource: JsonObject | undefined;
  /** The path of the attributes. */
  readonly at: Path;
}

function resourceIn(value: JsonObject, where: string): Resource {
  if ('data' in value) {
    refuseList(value['data'], where, '.data[]');
    const resource = asObject(value['data'], where, 'data must be one resource object');
    if (resource['type'] === 'dois') return { resource, at: ['data', 'attributes'] };
    throw new InvalidRecord(where, 'data.type must be "dois"');
  }
  if (!isObject(value['attributes'])) return { resource: undefined, at: [] };
  if ((value['type'] ?? 'dois') === 'dois') return { resource: value, at: ['attributes'] };
  throw new InvalidRecord(where, 'type must be "dois"');
}

/**
 * What a record contains about the record that was read. The service puts `relationships` into
 * every record, even with a sparse fieldset (service.md, F4), and `updated` into a whole one.
 */
function originOf(
  attributes: JsonObject,
  resource: JsonObject | undefined,
): RecordOrigin | undefined {
  const { created, updated } = attributes;
  const isRead = isMoment(updated) || isObject(resource?.['relationships']);
  if (!isRead) return undefined;
  const client = valueAt(resource, ['relationships', 'client', 'data', 'id']);
  return {
    ...(isNonEmptyString(created) && { created }),
    ...(isMoment(updated) && { updated }),
    ...(isNonEmptyString(client) && { client }),
  };
}

const isMoment = (value: unknown): value is string =>
  typeof value === 'string' && momentIn(value) !== undefined;

const TAKERS = 'publish, register, hide, delete and update --set';

/** Whether it is a result of a run: sent as a record, it would create an empty one. */
function isResult({ outcome, errors }: JsonObject): boolean {
  return typeof outcome === 'string' && Array.isArray(errors);
}

/** The command that printed a line when it only checked a record; undefined for other lines. */
export function checkedBy({ outcome, valid, findings }: JsonObject): string | undefined {
  if (outcome === 'valid') return 'a dry run';
  return typeof valid === 'boolean' && Array.isArray(findings) ? 'dois validate' : undefined;
}

/** @throws {InvalidRecord} for a doi that is not text, and for an id with another DOI. */
export function refuseOtherDois(where: string, id: unknown, doi: unknown): void {
  if ((doi ?? '') !== '' && (typeof doi !== 'string' || doi.trim() === '')) {
    const hint = 'write one DOI in quotes; in R: toJSON(record, auto_unbox = TRUE)';
    throw new InvalidRecord(where, 'its doi is not text such as "10.5072/abc"', {}, hint);
  }
  if (!isNonEmptyString(id) || !isNonEmptyString(doi)) return;
  if (bareDoi(id).toLowerCase() === bareDoi(doi).toLowerCase()) return;
  const hint = 'correct one of them, or leave the id out';
  throw new InvalidRecord(where, `its id is ${id}, and its doi ${doi}`, {}, hint);
}

function parseJson(
  text: string,
  source: string,
  first: number,
): PlacedJson & { readonly value: unknown } {
  try {
    return parsePlaced(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    if (isDoi(text)) {
      throw new InvalidRecord(`${source}:${first}`, `is a DOI, not a record: ${TAKERS} take DOIs`);
    }
    const { message, character } = error;
    const line = first + error.line - 1;
    if (character === undefined) throw new InvalidRecord(`${source}:${line}`, message, { line });
    const at = { line, character };
    throw new InvalidRecord(`${source}:${line}:${character}`, `${message} (not valid JSON)`, at);
  }
}

/** A list, as `dois list --format json` and the service print it, is not a record. */
function refuseList(value: unknown, where: string, items: string): void {
  if (!Array.isArray(value) || value.length === 0) return;
  throw new InvalidRecord(
    where,
    `holds a list, not one record a line: convert it with jq -c '${items}'`,
  );
}

function asObject(value: unknown, where: string, problem: string): JsonObject {
  if (!isObject(value)) throw new InvalidRecord(where, problem);
  return value;
}
