/** Replaces a secret. */
const MASK = '***';

/** An API key of the service, "DC." and 32 letters and digits (service.md, K3), without its "DC.". */
const API_KEY = /(?<=DC\.)[a-z0-9]{32,}/gi;

/** In characters. Shorter pieces of base64 occur in text by chance. */
const MIN_BASE64_PIECE_LENGTH = 8;

/**
 * Masks the secrets of a run in text, in every form in which a URL, a JSON document or an Authorization
 * header may hold them. Even a one-character password is masked wherever it occurs: unreadable text is better
 * than a readable password.
 */
export class Redactor {
  /** By source, so that adding a secret again costs nothing. */
  readonly #patterns = new Map([[API_KEY.source, API_KEY]]);

  /** Masks a password or an API key from now on. The empty string is not a secret. */
  addSecret(secret: string): void {
    if (secret === '') return;
    const characters = [...secret];
    this.#add(escapeRegExp(secret));
    this.#add(characters.map(percentEncoded).join(''));
    this.#add(characters.map(jsonEscaped).join(''));
    this.#add(base64(Buffer.from(secret)));
    for (const lead of [0, 1, 2]) this.#add(base64Piece(Buffer.from(secret), lead));
  }

  /** Masks the HTTP Basic encoding of username and password; the secret in it is added by {@link addSecret}. */
  addBasic(username: string, password: string): void {
    this.#add(base64(Buffer.from(`${username}:${password}`)));
  }

  /**
   * Replaces every secret with `***`, and everything that looks like an API key with `DC.***`. Secrets that
   * overlap or touch become one mask, so that no part of either stays.
   */
  mask(text: string): string {
    let before = text;
    let after = this.#maskOnce(before);
    // A mask can complete a secret that begins or ends with an asterisk.
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

  /** The ranges of all secrets, overlapping ones included, by start. */
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

/** One character in a URL or a form: percent-encoded, or itself because encoders differ. */
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

/** One character in a JSON string: in each of its escapes and, where JSON allows it, itself. */
function jsonEscaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const spellings = [units.map((unit) => `\\\\u${hex(unit, 4)}`).join('')];
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) spellings.push(escapeRegExp(`\\${short}`));
  if (character !== '"' && character !== '\\') spellings.push(escapeRegExp(character));
  return anyOf(...spellings);
}

const PADDING = '(?:=|%3[dD]){0,2}';

/** Matches base64 characters in either alphabet, also percent-encoded or JSON-escaped. */
const spelled = (characters: string): string =>
  characters.replace(/\+/g, anyOf('[+-]', '%2[bB]')).replace(/\//g, anyOf('[/_]', '%2[fF]', '\\\\/'));

/** Matches the base64 of these bytes, with or without padding. */
const base64 = (bytes: Buffer): string => spelled(bytes.toString('base64').replace(/=+$/, '')) + PADDING;

/**
 * Matches these bytes within the base64 of a longer text, with `lead` bytes modulo three before them: the
 * characters that hold only their bits, and the two at the edges that hold some of them.
 */
function base64Piece(bytes: Buffer, lead: number): string | undefined {
  const text = Buffer.concat([Buffer.alloc(lead), bytes, Buffer.alloc(2)]).toString('base64');
  const piece = text.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + bytes.length) * 8) / 6));
  if (piece.length < MIN_BASE64_PIECE_LENGTH) return undefined;
  const before = lead === 0 ? '' : '[\\w+/-]?';
  const after = (lead + bytes.length) % 3 === 0 ? '' : '[\\w+/-]?';
  return before + spelled(piece) + after + PADDING;
}

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, lone surrogates, and characters that
 * change the direction of text or are invisible. The joiners U+200C and U+200D are allowed: emoji and many
 * scripts need them.
 */
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]/gu;

/**
 * Escapes unsafe characters (`\x1b`, `\u202e`), so that text from the service cannot control a terminal or
 * imitate other text. Mask secrets first: afterwards, those with such characters would not be found.
 * @param options.keepNewlines keeps newlines and tabs.
 * @param options.json writes `\u001b` instead of `\x1b`, so that JSON text stays valid with the same meaning.
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
