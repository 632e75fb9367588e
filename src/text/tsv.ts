import { dialectOf } from './csv.ts';
import { readLines } from './lines.ts';

/**
 * How a file of TSV writes special characters. By default they are in quotes, as in CSV. In files
 * of `jq -r @tsv` and of databases, quotes are text, and `\t`, `\n` and `\\` stand for a tab, a
 * line break and a backslash. Other programs, such as R, can write quotes as text, without escapes.
 */
export interface TsvForm {
  readonly hasLiteralQuotes?: boolean;
  readonly hasEscapes?: boolean;
  /** A message about quotes and backslashes, whose meaning depends on the program. */
  readonly note?: string;
}

const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** The first row with a sign of a form; 0 for none. */
type Sign =
  /** More or fewer cells than the head: line breaks or tabs are in quotes. */
  | 'ragged'
  /** A cell in quotes: `"Deep lakes"`. */
  | 'quoted'
  /** Doubled quotes in such a cell, as only CSV has them. */
  | 'doubled'
  /** Other quotes: `"Deep" lakes`. */
  | 'unquoted'
  | 'escapeSequence'
  | 'escapedBackslash'
  | 'otherBackslash'
  /** A command of TeX that looks like an escape, such as `\nu`. */
  | 'tex';
type Signs = Record<Sign, number>;

const QUOTED = /^"(?:[^"]|"")*"$/;
const TEX =
  /\\(?:nu|neq|nabla|not|notin|newline|tau|theta|times|text\w*|tilde|to|rho|rm|right\w*)(?![a-z])/i;

/** Determines from the whole file how to read its TSV. */
export async function tsvForm(chunks: AsyncIterable<Buffer>, name: string): Promise<TsvForm> {
  let columns: number | undefined;
  const signs: Signs = {
    ragged: 0,
    quoted: 0,
    doubled: 0,
    unquoted: 0,
    escapeSequence: 0,
    escapedBackslash: 0,
    otherBackslash: 0,
    tex: 0,
  };
  for await (const { bytes, number } of readLines(chunks, name, MAX_LINE_BYTES)) {
    // All characters that matter are ASCII.
    const line = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
    if (line.trim() === '') continue;
    if (columns !== undefined) {
      for (const sign of signsOf(line, columns)) signs[sign] ||= number;
      continue;
    }
    const { skipped } = dialectOf(line);
    // `dois list` writes the column `exported`, and cells as in CSV.
    if (/"|\texported(?:\t|$)/i.test(line)) return {};
    if (skipped === 0) columns = line.split('\t').length;
  }
  return formOf(signs, name);
}

function* signsOf(line: string, columns: number): Generator<Sign> {
  const cells = line.split('\t');
  if (cells.length !== columns) yield 'ragged';
  if (line.includes('"')) {
    for (const cell of cells.filter((text) => text.includes('"'))) {
      if (!QUOTED.test(cell)) yield 'unquoted';
      else yield cell.slice(1, -1).includes('"') ? 'doubled' : 'quoted';
    }
  }
  if (!line.includes('\\')) return;
  if (TEX.test(line)) yield 'tex';
  for (const [backslash] of line.matchAll(/\\[tnr\\]?/g)) {
    if (backslash === '\\\\') yield 'escapedBackslash';
    else yield backslash === '\\' ? 'otherBackslash' : 'escapeSequence';
  }
}

function formOf(signs: Signs, name: string): TsvForm {
  const { ragged, quoted, doubled, unquoted, escapedBackslash, otherBackslash, tex } = signs;
  const quote = unquoted || quoted;
  if (doubled > 0 || (ragged > 0 && quote > 0)) return {};
  const isTex = tex > 0 && escapedBackslash === 0;
  const backslash = signs.escapeSequence || escapedBackslash;
  const hasEscapes = backslash > 0 && otherBackslash === 0 && !isTex;
  const hasLiteralQuotes = quote > 0 && (unquoted > 0 || hasEscapes);
  const backslashes = hasEscapes
    ? '\\n, \\t and \\\\ as a line break, a tab and a backslash'
    : 'backslashes as text';
  const quotes = hasLiteralQuotes ? 'quotes as text' : 'quotes as in CSV, around a cell';
  const read = [
    ...(backslash > 0 ? [`${backslashes} (row ${backslash})`] : []),
    ...(quote > 0 ? [`${quotes} (row ${quote})`] : []),
  ].join(', and ');
  if (read === '') return {};
  const note = `${name}: reads ${read}; if they mean something else, save the file as CSV`;
  return { hasLiteralQuotes, hasEscapes, note };
}

const CHARACTERS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** The text of a cell with escapes. */
export function unescaped(cell: string): string {
  return cell.replace(/\\([tnr\\])/g, (_, letter: string) => CHARACTERS[letter] ?? '');
}
