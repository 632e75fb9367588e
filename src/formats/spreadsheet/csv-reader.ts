import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { usageError } from '../../errors.ts';
import { foreignIn } from '../../text/utf8.ts';

/** A row of a CSV or TSV file. */
export interface CsvRow {
  /** As a spreadsheet numbers it, from 1: blank rows count, line breaks within cells do not. */
  readonly number: number;
  readonly cells: readonly string[];
  /** What separates the cells of the file. */
  readonly delimiter: string;
  /** The first cell that is not UTF-8. */
  readonly foreign?: { readonly index: number; readonly problem: string } | undefined;
}

const MAX_ROW_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NOT_ASCII = /[\x80-\xff]/;

/**
 * Reads CSV or TSV as spreadsheets write it, one row at a time: in UTF-8 or UTF-16, with commas,
 * semicolons or tabs between cells, and any kind of line break.
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<CsvRow> {
  const { head, rest } = await firstLine(each(chunks));
  const delimiter = delimiterOf(head.toString('latin1'));
  let line = 1;
  let number = 0;
  const parser = parse({
    delimiter: Buffer.from(delimiter),
    // Cells are decoded later, so that an error about another encoding can state the row.
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
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
      let foreign: CsvRow['foreign'];
      const texts = cells.map((cell, index) => {
        if (!NOT_ASCII.test(cell)) return cell;
        const bytes = Buffer.from(cell, 'latin1');
        const problem = foreignIn(bytes)?.problem;
        if (problem !== undefined) foreign ??= { index, problem };
        return bytes.toString();
      });
      yield { number, cells: texts, delimiter, foreign };
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

/** The first line of a file, and a generator of the whole file. */
async function firstLine(
  bytes: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; rest: AsyncGenerator<Buffer> }> {
  let begin: Buffer = Buffer.alloc(0);
  while (!hasLine(begin) && begin.length < MAX_ROW_BYTES) {
    const next = await bytes.next();
    if (next.done) break;
    begin = Buffer.concat([begin, next.value]);
  }
  async function* rest() {
    if (begin.length > 0) yield begin;
    yield* bytes;
  }
  const end = begin.findIndex((byte) => byte === NEWLINE || byte === RETURN);
  return { head: begin.subarray(0, end < 0 ? begin.length : end), rest: rest() };
}

const hasLine = (bytes: Buffer) => bytes.includes(NEWLINE) || bytes.includes(RETURN);

async function* each(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}

const DELIMITERS = [',', ';', '\t'];

/** The delimiter of a file: the most frequent one in its header. */
function delimiterOf(head: string): string {
  const plain = head.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
