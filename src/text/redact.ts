import {
  base64Spelled,
  formEncoded,
  jsonEscaped,
  Needle,
  percentEncoded,
  plain,
  type Spelling,
  unitsOf,
} from './search.ts';

const MASK = '***';

/**
 * An API key of the service: "DC." and 32 letters and digits (service.md, K3). Matches the part
 * after "DC.".
 */
const API_KEY = /(?<=DC\.)[a-z0-9]{32,}/gi;

/** In characters. Shorter pieces of base64 occur in text by chance. */
const MIN_BASE64_PIECE_LENGTH = 8;

/** The sign is a fast check: this character must occur. */
const SPELLINGS: Readonly<Record<string, { readonly spelling: Spelling; readonly sign: string }>> =
  {
    plain: { spelling: plain, sign: '' },
    percent: { spelling: percentEncoded, sign: '%' },
    form: { spelling: formEncoded, sign: '+' },
    json: { spelling: jsonEscaped, sign: '\\' },
    base64: { spelling: base64Spelled, sign: '' },
  };

/** How many base64 characters before and after a piece contain some of its bits. */
interface Edges {
  readonly before: 0 | 1;
  readonly after: 0 | 1;
}

/**
 * Masks the secrets of a run in text, in every form in which a URL, a JSON document or an
 * Authorization header may contain them. Even a one-character password is masked everywhere:
 * unreadable text is better than a readable password. Secrets of any length are found, in linear
 * time.
 */
export class Redactor {
  /** By spelling, then by text, so that adding a secret again costs nothing. */
  readonly #needles = new Map(
    Object.keys(SPELLINGS).map((name) => [
      name,
      new Map<string, { needle: Needle; edges?: Edges }>(),
    ]),
  );

  /** Masks a password or an API key from now on. The empty string is not a secret. */
  addSecret(secret: string): void {
    // Other code may have collapsed white space or escaped control characters before masking.
    for (const text of [secret, secret.replace(/\s+/g, ' ').trim(), visible(secret)]) {
      if (text !== '') this.#addText(text);
    }
  }

  /**
   * Masks the HTTP Basic encoding of username and password. Add the password itself with {@link
   * addSecret}.
   */
  addBasic(username: string, password: string): void {
    this.#add('base64', base64(Buffer.from(`${username}:${password}`)), { before: 0, after: 0 });
  }

  /**
   * Replaces every secret with `***`, and everything that looks like an API key with `DC.***`.
   * Secrets that overlap or touch become one mask, so that no part remains. Mask a text before
   * shortening it: half a secret is not found.
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
    const covered = this.#coveredIn(text);
    let masked = '';
    let done = 0;
    for (let from = covered.indexOf(1); from >= 0; from = covered.indexOf(1, done)) {
      masked += text.slice(done, from) + MASK;
      const to = covered.indexOf(0, from);
      done = to < 0 ? text.length : to;
    }
    return masked + text.slice(done);
  }

  /** 1 for each character that belongs to a secret. */
  #coveredIn(text: string): Uint8Array {
    const covered = new Uint8Array(text.length);
    for (const { 0: key, index } of text.matchAll(API_KEY))
      covered.fill(1, index, index + key.length);
    for (const [name, { spelling, sign }] of Object.entries(SPELLINGS)) {
      const needles = this.#needles.get(name);
      if (!needles?.size || !text.includes(sign)) continue;
      const units = unitsOf(text, spelling);
      for (const { needle, edges } of needles.values()) {
        if (edges === undefined) needle.cover(units, covered);
        else {
          needle.cover(units, covered, {
            before: (start) => coverBase64(text, covered, start - edges.before, start),
            after: (end) =>
              coverPadding(text, covered, coverBase64(text, covered, end, end + edges.after)),
          });
        }
      }
    }
    return covered;
  }

  #addText(text: string): void {
    for (const spelling of ['plain', 'percent', 'form', 'json']) this.#add(spelling, text);
    const url = new URL('http://localhost');
    url.password = text;
    // Unlike other encoders, a URL keeps percent signs.
    this.#add('plain', url.password);
    const bytes = Buffer.from(text);
    this.#add('base64', base64(bytes), { before: 0, after: 0 });
    for (const lead of [0, 1, 2]) {
      const piece = base64Piece(bytes, lead);
      const edges = {
        before: lead === 0 ? 0 : 1,
        after: (lead + bytes.length) % 3 === 0 ? 0 : 1,
      } as const;
      if (piece.length >= MIN_BASE64_PIECE_LENGTH) this.#add('base64', piece, edges);
    }
  }

  #add(spelling: string, text: string, edges?: Edges): void {
    const needles = this.#needles.get(spelling);
    const key = `${text} ${edges?.before ?? ''}${edges?.after ?? ''}`;
    if (text === '' || needles === undefined || needles.has(key)) return;
    needles.set(key, { needle: new Needle(text), ...(edges === undefined ? {} : { edges }) });
  }
}

/** Covers the base64 characters from `from` up to `to`; returns the index after them. */
function coverBase64(text: string, covered: Uint8Array, from: number, to: number): number {
  if (from === to || !/^[\w+/-]$/.test(text[from] ?? '')) return from;
  covered[from] = 1;
  return to;
}

/** Covers the padding of base64 at an index, also percent-encoded. */
function coverPadding(text: string, covered: Uint8Array, at: number): void {
  const [padding = ''] = /^(?:=|%3[dD]){0,2}/.exec(text.slice(at, at + 6)) ?? [];
  covered.fill(1, at, at + padding.length);
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/**
 * The base64 characters of a longer text that contain only bits of `bytes`. @param lead the number
 * of bytes before them, modulo three.
 */
function base64Piece(bytes: Buffer, lead: number): string {
  const text = Buffer.concat([Buffer.alloc(lead), bytes, Buffer.alloc(2)]).toString('base64');
  return text.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + bytes.length) * 8) / 6));
}

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, lone surrogates, and characters
 * that change the direction of text or are invisible.
 */
const UNSAFE = new RegExp(
  [
    '[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}',
    '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200d\\u2060-\\u2064',
    '\\u206a-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e01ef}]',
  ].join(''),
  'gu',
);

/**
 * Invisible characters that are ordinary in their context. Sticky patterns test a single index:
 * tens of megabytes may consist of such characters.
 */
const ORDINARY = [
  // Joiners, as in emoji and many scripts.
  /(?<=[^\0-\x7f\u200c\u200d])[\u200c\u200d]/uy,
  // Variation selectors of symbols and ideographs, and of keycaps.
  /(?<=[\p{Extended_Pictographic}\p{Sm}\p{Script=Han}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/uy,
  /(?<=[\d#*])\ufe0f(?=\u20e3)/uy,
];
// A region's flag with its tags.
const FLAG = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,6}\u{e007f}/uy;
// In code units: from the start of a flag to its last tag.
const FLAG_LENGTH = 14;
// Joiners, variation selectors, and the first half of tags.
// biome-ignore lint/suspicious/noMisleadingCharacterClass: it matches them one by one.
const MAY_BE_ORDINARY = /[\u200c\u200d\ufe00-\ufe0f\udb40]/;

/** Whether the invisible character at an index belongs to ordinary text. */
function isOrdinary(text: string, at: number): boolean {
  if (!MAY_BE_ORDINARY.test(text.charAt(at))) return false;
  const isMatch = ORDINARY.some((pattern) => {
    pattern.lastIndex = at;
    return pattern.test(text);
  });
  if (isMatch) return true;
  const before = text.slice(Math.max(0, at - FLAG_LENGTH), at);
  const flag = before.lastIndexOf('\u{1f3f4}');
  if (flag < 0) return false;
  FLAG.lastIndex = at - before.length + flag;
  return FLAG.test(text) && at < FLAG.lastIndex;
}

/**
 * Escapes unsafe characters (`\x1b`, `\u202e`), so that text from the service cannot control a
 * terminal or imitate other text. Mask secrets first: escaped secrets would not be found.
 * @param options.keepNewlines keeps newlines and tabs.
 * @param options.json writes `\u001b` instead of `\x1b`, so that JSON stays valid with the same
 *   meaning.
 */
export function visible(
  text: string,
  options: { readonly keepNewlines?: boolean; readonly json?: boolean } = {},
): string {
  return text.replace(UNSAFE, (character, at: number) => {
    if (options.keepNewlines && (character === '\n' || character === '\t')) return character;
    if (isOrdinary(text, at)) return character;
    return Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index);
      return code < 0x100 && !options.json
        ? `\\x${code.toString(16).padStart(2, '0')}`
        : `\\u${code.toString(16).padStart(4, '0')}`;
    }).join('');
  });
}
