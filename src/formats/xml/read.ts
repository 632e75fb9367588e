import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { openInput, unpacked } from '../../disk/input-file.ts';
import { usageError } from '../../errors.ts';
import { KERNEL_4 } from '../../metadata/kernel.ts';
import { prepareXml } from '../../metadata/libxml2.ts';
import { MalformedXml } from '../../metadata/xml.ts';
import { xmlOf } from '../../metadata/xml-attributes.ts';
import { misspelledDoi, parseDoi } from '../../text/doi.ts';
import { textOf } from '../../text/lines.ts';
import { counted, firstNames } from '../../text/words.ts';
import { InvalidRecord, type ParsedRecord } from '../input/record.ts';
import {
  type InputRecord,
  MAX_RECORD_BYTES,
  type ReadContext,
  type RecordReader,
  readError,
} from '../input/source.ts';

/** A file of XML as one record, which is sent as it is. */
export const readXml: RecordReader = async function* (chunks, name) {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    length += chunk.length;
    if (length > MAX_RECORD_BYTES) throw usageError(`${name} is larger than 64 MB`);
  }
  const bytes = Buffer.concat(pieces);
  refuseOtherEncoding(bytes, name);
  await prepareXml();
  const xml = bytes.toString('base64');
  const text = JSON.stringify({ isXml: true, xml });
  const parse = (source: string) => xmlRecord(xml, source);
  yield { text, line: 1, doi: () => parse(name).doi, parse };
};

function refuseOtherEncoding(bytes: Buffer, name: string): void {
  const encoding = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)/.exec(
    bytes.toString('latin1', 0, 200),
  )?.[1];
  if (/^(utf-8|us-ascii)$/i.test(encoding ?? 'utf-8')) {
    textOf({ bytes }, name);
    return;
  }
  const iconv = `iconv -f ${encoding} -t UTF-8`;
  throw usageError(
    `${name} is not in UTF-8, which the service reads XML in`,
    `convert it: ${iconv}, and name UTF-8 in its first line`,
  );
}

function xmlRecord(xml: string, source: string): ParsedRecord {
  const read = xmlOf({ xml });
  if (read === undefined) throw notDataCite(Buffer.from(xml, 'base64').toString().trim(), source);
  if (read instanceof MalformedXml) {
    const { message, line, column } = read;
    const at = { line, character: column };
    throw new InvalidRecord(`${source}:${line}:${column}`, `${message} (not well-formed XML)`, at);
  }
  const { text: identifier = '' } = read.identifier ?? {};
  const wrong = misspelledDoi(identifier);
  if (wrong) throw new InvalidRecord(source, `its identifier ${wrong}`);
  // Software writes a placeholder where a DOI is not known yet.
  const doi = identifier === '' ? undefined : doiIn(identifier, source);
  const attributes = { ...(doi !== undefined && { doi }), xml };
  return { attributes, doi, source, line: 1 };
}

function notDataCite(text: string, source: string): InvalidRecord {
  const root = `<resource xmlns="${KERNEL_4}">`;
  if (text === '') return new InvalidRecord(source, 'is empty', {}, `its root must be ${root}`);
  const [begin] = /<[a-z_][^>]{0,200}>?/i.exec(text) ?? [];
  const problem = text.startsWith('<')
    ? `is not of the DataCite Metadata Schema: its root is ${begin}, not ${root}`
    : 'is named as XML, but contains no XML';
  return new InvalidRecord(source, problem);
}

function doiIn(identifier: string, source: string): string | undefined {
  try {
    return parseDoi(identifier);
  } catch (error) {
    // A placeholder has no suffix.
    if (!/\b\d+\.\d[\d.]*\s*(\/|%2f)\s*\S/i.test(identifier)) return undefined;
    throw new InvalidRecord(source, `its identifier is no DOI: ${(error as Error).message}`);
  }
}

/** Several XML files, one record each. */
interface XmlFiles {
  /** Their name in messages. */
  readonly name: string;
  /** The path next to which a ledger is put. */
  readonly path: string;
  readonly files: readonly string[];
  records(): AsyncGenerator<InputRecord>;
}

/**
 * The XML files of a folder, one record each, sorted by name with numbers as numbers. A note
 * names other files that look like records.
 */
export function xmlFolder(context: ReadContext, folder: string): XmlFiles {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const names = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .map((entry) => nameOf(folder, entry))
    .toSorted(compare);
  const files = names.filter((name) => /\.xml$/i.test(name)).map((name) => join(folder, name));
  noteOthers(context, folder, names);
  if (files.length === 0) {
    throw usageError(
      `cannot read ${folder}: it is a folder without XML files`,
      'name a file, or -',
    );
  }
  // A ledger goes next to the folder, not into it.
  const path = folder.replace(/(?<=.)[\\/]+$/, '');
  return { name: folder, path, files, records: () => recordsIn(context, files) };
}

/** The name of an entry; folders get a separator after it. A link counts as its target. */
function nameOf(folder: string, entry: Dirent): string {
  const { name } = entry;
  const target = entry.isSymbolicLink()
    ? statSync(join(folder, name), { throwIfNoEntry: false })
    : entry;
  return target?.isDirectory() ? `${name}${sep}` : name;
}

function noteOthers({ messages }: ReadContext, folder: string, names: readonly string[]): void {
  const isRecord = (name: string) =>
    name.endsWith(sep)
      ? readdirSync(join(folder, name), { recursive: true }).some((inner) =>
          RECORDS.test(String(inner)),
        )
      : RECORDS.test(name) && !/\.xml$/i.test(name);
  const others = names.filter(isRecord);
  if (others.length === 0) return;
  const how = 'let names of XML end in .xml, and name files and folders with --file';
  messages?.note(`${folder}: not read: ${firstNames(others)}; to include them, ${how}`);
}

/** Names of files that may contain records; tools add endings such as `.txt` and `.bak`. */
const RECORDS = /\.(xml|json|ndjson|jsonl|csv|tsv)(\.\w+)?$/i;

/** Several XML files, one record each, in the order of the command line. */
export function xmlFiles(context: ReadContext, files: readonly string[]): XmlFiles {
  const [first = ''] = files;
  const other = files.find((file) => !/\.xml$/i.test(file));
  if (other !== undefined) {
    throw usageError(
      `--file can be repeated only for XML files, and ${other} is not one`,
      'name one file',
    );
  }
  const name = `${first} and ${counted(files.length - 1, 'other file')}`;
  return { name, path: first, files, records: () => recordsIn(context, files) };
}

async function* recordsIn(
  context: ReadContext,
  files: readonly string[],
): AsyncGenerator<InputRecord> {
  for (const [index, file] of files.entries()) {
    context.host.signal.throwIfAborted();
    try {
      // Several files are read twice, so that none may be a pipe.
      for await (const record of readXml(unpacked(openInput(file, false), file), file, {}))
        yield { ...record, line: index + 1 };
    } catch (error) {
      throw readError(context, file, error);
    }
  }
}
