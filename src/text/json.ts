import {
  createScanner,
  findNodeAtLocation,
  format,
  type Node,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { DuplicateMember, jsonIn, type Path, parseBounded, TooComplex } from './json-values.ts';

export interface PlacedJson {
  readonly text: string;
  readonly root: Node | undefined;
}

/** Invalid JSON, or JSON that a parser would change. The message is one line. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  readonly line: number;
  /** The character in that line, from 1; undefined if the text is valid JSON. */
  readonly character: number | undefined;

  constructor(message: string, line: number, character?: number) {
    super(message);
    this.line = line;
    this.character = character;
  }
}

/** The value of JSON text, and the positions of all values. Duplicate members are errors. */
export function parsePlaced(text: string): PlacedJson & { readonly value: unknown } {
  const value = boundedValue(text);
  let tree: { readonly root: Node | undefined } | undefined;
  return {
    text,
    value,
    // Computed late: only findings need positions, and few records have findings.
    get root() {
      tree ??= { root: parseTree(text) };
      return tree.root;
    },
  };
}

function boundedValue(text: string): unknown {
  try {
    return parseBounded(text, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (error instanceof DuplicateMember) {
      const line = text.slice(0, error.at).split('\n').length;
      throw new JsonProblem(`the member "${jsonIn(error.member)}" appears twice`, line);
    }
    if (error instanceof TooComplex) throw new JsonProblem(`has ${error.message}`, 1);
    if (error instanceof SyntaxError) throw syntaxProblem(text);
    throw error;
  }
}

/**
 * The value of JSON text; undefined for other text. @throws {JsonProblem} for a duplicate member.
 */
export function exactJsonIn(text: string): unknown {
  return jsonIn(text) === undefined ? undefined : parsePlaced(text).value;
}

/** The value at a path, with its position; undefined if there is no such value. */
export function nodeAt({ root }: Pick<PlacedJson, 'root'>, path: Path): Node | undefined {
  return root && findNodeAtLocation(root, [...path]);
}

/** The text of a value as spelled in the document. */
export function spelled({ text }: Pick<PlacedJson, 'text'>, { offset, length }: Node): string {
  return text.slice(offset, offset + length);
}

export function membersOf(node: Node | undefined): ReadonlyMap<string, Node> {
  const pairs = (node?.children ?? []).map(({ children: [name, value] = [] }) => [
    name?.value,
    value,
  ]);
  return new Map(pairs as [string, Node][]);
}

/**
 * A function that finds a node's child by name or index. The members of an object are indexed only
 * once.
 */
export function childFinder(): (node: Node, step: Path[number]) => Node | undefined {
  const known = new Map<Node, ReadonlyMap<unknown, Node>>();
  return (node, step) => {
    if (node.type !== 'object')
      return node.type === 'array' ? node.children?.[Number(step)] : undefined;
    const members = known.get(node) ?? membersOf(node);
    known.set(node, members);
    return members.get(step);
  };
}

/** The first problem in a text that a JSON parser has refused. */
export function syntaxProblem(text: string): JsonProblem {
  let problem: JsonProblem | undefined;
  const onError = (
    code: number,
    offset: number,
    length: number,
    line: number,
    character: number,
  ) => {
    if (problem !== undefined) return;
    const start = text.slice(offset - character, offset);
    const after = text.slice(0, offset).trimEnd().at(-1);
    const message = messageOf(
      printParseErrorCode(code),
      text.slice(offset, offset + length),
      after,
    );
    problem = new JsonProblem(message, line + 1, [...start].length + 1);
  };
  visit(text, { onError }, { disallowComments: true });
  return problem ?? new JsonProblem('the text cannot be read', 1);
}

const BAD_ESCAPE = String.raw`a \ that does not begin an escape: JSON writes a backslash as \\`;

/** Messages by the library's error names; any other error is a missing value. */
const PROBLEMS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'TOKEN is not a value in JSON; names and texts must be in double quotes',
  UnexpectedEndOfNumber: 'TOKEN is not a number in JSON',
  PropertyNameExpected: 'a name in double quotes is missing before TOKEN',
  ColonExpected: 'a colon is missing before TOKEN',
  CommaExpected: 'a comma is missing: TOKEN',
  CloseBraceExpected: 'the closing } is missing',
  CloseBracketExpected: 'the closing ] is missing',
  EndOfFileExpected: 'there is more after the end: TOKEN',
  InvalidCommentToken: 'a comment, which JSON does not have',
  UnexpectedEndOfComment: 'a comment, which JSON does not have',
  UnexpectedEndOfString: 'a text has no closing quote',
  InvalidUnicode: BAD_ESCAPE,
  InvalidEscapeCharacter: BAD_ESCAPE,
  InvalidCharacter: 'a control character in a text',
};

function messageOf(code: string, token: string, after = ''): string {
  if (after === ',' && /^[\]},]$/.test(token)) return `an extra comma before ${token}`;
  if (code === 'CommaExpected' && /^[}\]:]$/.test(token))
    return `a ${token} that does not belong here`;
  if (after === '' && token === '') return 'there is no value';
  const shown = token.length > 20 ? `${token.slice(0, 20)}…` : token || 'the end of the text';
  return (PROBLEMS[code] ?? 'a value is missing before TOKEN').replace('TOKEN', () => shown);
}

/** The text of the only member of this name that is an object, as spelled; undefined otherwise. */
export function memberText(json: string, name: string): string | undefined {
  const members = parseTree(json)?.children?.map(({ children = [] }) => children) ?? [];
  const [member, ...others] = members.filter(
    ([key, value]) => key?.value === name && value?.type === 'object',
  );
  const value = others.length === 0 ? member?.[1] : undefined;
  return value && spelled({ text: json }, value);
}

/** Valid JSON without white space between its tokens; each token keeps its spelling. */
export function compactJson(json: string): string {
  let text = '';
  for (const token of tokensOf(json)) text += token;
  return text;
}

function* tokensOf(json: string): Generator<string> {
  const scanner = createScanner(json, true);
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan())
    yield json.slice(scanner.getTokenOffset(), scanner.getPosition());
}

/** The first number in valid JSON that JavaScript cannot represent exactly; undefined if none. */
export function inexactNumber(json: string): string | undefined {
  for (const token of tokensOf(json)) {
    if (!/^[-\d]/.test(token)) continue;
    const digits = token
      .replace(/e.*$/i, '')
      .replace(/\D/g, '')
      .replace(/^0+|0+$/g, '');
    // Numbers of up to 15 digits are all distinct.
    const isExact = digits.length <= 15 || String(Number(token)) === token;
    if (!isExact || !Number.isFinite(Number(token))) return token;
  }
  return undefined;
}

/**
 * Indents valid JSON for people. Unlike JSON.stringify, it keeps the spelling of strings and
 * numbers.
 */
export function indentJson(json: string): string {
  let result = '';
  let done = 0;
  // The library's own function copies the whole text for each edit.
  for (const { offset, length, content } of format(json, undefined, {
    insertSpaces: true,
    tabSize: 2,
  })) {
    result += json.slice(done, offset) + content;
    done = offset + length;
  }
  return result + json.slice(done);
}
