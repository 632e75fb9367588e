import { stringEnd } from './json-text.ts';

/** What is wrong with a text that is not JSON, in words, and where. */
interface SyntaxProblem {
  readonly message: string;
  /** From 1. */
  readonly line: number;
  /** Of that line, from 1. */
  readonly character: number;
}

/** The first thing that is wrong with a text that a JSON parser has refused. */
export function syntaxProblem(text: string): SyntaxProblem {
  const { index, message } = new Scan(text).problem();
  const before = text.slice(0, index);
  const start = before.lastIndexOf('\n') + 1;
  return { message, line: before.split('\n').length, character: [...before.slice(start)].length + 1 };
}

interface Problem {
  readonly index: number;
  readonly message: string;
}

const WORD = /[^\s"{}[\],:]+/y;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a parser refuses them within a text.
const BAD_IN_TEXT = /[\u0000-\u001f]|\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/;

/** Reads a text as far as it is JSON. What is open is a list, so that no nesting overflows the stack. */
class Scan {
  readonly #text: string;
  /** The brackets that close what is open. */
  readonly #open: string[] = [];
  /** What has to come next; `end` stands for a separator or the end. */
  #next: 'value' | 'name' | ':' | 'end' = 'value';
  #last = '';

  constructor(text: string) {
    this.#text = text;
  }

  problem(): Problem {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const char = text.charAt(at);
      if (' \t\n\r'.includes(char)) {
        at += 1;
        continue;
      }
      const end = this.#endOf(at, char);
      const token = text.slice(at, end);
      const found = this.#take(token);
      if (found !== undefined)
        return typeof found === 'string'
          ? { index: at, message: found }
          : { ...found, index: at + found.index };
      this.#last = token;
      at = end;
    }
    const closing = this.#open.at(-1);
    return {
      index: text.length,
      message: closing === undefined ? 'there is no value' : `the closing ${closing} is missing`,
    };
  }

  #endOf(at: number, char: string): number {
    if (char === '"') return stringEnd(this.#text, at);
    if ('{}[],:'.includes(char)) return at + 1;
    WORD.lastIndex = at;
    return WORD.test(this.#text) ? WORD.lastIndex : at + 1;
  }

  /** Takes the next token. @returns what is wrong with it, at an index within it if not at its start. */
  #take(token: string): string | Problem | undefined {
    if (token === ',' || token === '}' || token === ']') return this.#separate(token);
    const next = this.#next;
    if (token === ':') {
      this.#next = 'value';
      return next === ':' ? undefined : 'a colon that does not belong here';
    }
    if (next === ':') return `a colon is missing before ${short(token)}`;
    if (next === 'end') {
      return `${this.#open.length === 0 ? 'there is more after the end' : 'a comma is missing'}: ${short(token)}`;
    }
    const isName = next === 'name';
    const problem =
      isName && !token.startsWith('"') ? `a name must be in double quotes: ${short(token)}` : wrongIn(token);
    if (problem !== undefined) return problem;
    const opens = token === '{' || token === '[';
    if (opens) this.#open.push(token === '{' ? '}' : ']');
    this.#next = token === '{' ? 'name' : token === '[' ? 'value' : isName ? ':' : 'end';
    return undefined;
  }

  #separate(token: string): string | undefined {
    const closing = this.#open.at(-1);
    if (this.#last === ',') return `a comma too many before ${token}`;
    if (token !== ',' && token !== closing) {
      return closing === undefined ? `a ${token} too many` : `a ${token} in place of ${closing}`;
    }
    const isEmpty = this.#last === '{' || this.#last === '[';
    if (this.#next !== 'end' && !(isEmpty && token !== ',')) return `a value is missing before ${token}`;
    if (token !== ',') this.#open.pop();
    this.#next = token !== ',' ? 'end' : closing === '}' ? 'name' : 'value';
    return closing === undefined ? 'a comma after the end' : undefined;
  }
}

/** What is wrong with a value or a name. */
function wrongIn(token: string): string | Problem | undefined {
  if (token.startsWith('"')) return wrongInText(token);
  if (/^(\{|\[|true|false|null)$/.test(token) || NUMBER.test(token)) return undefined;
  if (/^(\/\/|\/\*|#)/.test(token)) return 'a comment, which JSON does not have';
  if (/^['‘’“”`]/.test(token)) return `a text must be in double quotes: ${short(token)}`;
  if (/^[-+.]?\d/.test(token)) return `${short(token)} is not a number in JSON`;
  return `${short(token)} is not a value in JSON; a text must be in double quotes`;
}

function wrongInText(token: string): string | Problem | undefined {
  const index = token.search(BAD_IN_TEXT);
  const isOpen = stringEnd(`${token} `, 0) > token.length;
  if (index < 0) return isOpen ? 'a text has no closing quote' : undefined;
  const [bad, next = ''] = token.slice(index);
  if (/[\n\r]/.test(bad === '\\' ? next : (bad ?? ''))) return 'a text has no closing quote';
  if (bad !== '\\') return { index, message: 'a control character in a text' };
  return { index, message: `\\${next} in a text: JSON writes a backslash as \\\\` };
}

function short(token: string): string {
  return token.length > 20 ? `${token.slice(0, 20)}…` : token;
}
