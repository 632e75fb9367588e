/** A step into JSON: the name of a member, or the index of an item. */
type Step = string | number;
export type Path = readonly Step[];

/** Where a value stands in JSON text: from its first character to the one behind its last. */
export interface Place {
  readonly start: number;
  end: number;
  /** Of an object, by name. */
  readonly members?: Map<string, Place>;
  /** Of a list, in order. */
  readonly items?: Place[];
}

const MARK_OR_WORD = /[{}[\],:]|[^\s"{}[\],:]+/y;
const WHITE = /\s+/y;

/**
 * The tokens of valid JSON text, and where each begins: strings, numbers and names in one piece, each bracket, colon and
 * comma alone. Strings are not matched by a regular expression, which takes them to its stack: those of records have
 * many millions of characters at times.
 */
export function* tokensOf(json: string): Generator<readonly [token: string, index: number]> {
  for (let at = 0; at < json.length; ) {
    WHITE.lastIndex = at;
    if (WHITE.test(json)) at = WHITE.lastIndex;
    if (at === json.length) return;
    let end = at;
    if (json[at] === '"') end = stringEnd(json, at);
    else {
      MARK_OR_WORD.lastIndex = at;
      MARK_OR_WORD.test(json);
      end = MARK_OR_WORD.lastIndex;
    }
    yield [json.slice(at, end), at];
    at = end;
  }
}

/** Where the string that begins at `start` is over. */
function stringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return json.length;
}

/**
 * Finds the place of every value in valid JSON text, so that an error can name a line, and something can be taken out
 * or put in without parsing and printing the rest, which would not promise the same spelling of numbers and strings.
 * @throws {DoubleMember} when an object has a member twice: a parser would drop one of them without a word.
 */
export function placesOf(json: string): Place {
  const open: Place[] = [];
  let name: string | undefined;
  let root: Place | undefined;
  for (const [token, index] of tokensOf(json)) {
    const level = open.at(-1);
    if (token === '}' || token === ']') {
      if (level !== undefined) level.end = index + 1;
      open.pop();
    } else if (level?.members !== undefined && name === undefined && token.startsWith('"')) {
      name = JSON.parse(token) as string;
      if (level.members.has(name)) throw new DoubleMember(name, lineAt(json, index));
    } else if (token !== ',' && token !== ':') {
      const place: Place = {
        start: index,
        end: index + token.length,
        ...(token === '{' ? { members: new Map() } : token === '[' ? { items: [] } : {}),
      };
      root ??= place;
      if (name !== undefined) level?.members?.set(name, place);
      else level?.items?.push(place);
      name = undefined;
      if (token === '{' || token === '[') open.push(place);
    }
  }
  return root ?? { start: 0, end: json.length };
}

/** An object with two members of one name. */
export class DoubleMember extends Error {
  /** Where the second one is, from 1. */
  readonly line: number;

  constructor(name: string, line: number) {
    super(`the member "${name}" is there twice`);
    this.name = 'DoubleMember';
    this.line = line;
  }
}

/** The place of the value at a path; undefined where there is none. */
export function placeAt(root: Place, path: Path): Place | undefined {
  let place: Place | undefined = root;
  for (const step of path) {
    place = typeof step === 'number' ? place?.items?.[step] : place?.members?.get(step);
  }
  return place;
}

/** A path as people write it. */
export function pathText(steps: Path): string {
  return steps
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[\w$]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('')
    .replace(/^\./, '');
}

/** The line of a character, from 1. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** JSON text without white space between its tokens; each token stays spelled as it is. */
export function compactJson(json: string): string {
  let text = '';
  for (const [token] of tokensOf(json)) text += token;
  return text;
}
