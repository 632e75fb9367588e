import { stringEnd } from './json-text.ts';

// Far more than any record, any list of keys and any page without its records.
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 1000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

/** JSON whose values or levels take, when they are parsed or printed, hundreds of times its size. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

/**
 * The value of JSON text of someone else. A parser needs up to 60 bytes for each `{},` of an answer, and
 * indenting 100,000 levels takes 10 GB.
 * @throws {TooComplex}, or SyntaxError when it is not JSON, whose message quotes it.
 */
export function parseBounded(json: string): unknown {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at) - 1;
    else if (code === COMMA) values += 1;
    // The name of a member takes more than a value.
    else if (code === COLON) values += 2;
    // Brackets and braces: [ ] { } are 5b 5d 7b 7d.
    else if ((code | 0x20) === 0x7b) {
      values += 1;
      depth += 1;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
    if (values > MAX_VALUES || depth > MAX_DEPTH) {
      throw new TooComplex(values > MAX_VALUES ? 'too many values' : `more than ${MAX_DEPTH} levels`);
    }
  }
  return JSON.parse(json);
}
