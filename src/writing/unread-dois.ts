import { usageError } from '../errors.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import { type Finding, findingAt } from '../metadata/findings.ts';
import { typesAt } from '../metadata/schema.ts';
import { MalformedXml, type XmlIdentifier } from '../metadata/xml.ts';
import { xmlOf } from '../metadata/xml-attributes.ts';
import { type JsonObject, type Path, pathText } from '../text/json-values.ts';

const MESSAGE = 'names a DOI, or a part of one, where it is not read';

/** @throws {CliError} kind `usage`, see {@link unreadDois}. @param place of it in messages. */
export function refuseUnreadDois(record: ParsedRecord, place: string): void {
  const isXml = record.json === undefined && record.row === undefined;
  const member = pathText([...(record.json?.at ?? []), 'doi']);
  const doi = isXml ? '<identifier identifierType="DOI">' : member;
  for (const { path } of unreadDois(record))
    throw usageError(`${place}: ${path} ${MESSAGE}`, `write it as ${doi}, or leave ${path} out`);
}

/**
 * The error about a record that names its DOI only where it is not read: the new record would get a
 * random suffix instead (service.md, W2).
 */
export function unreadDois(record: ParsedRecord): readonly Finding[] {
  if (record.doi !== undefined) return [];
  const { attributes, json } = record;
  const { at = [], value = attributes } = json ?? {};
  const path = pathOfDoi(value, attributes);
  if (path !== undefined) {
    const isAttribute = at.every((step, depth) => path[depth] === step);
    const steps = isAttribute ? path.slice(at.length) : path;
    return [findingAt('error', steps, { message: MESSAGE })];
  }
  const xml = xmlOf(attributes);
  if (xml === undefined || xml instanceof MalformedXml) return [];
  const { identifier, otherIdentifiers } = xml;
  const isNamed = ({ text, type }: XmlIdentifier) =>
    namesDoi(text) || (/^doi$/i.test(type) && text !== '');
  const named =
    identifier && namesDoi(identifier.text) ? identifier : otherIdentifiers.find(isNamed);
  if (named === undefined) return [];
  const place = { path: named.path, line: named.line };
  return [{ ...findingAt('error', ['xml'], { message: MESSAGE }), ...place }];
}

/** The path of the first value that names a DOI. @param attributes whose prefix is read. */
function pathOfDoi(value: unknown, attributes: JsonObject, path: Path = []): Path | undefined {
  if (typeof value === 'string') return namesDoi(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (isOfType(value)) return path;
  const isHolder = path.every((step) => step === 'data' || step === 'attributes');
  for (const [name, member] of Object.entries(value)) {
    const steps = [...path, Array.isArray(value) ? Number(name) : name];
    const letters = name.toLowerCase().replace(/[^a-z]/g, '');
    const isRead = value === attributes && /^(pre|suf)fix$/.test(name) && isPlain(member);
    const isPart = isHolder && /^(id|identifier|prefix|suffix)$/.test(letters) && !isRead;
    const isNamed = isPart || /^dois?$/.test(letters) || namesDoi(name);
    if (isNamed && isFilled(member)) return steps;
    const deeper = isOfOthers(name) ? undefined : pathOfDoi(member, attributes, steps);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** Whether a member names DOIs of other works, as all metadata except the lists of identifiers. */
const isOfOthers = (name: string) =>
  /^(relationships|links|meta|included)$/.test(name) ||
  (typesAt([name]).length > 0 && !/^(identifiers|alternateIdentifiers)$/.test(name));

const isPlain = (value: unknown) => typeof value === 'string' && !namesDoi(value);

const isFilled = (value: unknown) => !/^(null|""|\[\]|\{\})$/.test(JSON.stringify(value ?? null));

/** Whether a text names a DOI, in whatever markup; a link to another page names none. */
const namesDoi = (text: string) =>
  /(?:^[^.]*|(?:doi|datacite)\.org\/.*)(?<![\d.])10\.\d{4,}[\d.]*\s*(?:\/|%2f)\s*\S/i.test(text);

/** Whether an object is an identifier of the type DOI. */
function isOfType(value: object): boolean {
  const isType = ([name, member]: [string, unknown]) =>
    /(type|scheme)$/i.test(name) && /^doi$/i.test(String(member));
  return Object.entries(value).some(isType) && Object.values(value).filter(isFilled).length > 1;
}
