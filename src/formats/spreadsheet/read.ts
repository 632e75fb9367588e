import { usageError } from '../../errors.ts';
import { type CsvRow, readCsv } from '../../text/csv-reader.ts';
import { exactDoi, parseDoi } from '../../text/doi.ts';
import type { ParsedRecord } from '../input/record.ts';
import { type InputRecord, placeOf, type RecordReader } from '../input/source.ts';
import { CLEAR } from './cell.ts';
import {
  type Cell,
  type ColumnMap,
  columnNamed,
  EXPORTED,
  type Header,
  headerOf,
} from './column.ts';
import { SpreadsheetRow } from './row-edits.ts';

/** The rows of CSV or TSV that hold text. */
export const readTable: RecordReader = async function* (chunks, name, { map = [], dois = false }) {
  let header: Header | undefined;
  for await (const row of readCsv(chunks, name)) {
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    if (header === undefined) header = (dois && doiHeader(row)) || headerIn(row, name, map);
    else yield inputRecord(row, header, name);
  }
  if (header === undefined)
    throw usageError(`${name} is empty`, 'its first row has to name the columns');
};

function doiHeader({ cells }: CsvRow): Header | undefined {
  const columns = cells.map(columnNamed);
  const count = columns.filter((column) => column?.name === 'doi').length;
  return count === 1 ? { columns, onlyNames: true } : undefined;
}

function headerIn({ cells, number }: CsvRow, name: string, map: ColumnMap): Header {
  try {
    return headerOf(cells, map);
  } catch (error) {
    const hint = `--map '<column>=<path>' says what a column is, such as`;
    const place = placeOf({ name, rows: true }, number);
    throw usageError(
      `${place}: ${(error as Error).message}`,
      `${hint} --map 'Title=titles[0].title'`,
    );
  }
}

function inputRecord(
  row: CsvRow,
  { columns, heads, onlyNames }: Header,
  name: string,
): InputRecord {
  const place = placeOf({ name, rows: true }, row.number);
  const cells: Cell[] = [];
  let doi: string | undefined;
  // A row that was cut off lacks its last cells, such as `exported`.
  const isExport = columns.some((column) => column?.name === EXPORTED);
  const missing = columns.slice(row.cells.length).map(() => '');
  for (const [index, cell] of [...row.cells, ...missing].entries()) {
    const column = columns[index];
    if (column === undefined) {
      if (index < columns.length || cell.trim() === '') continue;
      throw usageError(
        `${place}: there is text to the right of the last column`,
        'a cell with a delimiter or a line break in it has to be in quotes',
      );
    }
    if (column.name === 'doi') doi = cell.trim() === '' ? undefined : doiIn(cell, place, isExport);
    else cells.push({ column, cell: ['', CLEAR].includes(cell.trim()) ? cell.trim() : cell });
  }
  const used = onlyNames ? [] : cells;
  const texts = Object.fromEntries(used.map(({ column, cell }) => [column.name, cell]));
  return {
    text: JSON.stringify({ doi, cells: texts, heads }),
    line: row.number,
    doi: () => doi,
    parse: (source) => recordOfRow(doi, new SpreadsheetRow(cells, heads ?? {}), source, row.number),
  };
}

function recordOfRow(
  doi: string | undefined,
  row: SpreadsheetRow,
  source: string,
  line: number,
): ParsedRecord {
  return {
    get attributes() {
      return { ...(doi === undefined ? {} : { doi }), ...row.asNew.attributes };
    },
    doi,
    source,
    line,
    origin: row.origin,
    row,
  };
}

function doiIn(cell: string, place: string, isExport: boolean): string {
  try {
    return isExport ? exactDoi(cell) : parseDoi(cell);
  } catch (error) {
    throw usageError(`${place}: column doi: ${(error as Error).message}`);
  }
}
