import { isUtf8 } from 'node:buffer';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openInput } from '../disk/input-file.ts';
import { usageError } from '../errors.ts';
import { utf16In } from '../text/lines.ts';
import { counted } from '../text/words.ts';
import { MAX_RECORD_BYTES, type RecordText, readError } from './record-source.ts';
import type { RunContext } from './run-context.ts';

/** A file of XML, byte by byte, in the form that `parseRecord` knows. */
export async function* wholeXml(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<RecordText> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    length += chunk.length;
    if (length > MAX_RECORD_BYTES) throw usageError(`${name} is larger than 64 MB`);
  }
  const bytes = Buffer.concat(pieces);
  const encoding = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)/.exec(
    bytes.toString('latin1', 0, 200),
  )?.[1];
  if (!isUtf8(bytes) || !/^(utf-8|us-ascii)$/i.test(encoding ?? 'utf-8')) {
    const named = encoding === undefined || /^utf-8$/i.test(encoding) ? 'ISO-8859-1' : encoding;
    throw usageError(
      `${name} is not in UTF-8, which the service reads XML in`,
      `convert it: iconv -f ${utf16In(bytes) ? 'UTF-16' : named} -t UTF-8, and name UTF-8 in its first line`,
    );
  }
  yield { text: JSON.stringify({ isXml: true, xml: bytes.toString('base64') }), line: 1 };
}

/** The XML files of a folder, one record each, sorted by their names with numbers as numbers. */
export function xmlFolder(context: RunContext, folder: string) {
  const names = readdirSync(folder).filter((name) => /^[^.].*\.xml$/i.test(name));
  const { compare } = new Intl.Collator('en', { numeric: true });
  const files = names.sort(compare).map((name) => join(folder, name));
  if (files.length === 0) {
    throw usageError(`cannot read ${folder}: it is a folder without XML files`, 'name a file, or -');
  }
  // A ledger goes next to the folder, not into it.
  const path = folder.replace(/(?<=.)[\\/]+$/, '');
  return { name: folder, path, files, records: () => recordsIn(context, files) };
}

/** Several XML files, one record each, in the order of the command line. */
export function xmlFiles(context: RunContext, files: readonly string[]) {
  const [first = ''] = files;
  const other = files.find((file) => !/\.xml$/i.test(file));
  if (other !== undefined) {
    throw usageError(`--file more than once is for XML files, and ${other} is none`, 'name one file');
  }
  const name = `${first} and ${counted(files.length - 1, 'other file')}`;
  return { name, path: first, files, records: () => recordsIn(context, files) };
}

async function* recordsIn(context: RunContext, files: readonly string[]): AsyncGenerator<RecordText> {
  for (const [index, file] of files.entries()) {
    context.host.signal.throwIfAborted();
    try {
      for await (const { text } of wholeXml(openInput(file), file)) yield { text, line: index + 1 };
    } catch (error) {
      throw readError(context, file, error);
    }
  }
}
