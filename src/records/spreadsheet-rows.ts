import { CliError, usageError } from '../errors.ts';
import { CLEAR } from '../metadata/columns/cell.ts';
import { type ColumnMap, columnNamed, type Header, headerOf } from '../metadata/columns/column.ts';
import { type CsvRow, readCsv } from '../text/csv-reader.ts';
import { parseDoi } from '../text/parsers.ts';
import { placeOf, type RecordText } from './record-source.ts';

/**
 * The rows of a spreadsheet that hold text, as records that `parseRecord` reads: `{"doi":…,"cells":{…}}`.
 * @param dois whether only the DOIs are used, so that other columns may be anything.
 */
export async function* tableRecords(
  chunks: AsyncIterable<Buffer>,
  name: string,
  { map = [], dois = false }: { readonly map?: ColumnMap | undefined; readonly dois?: boolean },
): AsyncGenerator<RecordText> {
  let header: Header | undefined;
  for await (const row of readCsv(chunks, name)) {
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    if (header === undefined) header = (dois && doiHeader(row)) || headerIn(row, name, map);
    else yield { text: textOf(row, header, name), line: row.number };
  }
  if (header === undefined) throw usageError(`${name} is empty`, 'its first row has to name the columns');
}

function doiHeader({ cells }: CsvRow): Header | undefined {
  const columns = cells.map(columnNamed).map((column) => (column?.name === 'doi' ? column : undefined));
  return columns.filter((column) => column !== undefined).length === 1 ? { columns } : undefined;
}

function headerIn({ cells, number }: CsvRow, name: string, map: ColumnMap): Header {
  try {
    return headerOf(cells, map);
  } catch (error) {
    throw new CliError('usage', `${placeOf({ name, rows: true }, number)}: ${(error as Error).message}`, {
      hint: `--map '<column>=<path>' says what a column is, such as --map 'Title=titles[0].title'`,
    });
  }
}

function textOf({ cells, number }: CsvRow, { columns, heads }: Header, name: string): string {
  const place = placeOf({ name, rows: true }, number);
  const own: [string, string][] = [];
  let doi: string | undefined;
  // A row that was cut off lacks its last cells, such as what was exported.
  const missing = columns.slice(cells.length).map(() => '');
  for (const [index, cell] of [...cells, ...missing].entries()) {
    const column = columns[index];
    if (column === undefined) {
      if (index < columns.length || cell.trim() === '') continue;
      throw usageError(
        `${place}: there is text to the right of the last column`,
        'a cell with a delimiter or a line break in it has to be in quotes',
      );
    }
    if (column.name === 'doi') doi = cell.trim() === '' ? undefined : doiIn(cell, place);
    else own.push([column.name, ['', CLEAR].includes(cell.trim()) ? cell.trim() : cell]);
  }
  return JSON.stringify({ doi, cells: Object.fromEntries(own), heads });
}

function doiIn(cell: string, place: string): string {
  try {
    return parseDoi(cell.trim());
  } catch (error) {
    throw usageError(`${place}: column doi: ${(error as Error).message}`);
  }
}
