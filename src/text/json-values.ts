import { number } from './words.ts';

/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The way to a value in JSON: names of members and indexes of items. */
export type Path = readonly (string | number)[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The items of a list; none of what is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list, or the only one that stands where a list is due. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

/** The value at a path of member names and indexes; undefined where a part of it is absent. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (at as JsonObject | null | undefined)?.[step], value);
}

/** A path as people write it: `creators[0].name`. */
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

// Far more than any record, any list of keys and any page without its records.
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 1000;

/**
 * JSON whose values or levels take, when they are parsed or printed, hundreds of times its size.
 */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

/** A member that is there twice: a parser would drop one of them silently. */
export class DuplicateMember extends SyntaxError {
  /** Its name as it is spelled, and the offset behind it. */
  readonly member: string;
  readonly at: number;

  constructor(member: string, at: number) {
    super(`${member} is there twice`);
    this.member = member;
    this.at = at;
  }
}

/**
 * The value of JSON text of someone else. A parser needs up to 60 bytes for each `{},`, and
 * indenting 100,000 levels takes 10 GB. @param uniqueDepth the depth, 1 for the members of the document,
 * to which a member that is there twice is an error.
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
    } else if (char === ',') values += 1;
    else if (char === ':') {
      // The name of a member takes more than a value.
      values += 2;
      if (depth <= uniqueDepth && !addOnce(names[depth], text)) throw new DuplicateMember(text, at);
    } else if (char === '{' || char === '[') {
      values += 1;
      depth += 1;
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

/** Adds the name of a member, as it is spelled in JSON. @returns false if it is there already. */
function addOnce(names: Set<unknown> | undefined, spelled: string): boolean {
  const name = spelled.includes('\\') ? jsonIn(spelled) : spelled.slice(1, -1);
  const isNew = names?.has(name) !== true;
  names?.add(name);
  return isNew;
}

/** The index of the quote that ends a string; the length of the text if it has no end. */
function closingQuote(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
