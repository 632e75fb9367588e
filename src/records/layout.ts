import { extname } from 'node:path';
import { columnNamed } from '../metadata/columns/column.ts';
import { jsonIn } from '../text/json-values.ts';
import { isBlank, readLines } from '../text/lines.ts';
import type { Seekable } from './record-source.ts';

/**
 * How the records of a file are written: one record over many lines, a record a line, a JSON array, or the rows
 * of a spreadsheet.
 */
export type Layout = 'one' | 'lines' | 'array' | 'table';

/**
 * Finds the layout of a file by its name and its first lines.
 * @param heads of columns that the command line names.
 */
export async function layoutOf(source: Seekable, heads: readonly string[]): Promise<Layout> {
  const ending = extname(source.name.replace(/\.(gz|zst)$/i, '')).toLowerCase();
  if (ending === '.csv' || ending === '.tsv') return 'table';
  if (await beginsWithList(source)) return 'array';
  let first = true;
  for await (const { bytes } of readLines(source.look(), 'the file')) {
    if (isBlank(bytes)) continue;
    if (!first) return 'lines';
    if (isUtf16(bytes)) return 'table';
    const text = bytes.toString().replace(/^\ufeff/, '');
    if (isHead(text, heads)) return 'table';
    if (jsonIn(text) === undefined) return ending === '.ndjson' || ending === '.jsonl' ? 'lines' : 'one';
    first = false;
  }
  return ending === '.ndjson' || ending === '.jsonl' ? 'lines' : 'one';
}

/** An array may be one line of any length, so that only its first character counts. */
async function beginsWithList(source: Seekable): Promise<boolean> {
  for await (const chunk of source.look()) {
    const text = chunk
      .toString('latin1')
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart();
    if (text !== '') return text.startsWith('[');
  }
  return false;
}

function isUtf16(bytes: Buffer): boolean {
  return ['fffe', 'feff'].includes(bytes.subarray(0, 2).toString('hex'));
}

/** Whether a line has the heads of columns: JSON begins with a bracket, and comments with slashes. */
function isHead(text: string, heads: readonly string[]): boolean {
  if (/^\s*(?:[{[]|\/\/)/.test(text)) return false;
  if (/^sep=.$/i.test(text)) return true;
  const cells = text.split(/[,;\t]/).map((cell) => cell.replace(/^\s*"|"\s*$/g, '').trim());
  // Another spelling has an error of its own, which names the column.
  const isColumn = (cell: string) => cell.toLowerCase() === 'doi' || columnNamed(cell) !== undefined;
  return cells.some((cell) => cell !== '' && (heads.includes(cell) || isColumn(cell)));
}
