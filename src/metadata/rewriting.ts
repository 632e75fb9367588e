import { isNonEmptyString, isObject, type JsonObject, objectsOf } from '../text/json-values.ts';
import { htmlText } from './html.ts';
import { storedLanguage } from './language.ts';
import { writtenRights } from './licenses.ts';

/**
 * How the service writes an attribute that is sent as JSON. It does not change attributes that are
 * not listed here.
 * @param record the record in which it is stored: some values depend on others, or on lists that
 *   only the service has.
 */
type Rewriting = (value: unknown, record: JsonObject) => unknown;

const REWRITINGS: Readonly<Record<string, Rewriting>> = {
  ...listsOf(`titles creators contributors descriptions dates relatedIdentifiers relatedItems
    fundingReferences sizes formats`),
  version: (value) => (value === false ? null : text(value)),
  reason: text,
  source: text,
  language: (value) => (isNonEmptyString(value) ? (storedLanguage(value) ?? value) : value),
  publicationYear: year,
  subjects,
  identifiers: (value, { doi, url }) => identifiers(value, 'identifier', [doi, url]),
  alternateIdentifiers: (value, { doi, url }) =>
    identifiers(value, 'alternateIdentifier', [doi, url]),
  rightsList: (value, { rightsList }) =>
    wrapped(value).length === 0 ? value : writtenRights(value, rightsList),
  geoLocations: (value) => wrapped(value).map(withDegrees),
  types,
};

/**
 * Attributes as the service writes them (service.md, W21). The proof of a write and the comparison
 * of edits both use it, so that a rewritten value is neither a failure nor an edit.
 * @param record the stored record, if there is one.
 */
export function rewritten(attributes: JsonObject, record: JsonObject = {}): JsonObject {
  const entries = Object.entries(attributes).map(([name, value]) => {
    const rewriting = Object.hasOwn(REWRITINGS, name) ? REWRITINGS[name] : undefined;
    const present = withoutNulls(value);
    return [name, rewriting === undefined ? present : rewriting(present, record)];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** Lists without nulls, which the service drops at any depth (service.md, W21). */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutNulls(member)]),
  );
}

/** A single item counts as a list (service.md, S5). */
function wrapped(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function listsOf(names: string): Readonly<Record<string, Rewriting>> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, wrapped]));
}

/** A number or boolean as the service stores it in a text column (service.md, W23). */
function text(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'number' ? numberText(String(value)) : value;
}

/**
 * A number of JSON as the service stores it in a text: `3.0` stays, `1e3` becomes `1000.0`, and
 * superfluous zeros are removed (service.md, W23). @param json the number as spelled.
 */
export function numberText(json: string): string {
  if (/^-?\d+$/.test(json)) return String(BigInt(json));
  const [mantissa = '', exponent = ''] = Number(json).toExponential().split('e');
  const sign = mantissa.startsWith('-') || Object.is(Number(json), -0) ? '-' : '';
  const digits = mantissa.replace(/\D/g, '');
  const point = Number(exponent) + 1;
  if (point > 16 || point <= -4) {
    const power = String(Math.abs(point - 1)).padStart(2, '0');
    return `${sign}${digits[0]}.${digits.slice(1) || '0'}e${point > 0 ? '+' : '-'}${power}`;
  }
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.slice(0, point).padEnd(point, '0')}.${digits.slice(point) || '0'}`;
}

/** The whole number at the beginning of a text (service.md, S4). */
function year(value: unknown): unknown {
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value !== 'string' || value.trim() === '') return value;
  return Number.parseInt(value, 10) || 0;
}

/** Subjects as objects, each once; their texts are read as HTML (service.md, W24). */
function subjects(value: unknown): unknown {
  const items = wrapped(value).flatMap((item) => {
    const object = typeof item === 'string' ? { subject: item } : item;
    if (!isObject(object)) return [];
    const { subject, ...others } = object;
    const written = typeof subject === 'string' ? { subject: htmlText(subject) } : {};
    return [{ ...written, ...withoutEmpty(others) }];
  });
  const distinct = new Map(items.map((item) => [keyOf(item), item]));
  return [...distinct.values()];
}

const withoutEmpty = (object: JsonObject) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
const keyOf = (object: JsonObject) => JSON.stringify(Object.entries(object).sort());

/** Drops items of type DOI, and items that a record does not return (service.md, S8, W20). */
function identifiers(value: unknown, name: string, hidden: readonly unknown[]): unknown {
  return wrapped(value).filter((item) => {
    if (!isObject(item)) return true;
    const { [name]: identifier, [`${name}Type`]: type } = item;
    if (type === 'DOI') return false;
    return !isNonEmptyString(identifier) || !hidden.includes(identifier);
  });
}

/** A place whose degrees are numbers instead of texts (service.md, W20). */
function withDegrees(place: unknown): unknown {
  if (!isObject(place)) return place;
  const entries = Object.entries(place).map(([name, value]) => {
    if (name === 'geoLocationPlace') return [name, value];
    const part = name === 'geoLocationPolygon' ? wrapped(value) : value;
    return [name, degrees(part)];
  });
  return Object.fromEntries(entries);
}

const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;

function degrees(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(degrees);
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, degrees(member)]),
    );
  if (typeof value !== 'string' || !DECIMAL.test(value)) return value;
  return value.includes('.') ? Number(value) : Number.parseInt(value, 10);
}

/** The names of a type in other formats, which the service adds (service.md, W17). */
const ADDED = ['schemaOrg', 'citeproc', 'bibtex', 'ris'];

function types(value: unknown, record: JsonObject): unknown {
  if (value !== null && !isObject(value)) return value;
  const sent = withoutEmpty(value ?? {});
  const [stored] = objectsOf(record['types']);
  const added = ADDED.filter((name) => !(name in sent) && stored?.[name] !== undefined);
  return { ...sent, ...Object.fromEntries(added.map((name) => [name, stored?.[name]])) };
}
