import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { usageError } from '../errors.ts';
import { decoded } from './lines.ts';

/** A row of a CSV or TSV file. */
export interface CsvRow {
  /** As a spreadsheet numbers it, from 1: blank rows count, line breaks within cells do not. */
  readonly number: number;
  readonly cells: readonly string[];
}

interface Dialect {
  readonly delimiter: string;
  readonly skipped: number;
}

const DELIMITERS = [',', ';', '\t'];
const MAX_ROW_CHARACTERS = 16 * 1024 * 1024;

/**
 * Reads CSV or TSV as spreadsheets write it, one row at a time: in UTF-8 or UTF-16, with commas,
 * semicolons or tabs between cells, and any kind of line break.
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<CsvRow> {
  const text = decoded(
    chunks,
    name,
    `save it as "CSV UTF-8", or: iconv -f windows-1252 -t utf-8 ${name}`,
  );
  const { head, rest } = await firstLine(text);
  const { delimiter, skipped } = dialectOf(head);
  let line = 1;
  let number = -skipped;
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_CHARACTERS,
    // Lines are counted here, because on an error the loop below may not have seen the previous
    // rows.
    on_record: (cells) => {
      line += 1 + cells.reduce((sum, cell) => sum + breaksIn(cell), 0);
      return cells;
    },
  });
  // The loop below reports the errors.
  pipeline(Readable.from(rest), parser, () => undefined);
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      number += 1;
      if (number > 0) yield { number, cells };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw usageError(
      `${name}:${line}: ${problemOf(error)}`,
      'write a cell with quotes as "say ""hi"""',
    );
  }
}

function breaksIn(cell: string): number {
  return cell.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function problemOf({ code }: CsvError): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a cell begins with a quote, but has no closing quote';
    case 'CSV_MAX_RECORD_SIZE':
      return 'the row is too long: a quote may be open';
    default:
      return 'a quote in the middle of a cell, or text after a closing quote';
  }
}

/** The first line of a text in pieces, and a generator of the whole text. */
async function firstLine(
  text: AsyncGenerator<string>,
): Promise<{ head: string; rest: AsyncGenerator<string> }> {
  let head = '';
  while (!/[\r\n]/.test(head) && head.length < MAX_ROW_CHARACTERS) {
    const next = await text.next();
    if (next.done) break;
    head += next.value;
  }
  async function* rest() {
    if (head !== '') yield head;
    yield* text;
  }
  return { head: head.split(/[\r\n]/, 1)[0] ?? '', rest: rest() };
}

/** The delimiter from a first line `sep=;`, else the most frequent one in the header. */
function dialectOf(head: string): Dialect {
  const [, named] = /^sep=(.)$/i.exec(head) ?? [];
  if (named !== undefined) return { delimiter: named, skipped: 1 };
  const plain = head.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return { delimiter: DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',', skipped: 0 };
}
