import type { Attributes } from '../api/dois.ts';
import { CliError } from '../errors.ts';
import type { Finding } from '../metadata/check.ts';
import { type Cell, type Column, columnNamed, EXPORTED, OUTPUT_ONLY } from '../metadata/columns/column.ts';
import { type Exported, exportedIn } from '../metadata/columns/exported.ts';
import { rowChanges } from '../metadata/columns/row.ts';
import { KERNEL_4 } from '../metadata/kernel.ts';
import { MalformedXml } from '../metadata/xml/read.ts';
import { xmlOf } from '../metadata/xml-attributes.ts';
import { JsonProblem, type PlacedJson, parsePlaced } from '../text/json.ts';
import { isNonEmptyString, isObject, type JsonObject, type Path } from '../text/json-values.ts';
import { bareDoi, parseDoi } from '../text/parsers.ts';

export interface ParsedRecord {
  readonly attributes: Attributes;
  /** The DOI in its attributes, or the id of its resource object. */
  readonly doi: string | undefined;
  readonly source: string;
  /** The line of the file on which the record begins, from 1; undefined where it is not in a file. */
  readonly line: number | undefined;
  readonly json?: RecordJson | undefined;
  /** When the record that it was made from was updated, in milliseconds since 1970; undefined if it does not say so. */
  readonly readAt?: number | undefined;
  readonly row?: Row | undefined;
}

interface RecordJson extends PlacedJson {
  /** The path of the attributes within `text`. */
  readonly at: Path;
  readonly attributes: Attributes;
}

export interface Row {
  readonly cells: readonly Cell[];
  readonly attributes: Attributes;
  /** What the export wrote, if the row still says so. */
  readonly exported: Exported | undefined;
  readonly isExport: boolean;
  /** Cells that cannot be taken for a new record, or that change nothing. */
  readonly findings: readonly Finding[];
  /** The heads that differ from the names of their columns. */
  readonly heads: JsonObject;
}

export class InvalidRecord extends CliError {
  readonly problem: string;
  /** Where in the text it is, each from 1, if it is in one place. */
  readonly at: { readonly line?: number; readonly character?: number };

  constructor(where: string, problem: string, at: InvalidRecord['at'] = {}, hint?: string) {
    super('usage', `${where}: ${problem}`, { hint });
    this.problem = problem;
    this.at = at;
  }
}

/** One record from JSON text: a JSON:API document, its resource object, or a bare attributes object. */
export function parseRecord(text: string, source: string, line?: number): ParsedRecord {
  const where = line === undefined ? source : `${source}:${line}`;
  const { value: given, root } = parseJson(text, source, line ?? 1);
  refuseList(given, where, '.[]');
  if (!isObject(given)) throw new InvalidRecord(where, 'holds no JSON object');
  if (isResult(given) || checkedBy(given) !== undefined) {
    throw new InvalidRecord(where, `is the result of a run, not a record: ${TAKERS} take results`);
  }
  if (given['isXml'] === true) return xmlRecord(given, source, where);
  const row = rowIn(given);
  if (row !== undefined) return rowRecord(row, given, source, line ?? 1);
  let at: Path = [];
  let resource: JsonObject | undefined;
  if ('data' in given) {
    refuseList(given['data'], where, '.data[]');
    at = ['data', 'attributes'];
    resource = asObject(given['data'], where, 'data must be one resource object');
    if (resource['type'] !== 'dois') throw new InvalidRecord(where, 'data.type must be "dois"');
  } else if (isObject(given['attributes'])) {
    at = ['attributes'];
    resource = given;
    if ((resource['type'] ?? 'dois') !== 'dois') throw new InvalidRecord(where, 'type must be "dois"');
  }
  const attributes = resource
    ? asObject(resource['attributes'], where, 'data.attributes must be an object')
    : given;
  refuseTwoDois(where, resource?.['id'], attributes['doi']);
  const doi = [attributes['doi'], resource?.['id']].find(isNonEmptyString);
  return { attributes, doi, source, line: line ?? 1, json: { text, root, at, attributes } };
}

const TAKERS = 'publish, register, hide, delete and update --set';

/** @throws {InvalidRecord} for a record whose id names another DOI than its attributes: only one can be meant. */
export function refuseTwoDois(where: string, id: unknown, doi: unknown): void {
  if (!isNonEmptyString(id) || !isNonEmptyString(doi)) return;
  if (bareDoi(id).toLowerCase() === bareDoi(doi).toLowerCase()) return;
  const hint = 'correct one of them, or leave the id out';
  throw new InvalidRecord(where, `its id is ${id}, and its doi ${doi}`, {}, hint);
}

/** Whether it is a line that a bulk run has printed; sent as a record it would make an empty one. */
function isResult({ outcome, errors }: JsonObject): boolean {
  return typeof outcome === 'string' && Array.isArray(errors);
}

/** The command that has only checked a record, of a line that it has printed; undefined for any other line. */
export function checkedBy({ outcome, valid, findings }: JsonObject): string | undefined {
  if (outcome === 'valid') return 'a dry run';
  return typeof valid === 'boolean' && Array.isArray(findings) ? 'dois validate' : undefined;
}

/** What options that describe a record are called in messages. */
export const OPTIONS = 'the record';

/** A record that is in no file. @param source {@link OPTIONS}, or `--set`. */
export function recordOf(attributes: JsonObject, source: string): ParsedRecord {
  return { ...parseRecord(JSON.stringify(attributes), source), line: undefined };
}

// Files have few different columns, and many rows.
const columns = new Map<string, Column | undefined>();

/** The row in a JSON object, as `tableRecords` writes it; undefined when it is something else. */
function rowIn(given: JsonObject): Row | undefined {
  const { cells: texts, heads } = given;
  if (!isObject(texts)) return undefined;
  const cells = Object.entries(texts).flatMap(([name, cell]) => {
    if (!columns.has(name)) columns.set(name, columnNamed(name));
    const column = columns.get(name);
    return column === undefined || typeof cell !== 'string' ? [] : [{ column, cell }];
  });
  return {
    cells,
    ...rowChanges(cells, undefined),
    exported: cells
      .map(({ column, cell }) => (column.name === EXPORTED ? exportedIn(cell) : undefined))
      .find(Boolean),
    isExport: cells.some(({ column: { name } }) => name === EXPORTED || OUTPUT_ONLY.includes(name)),
    heads: isObject(heads) ? heads : {},
  };
}

/** The new record that a row describes. What it changes of another one is up to that, see `effective`. */
function rowRecord(row: Row, { doi: own }: JsonObject, source: string, line: number): ParsedRecord {
  const doi = isNonEmptyString(own) ? own : undefined;
  const attributes = { ...(doi === undefined ? {} : { doi }), ...row.attributes };
  return { attributes, doi, source, line, row };
}

function xmlRecord({ xml }: JsonObject, source: string, where: string): ParsedRecord {
  const read = xmlOf({ xml: xml as string });
  if (read === undefined) {
    const text = Buffer.from(xml as string, 'base64')
      .toString()
      .trim();
    const isXml = text.startsWith('<');
    const problem = isXml
      ? 'is XML, but not of the DataCite Metadata Schema'
      : text === ''
        ? 'is empty'
        : 'is named as XML, and holds none';
    const hint = `its root must be <resource xmlns="${KERNEL_4}">`;
    throw new InvalidRecord(where, problem, {}, hint);
  }
  if (read instanceof MalformedXml) {
    const { message, line, column } = read;
    const at = { line, character: column };
    throw new InvalidRecord(`${source}:${line}:${column}`, `${message} (not well-formed XML)`, at);
  }
  const { identifier } = read;
  // Software writes a placeholder before it has a DOI.
  const doi = identifier !== undefined && isDoi(identifier) ? parseDoi(identifier) : undefined;
  const attributes = { ...(doi !== undefined && { doi }), xml: xml as string };
  return { attributes, doi, source, line: 1 };
}

function parseJson(text: string, source: string, first: number): ReturnType<typeof parsePlaced> {
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
    throw new InvalidRecord(`${source}:${line}:${character}`, `${message} (not valid JSON)`, {
      line,
      character,
    });
  }
}

function isDoi(text: string): boolean {
  try {
    return parseDoi(text) !== '';
  } catch {
    return false;
  }
}

/** A list, as `dois list --format json` and the service print it, is not a record. */
function refuseList(value: unknown, where: string, items: string): void {
  if (!Array.isArray(value) || value.length === 0) return;
  throw new InvalidRecord(where, `holds a list, not one record a line: convert it with jq -c '${items}'`);
}

function asObject(value: unknown, where: string, problem: string): JsonObject {
  if (!isObject(value)) throw new InvalidRecord(where, problem);
  return value;
}
