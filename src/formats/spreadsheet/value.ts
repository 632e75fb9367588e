import { exactJsonIn } from '../../text/json.ts';
import { isNonEmptyString, isObject, type JsonObject, objectsOf } from '../../text/json-values.ts';
import { toCell } from './cell.ts';
import type { Column } from './column.ts';

/** The schemes of the two identifiers with short names. */
const ORCID = { nameIdentifierScheme: 'ORCID', schemeUri: 'https://orcid.org' } as const;
const ROR = 'ROR';

/** The value of a column in the attributes of a record. */
export function valueIn(attributes: unknown, path: Column['path'], rest = false): unknown {
  const valuePath = rest ? path.slice(0, -1) : path;
  const value = valuePath.reduce(memberOf, attributes);
  if (!rest) return value;
  return Array.isArray(value) ? value.slice(Number(path.at(-1))) : [];
}

/** The cell of a column, protected against spreadsheets. */
export function cellIn(attributes: unknown, column: Column): string {
  const text = textOf(valueIn(attributes, column.path, column.rest));
  // Times that only the service writes are for programs, and are not read back.
  if (column.types.length === 0 || column.path[0] === 'doi') return text;
  return toCell(text, column.path[0] === 'version');
}

function memberOf(value: unknown, step: string | number): unknown {
  if (typeof step === 'number') {
    if (Array.isArray(value)) return value[step];
    return step === 0 ? value : undefined;
  }
  // A publisher or an affiliation may be a name alone (service.md, F9).
  if (typeof value === 'string') return step === 'name' ? value : undefined;
  if (!isObject(value)) return undefined;
  if (step === 'orcid')
    return objectsOf(value['nameIdentifiers']).find(isOrcid)?.['nameIdentifier'];
  if (step === 'ror') {
    const member = identifierMember(value);
    return value[`${member}Scheme`] === ROR ? value[member] : undefined;
  }
  return value[step];
}

function identifierMember(organization: JsonObject): string {
  return 'publisherIdentifier' in organization || 'publisherIdentifierScheme' in organization
    ? 'publisherIdentifier'
    : 'affiliationIdentifier';
}

function isOrcid({ nameIdentifierScheme: scheme }: JsonObject): boolean {
  return typeof scheme === 'string' && scheme.toUpperCase() === ORCID.nameIdentifierScheme;
}

/** A value as text: lists and objects as JSON, empty values as empty text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}

/** The value of a text in the type of its column. @throws {Error} if it must be JSON but is not. */
export function typedValue(text: string, { types, name }: Column): unknown {
  const [json, isList] = [
    types.includes('object') || types.includes('array'),
    types.includes('array'),
  ];
  if (json && /^\s*[[{]/.test(text)) {
    const value = exactJsonIn(text);
    if (value === undefined) throw new Error('begins like JSON and is not: it may have been cut');
    if (types.includes(Array.isArray(value) ? 'array' : 'object')) return value;
    const kind = isList ? 'list: write […] around it' : 'object such as {…}, not a list';
    throw new Error(`has to be a JSON ${kind}`);
  }
  if (types.some((type) => ['integer', 'number'].includes(type)) && /^-?\d+(\.\d+)?$/.test(text)) {
    return Number(text);
  }
  if (json && !types.includes('string')) {
    const first = `${name}${isList ? '[0]' : ''}.…`;
    const below = name.endsWith('+]') ? name.replace('+]', ']') : first;
    const example = isList ? '[{…}]' : '{…}';
    throw new Error(
      `has to be JSON, such as ${example}; texts have columns below it, such as ${below}`,
    );
  }
  return text;
}

/** Sets the value of a column within a value. @param name of the member that contains `holder`. */
export function withValue(
  holder: unknown,
  path: Column['path'],
  value: unknown,
  name = '',
): unknown {
  const [step, ...more] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list: unknown[] = Array.isArray(holder)
      ? [...holder]
      : [holder].filter((item) => (item ?? '') !== '');
    list[step] = withValue(list[step], more, value, name);
    // Cleared items, and places that were never filled, leave no hole.
    return list.filter((item) => item !== undefined && item !== null);
  }
  const named: JsonObject = isNonEmptyString(holder) ? { name: holder } : {};
  const object = isObject(holder) ? holder : named;
  if (step === 'orcid')
    return { ...object, nameIdentifiers: withOrcid(objectsOf(object['nameIdentifiers']), value) };
  if (step === 'ror')
    return { ...object, ...rorMembers(value, name === 'publisher' ? name : 'affiliation') };
  return { ...object, [step]: withValue(object[step], more, value, step) };
}

function withOrcid(identifiers: readonly JsonObject[], value: unknown): readonly JsonObject[] {
  const others = identifiers.filter((identifier) => !isOrcid(identifier));
  if (value === null) return others;
  const before = identifiers.find(isOrcid);
  const orcid = { ...(before ?? ORCID), nameIdentifier: withResolver('orcid', value) };
  return before === undefined
    ? [...others, orcid]
    : identifiers.map((identifier) => (identifier === before ? orcid : identifier));
}

/** The members for the ROR id of a publisher or an affiliation; null removes them. */
function rorMembers(value: unknown, of: 'publisher' | 'affiliation'): JsonObject {
  return {
    [`${of}Identifier`]: withResolver('ror', value),
    [`${of}IdentifierScheme`]: value === null ? null : ROR,
    schemeUri: value === null ? null : 'https://ror.org',
  };
}

/** The identifier of a cell `orcid` or `ror` with its resolver; other values are not changed. */
export function withResolver(column: 'orcid' | 'ror', value: unknown): unknown {
  const text = String(value).trim();
  if (column === 'orcid') {
    const [, id] = /^(?:https?:\/\/)?(?:orcid\.org\/)?((?:\d{4}-){3}\d{3}[\dxX])$/.exec(text) ?? [];
    return id === undefined ? value : `https://orcid.org/${id.toUpperCase()}`;
  }
  const [, id] = /^(?:https?:\/\/)?(?:ror\.org\/)?(0[a-z0-9]{8})$/i.exec(text) ?? [];
  return id === undefined ? value : `https://ror.org/${id.toLowerCase()}`;
}
