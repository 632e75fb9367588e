import { type Spelling, unit } from './search.ts';

const PERCENT = 0x25;
const BACKSLASH = 0x5c;

/** Each code unit as itself. */
export const plain: Spelling = (text, at) => unit(text.charCodeAt(at), 1);

/**
 * Percent-encoded UTF-8 as in a URL; a character that is not encoded is itself. Of four bytes, the first makes
 * one code unit of a surrogate pair and the other three make the other.
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

/** As {@link percentEncoded}, with a plus for a blank, as a form is sent. */
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

/** The escapes of a JSON string; a character that is not escaped is itself. */
export const jsonEscaped: Spelling = (text, at) => {
  if (text.charCodeAt(at) !== BACKSLASH) return plain(text, at);
  const next = text[at + 1] ?? '';
  const value = next === 'u' ? hexAt(text, at + 2, 4) : SHORT_ESCAPES[next]?.charCodeAt(0);
  return value === undefined ? plain(text, at) : unit(value, next === 'u' ? 6 : 2);
};

/** Base64 in its first alphabet; the text may use either, percent-encoded or JSON-escaped. */
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
  const bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  let value = lead & (0x7f >> bytes);
  for (let index = 1; index < bytes; index += 1) {
    const byte = byteAt(text, at + 3 * index) ?? 0;
    if (byte >> 6 !== 2) return undefined;
    value = (value << 6) | (byte & 0x3f);
  }
  return lead < 0xc2 || value > 0x10ffff ? undefined : [value, bytes];
}

/** The byte that is percent-encoded at an index. */
function byteAt(text: string, at: number): number | undefined {
  return text.charCodeAt(at) === PERCENT ? hexAt(text, at + 1, 2) : undefined;
}

/** The number in hexadecimal digits at an index; undefined for other text. */
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
