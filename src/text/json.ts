import { createScanner, type Edit, format, printParseErrorCode, visit } from 'jsonc-parser';
import { type Path, parseBounded, TooComplex } from './json-values.ts';

/** The position of a value in JSON text: `end` is the index after its last character. */
export interface JsonPosition {
  readonly start: number;
  end: number;
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** The members of an object, by name. */
  readonly members?: Map<string, JsonPosition>;
  /** The items of a list. */
  readonly items?: JsonPosition[];
}

/** Text that is no JSON, or that a parser would not read as it stands. The message is one line. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  /** The line, from 1. */
  readonly line: number;
  /** The character of that line, from 1; undefined where the text is valid JSON. */
  readonly character: number | undefined;

  constructor(message: string, line: number, character?: number) {
    super(message);
    this.line = line;
    this.character = character;
  }
}

/**
 * The value of JSON text, and the positions of all values in it, for the lines of errors.
 * @throws {JsonProblem} for other text, for too many values or levels, and for an object with a member twice: a
 *   parser would drop one of them silently.
 */
export function parsePlaced(text: string): { readonly value: unknown; readonly positions: JsonPosition } {
  try {
    return { value: parseBounded(text), positions: positionsIn(text) };
  } catch (error) {
    if (error instanceof TooComplex) throw new JsonProblem(`has ${error.message}`, 1);
    if (error instanceof SyntaxError) throw syntaxProblem(text);
    throw error;
  }
}

function positionsIn(text: string): JsonPosition {
  const open: JsonPosition[] = [];
  let name = '';
  let root: JsonPosition | undefined;
  const add = (position: JsonPosition) => {
    const parent = open.at(-1);
    root ??= position;
    parent?.members?.set(name, position);
    parent?.items?.push(position);
  };
  const begin = (position: JsonPosition) => {
    add(position);
    open.push(position);
  };
  const end = (offset: number) => {
    const position = open.pop();
    if (position !== undefined) position.end = offset + 1;
  };
  visit(text, {
    onObjectBegin: (start, _, line) => begin({ start, end: start, line: line + 1, members: new Map() }),
    onArrayBegin: (start, _, line) => begin({ start, end: start, line: line + 1, items: [] }),
    onObjectProperty: (own, _, __, line) => {
      if (open.at(-1)?.members?.has(own))
        throw new JsonProblem(`the member "${own}" appears twice`, line + 1);
      name = own;
    },
    onLiteralValue: (_, start, length, line) => add({ start, end: start + length, line: line + 1 }),
    onObjectEnd: end,
    onArrayEnd: end,
  });
  return root ?? { start: 0, end: text.length, line: 1 };
}

/** The position of the value at a path; undefined if there is no such value. */
export function positionAt(root: JsonPosition, path: Path): JsonPosition | undefined {
  let position: JsonPosition | undefined = root;
  for (const step of path) {
    position = typeof step === 'number' ? position?.items?.[step] : position?.members?.get(step);
  }
  return position;
}

/** The first thing that is wrong with a text that a JSON parser has refused. */
export function syntaxProblem(text: string): JsonProblem {
  let problem: JsonProblem | undefined;
  const onError = (code: number, offset: number, length: number, line: number, character: number) => {
    if (problem !== undefined) return;
    const start = text.slice(offset - character, offset);
    const after = text.slice(0, offset).trimEnd().at(-1);
    const message = messageOf(printParseErrorCode(code), text.slice(offset, offset + length), after);
    problem = new JsonProblem(message, line + 1, [...start].length + 1);
  };
  visit(text, { onError }, { disallowComments: true });
  return problem ?? new JsonProblem('the text cannot be read', 1);
}

/** By the library's names of errors; any other one is a value that is missing. */
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
  InvalidUnicode: String.raw`a \ that begins no escape: JSON writes a backslash as \\`,
  InvalidEscapeCharacter: String.raw`a \ that begins no escape: JSON writes a backslash as \\`,
  InvalidCharacter: 'a control character in a text',
};

/** @param after the character in front of the token. */
function messageOf(code: string, token: string, after = ''): string {
  if (after === ',' && /^[\]},]$/.test(token)) return `a comma too many before ${token}`;
  if (code === 'CommaExpected' && /^[}\]:]$/.test(token)) return `a ${token} that does not belong here`;
  const shown = token.length > 20 ? `${token.slice(0, 20)}…` : token;
  const missing = shown === '' ? 'a value is missing at the end' : 'a value is missing before TOKEN';
  return after === '' && token === ''
    ? 'there is no value'
    : (PROBLEMS[code] ?? missing).replace('TOKEN', () => shown);
}

/**
 * The text of the member of an object that is an object itself. Printing its value again could change the spelling
 * of numbers and strings.
 * @param json valid JSON.
 * @returns undefined if there is no such member, or if there are two: a parser would drop one of them silently.
 */
export function memberText(json: string, name: string): string | undefined {
  const starts: number[] = [];
  const texts: string[] = [];
  let own = '';
  visit(json, {
    // What is within a member is not looked at.
    onObjectBegin: (offset) => starts.push(offset) === 1,
    onArrayBegin: () => false,
    // Without it the rest would count as within the list.
    onArrayEnd: () => undefined,
    onObjectProperty: (property) => {
      own = property;
    },
    onObjectEnd: (offset) => {
      const start = starts.pop();
      if (starts.length === 1 && own === name) texts.push(json.slice(start, offset + 1));
    },
  });
  return texts.length === 1 ? texts[0] : undefined;
}

/** Valid JSON without white space between its tokens; each token keeps its spelling. */
export function compactJson(json: string): string {
  let text = '';
  for (const { token } of tokensOf(json)) text += token;
  return text;
}

/**
 * The strings, numbers, words, brackets, colons and commas of JSON, as they are spelled.
 * @param ignoreTrivia whether to leave out white space and comments.
 */
function* tokensOf(json: string, ignoreTrivia = true): Generator<{ token: string; offset: number }> {
  const scanner = createScanner(json, ignoreTrivia);
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const offset = scanner.getTokenOffset();
    yield { token: json.slice(offset, scanner.getPosition()), offset };
  }
}

/** A number in valid JSON of which JavaScript holds another value; undefined if there is none. */
export function inexactNumber(json: string): string | undefined {
  for (const { token } of tokensOf(json)) {
    if (!/^[-\d]/.test(token)) continue;
    const digits = token
      .replace(/e.*$/i, '')
      .replace(/\D/g, '')
      .replace(/^0+|0+$/g, '');
    // Each number of up to 15 digits is told apart from all others.
    const isExact = digits.length <= 15 || String(Number(token)) === token;
    if (!isExact || !Number.isFinite(Number(token))) return token;
  }
  return undefined;
}

/** Valid JSON indented for people. Unlike JSON.stringify, it keeps the spelling of strings and numbers. */
export function indentJson(json: string): string {
  return edited(json, format(json, undefined, { insertSpaces: true, tabSize: 2 }));
}

/** A text with blanks in place of comments. (The library's own function puts one too many.) */
export function withoutComments(text: string): string {
  const edits: Edit[] = [];
  for (const { token, offset } of tokensOf(text, false)) {
    if (!/^\/[/*]/.test(token)) continue;
    edits.push({ offset, length: token.length, content: token.replace(/[^\r\n]/g, ' ') });
  }
  return edited(text, edits);
}

/** A text with edits in the order of their offsets. That of the library copies the text once for each edit. */
function edited(text: string, edits: readonly Edit[]): string {
  let result = '';
  let done = 0;
  for (const { offset, length, content } of edits) {
    result += text.slice(done, offset) + content;
    done = offset + length;
  }
  return result + text.slice(done);
}
