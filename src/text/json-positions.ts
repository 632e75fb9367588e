import { tokensOf } from './json-text.ts';

/** The way to a value in JSON: names of members and indexes of items. */
export type Path = readonly (string | number)[];

/** The position of a value in JSON text: `end` is the index after its last character. */
export interface JsonPosition {
  readonly start: number;
  end: number;
  /** The members of an object, by name. */
  readonly members?: Map<string, JsonPosition>;
  /** The items of a list. */
  readonly items?: JsonPosition[];
}

/**
 * The position of every value in valid JSON text, to name the line of an error, or to insert or remove a
 * member. Parsing and printing the text again could change the spelling of its numbers and strings.
 * @throws {DuplicateMember} when an object has a member twice: a parser would drop one of them silently.
 */
export function jsonPositions(json: string): JsonPosition {
  const open: JsonPosition[] = [];
  let name: string | undefined;
  let root: JsonPosition | undefined;
  for (const [token, index] of tokensOf(json)) {
    const parent = open.at(-1);
    if (token === '}' || token === ']') {
      if (parent !== undefined) parent.end = index + 1;
      open.pop();
    } else if (parent?.members !== undefined && name === undefined && token.startsWith('"')) {
      name = JSON.parse(token) as string;
      if (parent.members.has(name)) throw new DuplicateMember(name, linesAt(json, [index])[0] ?? 1);
    } else if (token !== ',' && token !== ':') {
      const position: JsonPosition = {
        start: index,
        end: index + token.length,
        ...(token === '{' ? { members: new Map() } : token === '[' ? { items: [] } : {}),
      };
      root ??= position;
      if (name !== undefined) parent?.members?.set(name, position);
      else parent?.items?.push(position);
      name = undefined;
      if (token === '{' || token === '[') open.push(position);
    }
  }
  return root ?? { start: 0, end: json.length };
}

/** An object has two members of the same name. */
export class DuplicateMember extends Error {
  override readonly name = 'DuplicateMember';
  /** The line of the second member, from 1. */
  readonly line: number;

  constructor(member: string, line: number) {
    super(`the member "${member}" appears twice`);
    this.line = line;
  }
}

/** The position of the value at a path; undefined if there is no such value. */
export function positionAt(root: JsonPosition, path: Path): JsonPosition | undefined {
  let position: JsonPosition | undefined = root;
  for (const step of path) {
    position = typeof step === 'number' ? position?.items?.[step] : position?.members?.get(step);
  }
  return position;
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

/** The lines of the characters at these indexes, from 1; the text is read once, however many there are. */
export function linesAt(text: string, indexes: readonly number[]): readonly number[] {
  const lines = indexes.map(() => 1);
  let line = 1;
  let next = text.indexOf('\n');
  for (const [index, place] of indexes.map((at, own) => [at, own] as const).sort(([a], [b]) => a - b)) {
    for (; next >= 0 && next < index; next = text.indexOf('\n', next + 1)) line += 1;
    lines[place] = line;
  }
  return lines;
}
