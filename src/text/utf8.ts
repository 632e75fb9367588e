import { isUtf8 } from 'node:buffer';
import { usageError } from '../errors.ts';

/** A byte that is not UTF-8 is decoded as a lone surrogate: U+DCE9 for the byte E9. */
const LONE = 0xdc00;
const FOREIGN = /[\u{dc80}-\u{dcff}]/u;

/** Decodes UTF-8 in pieces. {@link foreignText} finds bytes of another encoding. */
export async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  // The beginning of a character that a chunk has cut.
  let cut: Buffer = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of chunks) {
    const bytes = cut.length === 0 ? chunk : Buffer.concat([cut, chunk]);
    const end = bytes.length - cutLength(bytes);
    cut = bytes.subarray(end);
    const text = decode(bytes.subarray(0, end));
    if (text === '') continue;
    yield isFirst ? text.replace(/^\ufeff/, '') : text;
    isFirst = false;
  }
  if (cut.length > 0) yield decode(cut);
}

/** The number of bytes at the end that begin a character and do not complete it. */
function cutLength(bytes: Buffer): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte >= 0xc0) return lengthOf(byte) > length ? length : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The text of bytes, see {@link decoded}. */
export function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const character = bytes.subarray(at, at + lengthOf(bytes[at] ?? 0));
    const isValid = isUtf8(character);
    text += isValid ? character.toString() : String.fromCharCode(LONE + (bytes[at] ?? 0));
    at += isValid ? character.length : 1;
  }
  return text;
}

/** How many characters before and after a foreign byte an error shows. */
const AROUND = 20;

interface ForeignText {
  /** The problem, for a message that begins with the place. */
  readonly problem: string;
  /** The line of the text that has the first foreign byte, from 1. */
  readonly line: number;
}

/** Finds bytes of another encoding in a decoded text. */
export function foreignText(text: string): ForeignText | undefined {
  // The fast search also finds second halves of surrogate pairs, which are in the same range.
  const at = /[\udc80-\udcff]/.test(text) ? text.search(FOREIGN) : -1;
  if (at < 0) return undefined;
  const begin = text.slice(Math.max(0, at - AROUND), at).replace(/^.*\n|^[\udc00-\udfff]/s, '');
  const end = text.slice(at, at + AROUND).replace(/\n.*|[\ud800-\udbff]$/s, '');
  const hex = [...begin, ...end].map((char) =>
    FOREIGN.test(char) ? `\\x${byteOf(char).toString(16)}` : char,
  );
  const line = text.slice(0, at).split('\n').length;
  return { problem: `is not UTF-8: "${hex.join('')}"`, line };
}

const byteOf = (char: string) => char.charCodeAt(0) - LONE;

/** @throws {CliError} for a text that is not UTF-8. @param first the number of its first line. */
export function refuseForeignText(text: string, name: string, first = 1): void {
  const foreign = foreignText(text);
  if (foreign === undefined) return;
  throw usageError(`${name}:${first + foreign.line - 1} ${foreign.problem}`, 'save it as UTF-8');
}
