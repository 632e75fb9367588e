import { usageError } from '../../errors.ts';
import { exactDoi, parseDoi } from '../../text/doi.ts';
import { shellWord } from '../../text/shell-word.ts';
import { InvalidRecord, type ParsedRecord } from '../input/record.ts';
import { type InputRecord, placeOf, type RecordReader } from '../input/source.ts';
import { CLEAR } from './cell.ts';
import {
  type Cell,
  type ColumnMap,
  columnNamed,
  EXPORTED,
  type Header,
  headerOf,
  suggestedColumn,
} from './column.ts';
import { type CsvRow, readCsv } from './csv-reader.ts';
import { SpreadsheetRow } from './row-edits.ts';

/** The number of columns for which an error shows an option. */
const MOST_MAPPED = 3;

/** The rows of CSV or TSV that hold text. */
export const readTable: RecordReader = async function* (chunks, name, { map = [], dois = false }) {
  let header: Header | undefined;
  for await (const row of readCsv(chunks, name)) {
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    const wrong = foreignCell(row, header, name) ?? escapedCell(row, header, name);
    if (wrong !== undefined && header === undefined) throw wrong;
    if (header === undefined) header = (dois && doiHeader(row)) || headerIn(row, name, map);
    else yield wrong === undefined ? inputRecord(row, header, name) : failing(row, wrong);
  }
  if (header === undefined)
    throw usageError(`${name} is empty`, 'its first row has to name the columns');
};

/** The error for a row with a cell in another encoding. */
function foreignCell(
  { number, foreign }: CsvRow,
  header: Header | undefined,
  name: string,
): InvalidRecord | undefined {
  if (foreign === undefined) return undefined;
  const { index, problem } = foreign;
  const column = header?.columns[index]?.name ?? `column ${index + 1}`;
  const place = placeOf({ name, rows: true }, number);
  return new InvalidRecord(place, `${column} ${problem}`, {}, 'save it as "CSV UTF-8"');
}

/** The error for a row of TSV with an escape sequence: its meaning depends on the program. */
function escapedCell(
  { cells, number, delimiter }: CsvRow,
  header: Header | undefined,
  name: string,
): InvalidRecord | undefined {
  const isExport = header?.columns.some((column) => column?.name === EXPORTED);
  if (delimiter !== '\t' || header === undefined || header.onlyNames || isExport) return undefined;
  const index = cells.findIndex((cell) => ESCAPE.test(cell));
  const column = header.columns[index]?.name;
  if (column === undefined) return undefined;
  const [sequence = ''] = ESCAPE.exec(cells[index] ?? '') ?? [];
  const problem = `column ${column} contains ${sequence}, which may stand for another character`;
  const hint = 'save the file as CSV, where a line break or a tab is in quotes';
  return new InvalidRecord(placeOf({ name, rows: true }, number), problem, {}, hint);
}

const ESCAPE = /\\[tnr\\]/;

/** A row that cannot be used. The other rows are still checked. */
function failing({ cells, number }: CsvRow, error: InvalidRecord): InputRecord {
  const fail = () => {
    throw error;
  };
  return { text: JSON.stringify(cells), line: number, doi: fail, parse: fail };
}

function doiHeader({ cells }: CsvRow): Header | undefined {
  const columns = cells.map(columnNamed);
  const count = columns.filter((column) => column?.name === 'doi').length;
  return count === 1 ? { columns, onlyNames: true } : undefined;
}

function headerIn({ cells, number }: CsvRow, name: string, map: ColumnMap): Header {
  try {
    return headerOf(cells, map);
  } catch (error) {
    const place = placeOf({ name, rows: true }, number);
    throw usageError(`${place}: ${(error as Error).message}`, mappingOf(cells, map));
  }
}

/** The `--map` options for the first columns of a file that are not known. */
function mappingOf(cells: readonly string[], map: ColumnMap): string {
  const isMapped = (head: string) => map.some(([mapped]) => mapped === head);
  const unknown = cells
    .map((cell) => cell.trim())
    .filter((head) => head !== '' && !isMapped(head) && columnNamed(head) === undefined);
  const shown = unknown.slice(0, MOST_MAPPED);
  if (shown.length === 0) return `--map '<column>=<path>' says what a column is`;
  // Without the column of its DOI, a record would get another one.
  const isDoi = (head: string) => /\bdois?\b/i.test(head);
  const options = shown.map((head) => {
    const path = isDoi(head) ? 'doi' : (suggestedColumn(head) ?? '<path>');
    return `--map ${shellWord(`${head}=${path}`)}`;
  });
  const others = unknown.length > shown.length ? ' …' : '';
  if (shown.some(isDoi)) return `${options.join(' ')}${others}`;
  const surplus = shown.find((head) => suggestedColumn(head) === undefined) ?? shown[0];
  return `${options.join(' ')}${others}; --map ${shellWord(`${surplus}=`)} leaves that column out`;
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
