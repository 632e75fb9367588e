import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { VERSION } from '../../version.ts';
import type { Table } from './kinds.ts';
import { EXPORTED, TABLES_VERSION, type TableName } from './tables.ts';
import type { ColumnType, Row, TableCell, TableColumn } from './values.ts';
import { addUnread, type Unread } from './values.ts';

interface Sink {
  write(...chunks: readonly Uint8Array[]): Promise<void>;
}

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema'];

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;

/** The Parquet schemas of column types. Times are in milliseconds, UTC. */
const ELEMENTS: Readonly<Record<ColumnType, (name: string) => Schema>> = {
  text: (name) => [{ name, ...TEXT }],
  texts: (name) => [
    { name, converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', ...TEXT },
  ],
  int32: (name) => [{ name, type: 'INT32', repetition_type: 'OPTIONAL' }],
  double: (name) => [{ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' }],
  date: (name) => [{ name, type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' }],
  timestamp: (name) => [
    {
      ...{ name, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'OPTIONAL' },
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
  ],
};

/**
 * The most characters of all tables in memory. When they are reached, the largest table is written
 * as a row group. Four times as much makes no engine faster (docs/export.md), and two threads
 * already use 300 MB.
 */
const GROUPS_CHARACTERS = 24 * 1024 * 1024;
// The size of a value besides its characters.
const CELL_CHARACTERS = 8;
// Engines skip row groups by the minimum and maximum of a column. Types and ids of repositories fit
// whole.
const STATISTICS_BYTES = 64;

class ParquetTable {
  /** The number of rows so far. */
  rows = 0;
  readonly #columns: readonly (readonly [name: string, column: TableColumn])[];
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;
  readonly #sink: Sink;
  /** Times are in milliseconds: a Date takes ten times as much memory. */
  #data: TableCell[][] = [];
  #characters = 0;

  /** @param facts for the metadata of the file. */
  constructor(columns: Table['columns'], sink: Sink, facts: Readonly<Record<string, string>>) {
    this.#columns = Object.entries(columns);
    this.#sink = sink;
    this.#clear();
    const elements = this.#columns.flatMap(([column, { type }]) => ELEMENTS[type](column));
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'root', num_children: this.#columns.length }, ...elements],
      // Engines read it faster than gzip, and Node 20 has no Zstandard.
      codec: 'SNAPPY',
      statisticsTruncateLength: STATISTICS_BYTES,
      kvMetadata: Object.entries(facts).map(([key, value]) => ({ key: `doi-cli.${key}`, value })),
      createdBy: `doi-cli version ${VERSION}`,
    });
  }

  /** The characters of the rows that wait. */
  get characters(): number {
    return this.#characters;
  }

  /** Adds a row. @param onUnread called with the name of a column whose value has a wrong type. */
  add(row: Row, onUnread: (column: string) => void): void {
    for (const [index, [name, column]] of this.#columns.entries()) {
      const cell = column.cell(row);
      if (cell === undefined) onUnread(name);
      this.#data[index]?.push(cell instanceof Date ? cell.getTime() : (cell ?? null));
      this.#characters += CELL_CHARACTERS + lengthOf(cell);
    }
    this.rows += 1;
  }

  async flush(): Promise<void> {
    const length = this.#data[0]?.length ?? 0;
    if (length === 0) return;
    const columnData = this.#columns.map(([name, { type }], index) => {
      const cells = this.#data[index] ?? [];
      const isTime = type === 'date' || type === 'timestamp';
      // Read column by column.
      return {
        name,
        get data() {
          return isTime
            ? cells.map((cell) => (cell === null ? null : new Date(Number(cell))))
            : cells;
        },
      };
    });
    this.#parquet.write({ columnData, rowGroupSize: length });
    this.#clear();
    await this.#drain();
  }

  async end(): Promise<void> {
    await this.flush();
    this.#parquet.finish();
    await this.#drain();
  }

  #clear(): void {
    this.#data = this.#columns.map(() => []);
    this.#characters = 0;
  }

  async #drain(): Promise<void> {
    await this.#sink.write(this.#bytes.getBytes());
    // Empties the buffer like the library's file writer.
    this.#bytes.index = 0;
  }
}

function lengthOf(cell: TableCell | undefined): number {
  if (typeof cell === 'string') return cell.length;
  return Array.isArray(cell) ? cell.join('').length + CELL_CHARACTERS * cell.length : 0;
}

/** Writes records as Parquet, each table to its own sink. One row group of each is in memory. */
export class ParquetTables {
  readonly unread: Unread = {};
  readonly #tables: readonly (readonly [name: TableName, table: ParquetTable])[];

  /** @param facts for the metadata of each file, such as the source of its records. */
  constructor(
    sinks: Readonly<Partial<Record<TableName, Sink>>>,
    facts: Readonly<Record<string, string>>,
  ) {
    this.#tables = (Object.entries(sinks) as [TableName, Sink][]).map(([name, sink]) => {
      const fileFacts = { table: name, tables_version: `${TABLES_VERSION}`, ...facts };
      return [name, new ParquetTable(EXPORTED[name].columns, sink, fileFacts)];
    });
  }

  /** Adds the rows of a record; a returned promise must be awaited. */
  add(record: Row, line?: Buffer): void | Promise<void> {
    const doi = String(record['id']);
    let characters = 0;
    for (const [name, table] of this.#tables) {
      const onUnread = (column: string) =>
        addUnread(this.unread, { [`${name}.${column}`]: { count: 1, doi } });
      for (const row of EXPORTED[name].rows(record, line)) table.add(row, onUnread);
      characters += table.characters;
    }
    if (characters >= GROUPS_CHARACTERS) return this.#flushLargest();
  }

  /** Writes the rest of all files. @returns the number of rows in each. */
  async end(): Promise<Readonly<Partial<Record<TableName, number>>>> {
    for (const [, table] of this.#tables) await table.end();
    return Object.fromEntries(this.#tables.map(([name, { rows }]) => [name, rows]));
  }

  async #flushLargest(): Promise<void> {
    const tables = this.#tables.map(([, table]) => table);
    const largest = tables.reduce((a, b) => (b.characters > a.characters ? b : a));
    await largest.flush();
  }
}
