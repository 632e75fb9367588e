import { usageError } from '../../errors.ts';
import { number } from '../../text/words.ts';

interface ArrayItem {
  readonly text: string;
  /** The line in the file where it begins, from 1. */
  readonly line: number;
}

const HINT = 'a file of records is a JSON array, or NDJSON';
const SPECIAL = /["\\]/g;

/**
 * Splits a JSON array into the texts of its items, with only one item of up to `most` characters in
 * memory. Items are not checked to be valid JSON.
 */
export async function* arrayItems(
  chunks: AsyncIterable<string>,
  name: string,
  most: number,
): AsyncGenerator<ArrayItem> {
  let [line, depth, last, quoted] = [1, 0, '', ''];
  /** The current item's text so far, and the line where it begins. */
  let [item, begin] = ['', 0];
  const wrong = (problem: string) => usageError(`${name}:${begin || line}: ${problem}`, HINT);
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      // Skip to the next special character: most of a record is within strings.
      SPECIAL.lastIndex = at;
      if (quoted === '"') at = SPECIAL.exec(chunk)?.index ?? chunk.length;
      const char = chunk[at] ?? '';
      if (quoted !== '') {
        // The character after a backslash never ends the string.
        if (quoted === '\\' || char !== '"') quoted = quoted !== '\\' && char === '\\' ? '\\' : '"';
        else quoted = '';
      } else if (/\s/.test(char)) {
        if (char === '\n') line += 1;
      } else if (depth === 0) {
        if (last === ']') throw wrong('there is more after the end of the list');
        if (char !== '[') throw wrong('this is not a JSON array');
        [depth, last, from] = [1, char, at + 1];
      } else if (depth === 1 && (char === ',' || char === ']')) {
        const text = item + chunk.slice(from, at);
        if (begin > 0) yield { text: text.trim(), line: begin };
        else if (char === ',' || last === ',') throw wrong('a record is missing next to a comma');
        [item, begin, last, from] = ['', 0, char, at + 1];
        if (char === ']') depth = 0;
      } else {
        begin ||= line;
        if (char === '"') quoted = char;
        else if ('[{'.includes(char)) depth += 1;
        else if (']}'.includes(char)) depth -= 1;
      }
    }
    if (begin > 0) item += chunk.slice(from);
    if (item.length > most) throw wrong(`an item has more than ${number(most)} characters`);
  }
  if (last !== ']') throw wrong('the list ends before its closing ]: it may have been cut');
}
