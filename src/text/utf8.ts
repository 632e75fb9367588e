import { isUtf8 } from 'node:buffer';
import { usageError } from '../errors.ts';

/** How many characters before and after a byte of another encoding an error shows. */
const AROUND = 20;

interface ForeignBytes {
  /** The problem, for a message that begins with the place. */
  readonly problem: string;
  /** The line with the first wrong byte, from 1. */
  readonly line: number;
}

/** Finds bytes of another encoding; undefined for UTF-8. */
export function foreignIn(bytes: Buffer): ForeignBytes | undefined {
  if (isUtf8(bytes)) return undefined;
  // U+FFFD stands for each wrong byte.
  const text = bytes.toString();
  const at = text.indexOf('\ufffd');
  const before = text.slice(0, at).split('\n');
  const [after = ''] = text.slice(at, at + AROUND).split('\n');
  const shown = `${before.at(-1)?.slice(-AROUND)}${after}`;
  return { problem: `is not UTF-8: "${shown}"`, line: before.length };
}

/** @throws {CliError} for bytes that are not UTF-8. @param first the number of their first line. */
export function utf8Text(bytes: Buffer, name: string, first = 1): string {
  const foreign = foreignIn(bytes);
  if (foreign === undefined) return bytes.toString();
  throw usageError(`${name}:${first + foreign.line - 1} ${foreign.problem}`, 'save it as UTF-8');
}
