/**
 * A way to spell characters. @returns the unit that begins at an index: its value, a UTF-16 code
 * unit, and its length in characters.
 */
export type Spelling = (text: string, at: number) => number;

const VALUE_BITS = 16;
const VALUE_MASK = (1 << VALUE_BITS) - 1;

/** A unit as one number, for a {@link Spelling} to return. */
const unit = (value: number, length: number): number => (length << VALUE_BITS) | value;

/** The unit that begins at each index of a text, in a spelling. */
export function unitsOf(text: string, spelling: Spelling): Int32Array {
  return Int32Array.from({ length: text.length }, (_, at) => spelling(text, at));
}

/** Called at the index where a match begins, and at the index where it ends. */
interface Edges {
  readonly before: (start: number) => void;
  /** Not called where an overlapping match continues. */
  readonly after: (end: number) => void;
}

/**
 * A text to search for, of any length, in linear time even if both texts repeat themselves. This is
 * the algorithm of Knuth, Morris and Pratt from right to left: a unit can begin at every index,
 * even within another unit, but only one unit begins at each index.
 */
export class Needle {
  readonly #reversed: Int32Array;
  /**
   * For each state (the number of units matched, from the end), the state to try if the next unit
   * differs.
   */
  readonly #fallback: Int32Array;

  /** @param text at least one character. */
  constructor(text: string) {
    this.#reversed = unitsOf(text, (_, at) => text.charCodeAt(at)).reverse();
    this.#fallback = fallbackOf(this.#reversed);
  }

  /**
   * Sets `covered` to 1 for each character of each match in the units of a text, including
   * overlaps.
   */
  cover(units: Int32Array, covered: Uint8Array, edges?: Edges): void {
    const starts = this.#starts(units);
    if (starts === undefined) return;
    const length = this.#reversed.length;
    // How many units from each index onward belong to a match.
    const left = new Int32Array(units.length + 1);
    for (let at = 0; at < units.length; at += 1) {
      if (starts[at] === 1) {
        left[at] = length;
        edges?.before(at);
      }
      const unitsLeft = left[at] as number;
      if (unitsLeft === 0) continue;
      const end = at + ((units[at] as number) >> VALUE_BITS);
      covered.fill(1, at, end);
      if (unitsLeft > 1) left[end] = Math.max(left[end] as number, unitsLeft - 1);
      else edges?.after(end);
    }
  }

  /** 1 for each index where a match begins; undefined without a match. */
  #starts(units: Int32Array): Uint8Array | undefined {
    const [reversed, fallback] = [this.#reversed, this.#fallback];
    const { length } = reversed;
    if (length > units.length) return undefined;
    const states = new Int32Array(units.length + 1);
    let starts: Uint8Array | undefined;
    for (let at = units.length - 1; at >= 0; at -= 1) {
      const here = units[at] as number;
      const value = here & VALUE_MASK;
      let state = states[at + (here >> VALUE_BITS)] as number;
      while (state >= 0 && reversed[state] !== value) state = fallback[state] as number;
      state += 1;
      states[at] = state;
      if (state < length) continue;
      starts ??= new Uint8Array(units.length);
      starts[at] = 1;
    }
    return starts;
  }
}

function fallbackOf(values: Int32Array): Int32Array {
  const fallback = new Int32Array(values.length + 1);
  fallback[0] = -1;
  let border = 0;
  for (let state = 1; state <= values.length; state += 1) {
    // A state that expects the same value fails in the same way. Skipping it bounds the steps per
    // unit.
    fallback[state] = values[state] === values[border] ? (fallback[border] as number) : border;
    while (border >= 0 && values[state] !== values[border]) border = fallback[border] as number;
    border += 1;
  }
  return fallback;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;

/** Each code unit as itself. */
export const plain: Spelling = (text, at) => unit(text.charCodeAt(at), 1);

/**
 * Percent-encoded UTF-8 as in a URL; other characters stand for themselves. Of four bytes, the
 * first is one code unit of a surrogate pair, and the other three are the second.
 */
export const percentEncoded: Spelling = (text, at) => {
  const lead = byteAt(text, at);
  if (lead === undefined) return plain(text, at);
  if (lead < 0x80) return unit(lead, 3);
  const isSecond = lead < 0xc0;
  const [value, bytes] = codePointAt(text, isSecond ? at - 3 : at) ?? [0, 0];
  if (bytes === 4) {
    return isSecond ? unit(0xdc00 | (value & 0x3ff), 9) : unit(0xd7c0 + (value >> 10), 3);
  }
  return isSecond || bytes === 0 ? plain(text, at) : unit(value, 3 * bytes);
};

/** As {@link percentEncoded}, with a plus for a blank, as in forms. */
export const formEncoded: Spelling = (text, at) =>
  text[at] === '+' ? unit(0x20, 1) : percentEncoded(text, at);

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** The escapes of a JSON string; other characters stand for themselves. */
export const jsonEscaped: Spelling = (text, at) => {
  if (text.charCodeAt(at) !== BACKSLASH) return plain(text, at);
  const next = text[at + 1] ?? '';
  const value = next === 'u' ? hexAt(text, at + 2, 4) : SHORT_ESCAPES[next]?.charCodeAt(0);
  return value === undefined ? plain(text, at) : unit(value, next === 'u' ? 6 : 2);
};

/** Base64 in its standard alphabet; the text may use either, percent-encoded or JSON-escaped. */
export const base64Spelled: Spelling = (text, at) => {
  const char = text[at];
  if (char === '-') return unit(0x2b, 1);
  if (char === '_') return unit(0x2f, 1);
  if (char === '\\' && text[at + 1] === '/') return unit(0x2f, 2);
  const byte = byteAt(text, at);
  return byte === 0x2b || byte === 0x2f ? unit(byte, 3) : plain(text, at);
};

/** The code point of several percent-encoded bytes of UTF-8 at an index, and their number. */
function codePointAt(text: string, at: number): [value: number, bytes: number] | undefined {
  const lead = byteAt(text, at) ?? 0;
  const bytes = bytesOf(lead);
  let value = lead & (0x7f >> bytes);
  for (let index = 1; index < bytes; index += 1) {
    const byte = byteAt(text, at + 3 * index) ?? 0;
    if (byte >> 6 !== 2) return undefined;
    value = (value << 6) | (byte & 0x3f);
  }
  return lead < 0xc2 || value > 0x10ffff ? undefined : [value, bytes];
}

function bytesOf(lead: number): 2 | 3 | 4 {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

function byteAt(text: string, at: number): number | undefined {
  return text.charCodeAt(at) === PERCENT ? hexAt(text, at + 1, 2) : undefined;
}

function hexAt(text: string, at: number, digits: number): number | undefined {
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const code = text.charCodeAt(index);
    const digit = code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57;
    if (!(code <= 0x39 ? digit >= 0 : digit >= 10 && digit < 16)) return undefined;
    value = value * 16 + digit;
  }
  return value;
}
