import { Readable } from 'node:stream';
import type { Context } from '../../../cli/context.ts';
import { type RecordFile, readRecords } from '../../../records/record-file.ts';
import type { RecordSource } from '../../../records/record-source.ts';

/**
 * A file that may list bare DOIs, which looks like one record over many lines: it is one only where it begins with a
 * bracket and goes on in another line.
 */
export async function asDoiList(context: Context, file: RecordFile): Promise<RecordFile> {
  if (file.kind === 'many') return file;
  let text = '';
  let next = 1;
  for await (const { text: own, line } of readRecords(context, file)) {
    text += `${'\n'.repeat(line - next)}${own}\n`;
    next = line + own.split('\n').length;
  }
  const kind = /^\s*\{.*\n/.test(text.trim()) ? 'one' : 'many';
  // A stream cannot be read again.
  const chunks = () => Readable.from([Buffer.from(text)]);
  return { ...file, kind, ...(file.path === undefined ? { chunks } : {}) };
}

/** The same for a command that takes DOIs alone: a record over many lines is a list of one DOI. */
export async function asDoiLines(context: Context, file: RecordFile): Promise<RecordSource> {
  const list = await asDoiList(context, file);
  if (list.kind === 'many') return list;
  let text = '';
  for await (const record of readRecords(context, list)) text += record.text.replace(/[\r\n]+/g, ' ');
  return { name: file.name, path: undefined, chunks: () => Readable.from([Buffer.from(text)]) };
}
