import { number } from './words.ts';

/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The path to a value in JSON: names of members and indexes of items. */
export type Path = readonly (string | number)[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The items of an array; an empty list for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in a list; a single object counts as a list of one. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

/** The value at a path; undefined if a part of the path is absent. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (at as JsonObject | null | undefined)?.[step], value);
}

/** All texts in a value, with their paths below `steps`. */
export function textsIn(value: unknown, steps: Path = []): [text: string, steps: Path][] {
  if (typeof value === 'string') return [[value, steps]];
  if (Array.isArray(value))
    return value.flatMap((member, index) => textsIn(member, [...steps, index]));
  return isObject(value)
    ? Object.entries(value).flatMap(([name, member]) => textsIn(member, [...steps, name]))
    : [];
}

/** A path as text: `creators[0].name`. */
export function pathText(path: Path): string {
  return path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[\w$]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('')
    .replace(/^\./, '');
}

/** The value of JSON text; undefined for other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Far more than in any record, list of keys, or page without its records.
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 1000;

/** JSON with too many values or levels: parsing or printing it would take too much memory. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

/** A duplicate member: a parser would silently drop one of the two. */
export class DuplicateMember extends SyntaxError {
  /** The name as spelled in the text, and the offset after it. */
  readonly member: string;
  readonly at: number;

  constructor(member: string, at: number) {
    super(`${member} appears twice`);
    this.member = member;
    this.at = at;
  }
}

/**
 * The value of untrusted JSON text. A parser needs up to 60 bytes for each `{},`, and indenting
 * 100,000 levels takes 10 GB. @param uniqueDepth duplicate members are errors down to this depth; 1
 * means the members of the document.
 */
export function parseBounded(json: string, uniqueDepth = 0): unknown {
  let values = 1;
  let depth = 0;
  let text = '';
  const names: Set<unknown>[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') {
      const start = at;
      at = closingQuote(json, at);
      if (depth <= uniqueDepth) text = json.slice(start, at + 1);
    } else if (char === ',') {
      values += 1;
      text = '';
    } else if (char === ':') {
      // A member's name takes more memory than a value.
      values += 2;
      // Without a name in quotes, the parser finds the error.
      if (depth <= uniqueDepth && text !== '' && !addOnce(names[depth], text))
        throw new DuplicateMember(text, at);
      text = '';
    } else if (char === '{' || char === '[') {
      values += 1;
      depth += 1;
      text = '';
      if (depth <= uniqueDepth) names[depth] = new Set();
    } else if (char === '}' || char === ']') depth -= 1;
    if (values > MAX_VALUES || depth > MAX_DEPTH) {
      throw new TooComplex(
        `more than ${values > MAX_VALUES ? `${number(MAX_VALUES)} values` : `${MAX_DEPTH} levels`}`,
      );
    }
  }
  return JSON.parse(json);
}

/** Adds a member's name, as spelled in JSON. @returns false if the set contains it already. */
function addOnce(names: Set<unknown> | undefined, spelled: string): boolean {
  const name = spelled.includes('\\') ? jsonIn(spelled) : spelled.slice(1, -1);
  const isNew = names?.has(name) !== true;
  names?.add(name);
  return isNew;
}

function closingQuote(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
