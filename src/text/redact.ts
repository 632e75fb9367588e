/** What stands in the place of a secret. */
const MASK = '***';

/** An API key of the service (observed: "DC." and 32 alphanumeric characters), without its "DC.". */
const API_KEY = /(?<=DC\.)[a-z0-9]{32,}/gi;

/** In characters. Shorter pieces of base64 turn up in text by chance. */
const SHORTEST_BASE64_PIECE = 8;

/**
 * Knows the secrets of a run and takes them out of text, in every form in which a URL, a JSON document or an
 * Authorization header may hold them. However short a secret is, it is masked wherever it stands: a text made
 * unreadable by a one-character password is better than a password made readable.
 */
export class Redactor {
  /** By source, so that a secret that is added again costs nothing. */
  readonly #patterns = new Map([[API_KEY.source, API_KEY]]);

  /** Masks a password or an API key from now on. The empty string is no secret. */
  addSecret(secret: string): void {
    if (secret === '') return;
    const characters = [...secret];
    this.#add(escapeRegExp(secret));
    this.#add(characters.map(percentEncoded).join(''));
    this.#add(characters.map(jsonEscaped).join(''));
    this.#add(base64(Buffer.from(secret)));
    for (const lead of [0, 1, 2]) this.#add(base64Piece(Buffer.from(secret), lead));
  }

  /** Masks the password, and what HTTP Basic authentication makes of username and password. */
  addCredential(username: string, password: string): void {
    this.addSecret(password);
    this.#add(base64(Buffer.from(`${username}:${password}`)));
  }

  /**
   * The text with `***` for every secret, and `DC.***` for everything shaped like an API key. Secrets that
   * overlap or touch become one mask, so that no part of either stays.
   */
  mask(text: string): string {
    let before = text;
    let after = this.#maskOnce(before);
    // A secret with an asterisk at its edge can only now have appeared, beside a mask.
    while (after !== before) {
      before = after;
      after = this.#maskOnce(before);
    }
    return after;
  }

  #maskOnce(text: string): string {
    let masked = '';
    let done = 0;
    for (const [from, to] of this.#find(text)) {
      if (from > done || masked === '') masked += text.slice(done, from) + MASK;
      done = Math.max(done, to);
    }
    return masked + text.slice(done);
  }

  /** Where secrets stand, overlapping ones included, in order of their beginnings. */
  #find(text: string): [from: number, to: number][] {
    const found: [number, number][] = [];
    for (const pattern of this.#patterns.values()) {
      pattern.lastIndex = 0;
      for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
        found.push([match.index, pattern.lastIndex]);
        pattern.lastIndex = match.index + 1;
      }
    }
    return found.sort(([a], [b]) => a - b);
  }

  #add(source: string | undefined): void {
    if (source !== undefined) this.#patterns.set(source, new RegExp(source, 'g'));
  }
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Hexadecimal digits in either case. */
const hex = (value: number, digits: number): string =>
  value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const anyOf = (...sources: readonly string[]): string => `(?:${sources.join('|')})`;

/** One character in a URL or a form: percent-encoded or, since encoders differ in what they spare, itself. */
function percentEncoded(character: string): string {
  const encoded = [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join('');
  return anyOf(encoded, escapeRegExp(character), ...(character === ' ' ? ['\\+'] : []));
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};

/** One character in a JSON string: escaped in one of the ways there are or, where that is allowed, itself. */
function jsonEscaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const spellings = [units.map((unit) => `\\\\u${hex(unit, 4)}`).join('')];
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) spellings.push(escapeRegExp(`\\${short}`));
  if (character !== '"' && character !== '\\') spellings.push(escapeRegExp(character));
  return anyOf(...spellings);
}

const PADDING = '(?:=|%3[dD]){0,2}';

/** Characters of base64 in either alphabet, percent-encoded and JSON-escaped ones included. */
const spelled = (characters: string): string =>
  characters.replace(/\+/g, anyOf('[+-]', '%2[bB]')).replace(/\//g, anyOf('[/_]', '%2[fF]', '\\\\/'));

/** The base64 of these bytes, with or without padding. */
const base64 = (bytes: Buffer): string => spelled(bytes.toString('base64').replace(/=+$/, '')) + PADDING;

/**
 * What of these bytes can be seen in the base64 of a longer text in which `lead` bytes, or a multiple of three
 * more, stand before them: the characters that hold only their bits, and the two at the edges that hold some.
 */
function base64Piece(bytes: Buffer, lead: number): string | undefined {
  const text = Buffer.concat([Buffer.alloc(lead), bytes, Buffer.alloc(2)]).toString('base64');
  const piece = text.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + bytes.length) * 8) / 6));
  if (piece.length < SHORTEST_BASE64_PIECE) return undefined;
  const before = lead === 0 ? '' : '[\\w+/-]?';
  const after = (lead + bytes.length) % 3 === 0 ? '' : '[\\w+/-]?';
  return before + spelled(piece) + after + PADDING;
}

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, lone surrogates, and the characters that
 * turn the direction of text or are not seen at all. The joiners U+200C and U+200D are not among them: emoji
 * and many scripts are written with them.
 */
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]/gu;

/**
 * Control characters made visible (`\x1b`, `\u202e`), so that text from the service cannot drive a terminal or
 * pass for something else. Secrets are masked before: those with such characters are not found after.
 * @param options.keepNewlines leaves newlines and tabs as they are
 * @param options.json writes `\u001b` for `\x1b`, so that JSON text stays JSON with the same meaning
 */
export function visible(
  text: string,
  options: { readonly keepNewlines?: boolean; readonly json?: boolean } = {},
): string {
  return text.replace(UNSAFE, (character) => {
    if (options.keepNewlines && (character === '\n' || character === '\t')) return character;
    const code = character.charCodeAt(0);
    return code < 0x100 && !options.json
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
