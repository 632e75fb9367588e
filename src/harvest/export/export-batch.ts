import { createHash, type Hash } from 'node:crypto';
import { basename, join } from 'node:path';
import { AtomicFile } from '../../disk/atomic-file.ts';
import { writeError } from '../../disk/file-sink.ts';
import { CliError } from '../../errors.ts';
import { ParquetTables } from '../../metadata/tables/parquet.ts';
import { TABLES_VERSION, type TableName } from '../../metadata/tables/tables.ts';
import type { Unread } from '../../metadata/tables/values.ts';
import type { CopyPart, CurrentRecords } from '../store/current-records.ts';
import { recordIn } from '../store/read-part.ts';

/** Consecutive part files of a generation, which become one file of each table. */
export interface Batch {
  readonly parts: readonly CopyPart[];
  /** The name of its first part without the ending: `g0001-w00000`. */
  readonly name: string;
  readonly records: number;
  /** The SHA-256 of all parts. */
  readonly source: string;
  /** A hash of all parts with a greater name: they decide which lines of these are current. */
  readonly later: string;
}

/** The Parquet files of a batch. */
export interface BatchFiles {
  /** TABLES_VERSION of the program that wrote them. */
  readonly tablesVersion: number;
  readonly source: string;
  later: string;
  /** A hash of the DOIs whose lines were left out. */
  readonly superseded: string;
  readonly files: Readonly<Record<string, { readonly rows: number; readonly sha256: string }>>;
  /** The values that the tables have as null, if any. */
  readonly unread?: Unread;
}

/** Where the tables of a batch are written, and which. */
export interface ExportTarget {
  readonly folder: string;
  readonly tables: readonly TableName[];
}

/** A batch to write. */
export interface BatchTask {
  readonly batch: Batch;
  /** The `superseded` of its present files, if any. */
  readonly before: string | undefined;
}

/** Writes the tables of a batch, unless its current lines are the same as before. */
export async function updateBatch(
  { batch, before }: BatchTask,
  current: CurrentRecords,
  target: ExportTarget,
  signal: AbortSignal,
): Promise<BatchFiles | undefined> {
  // Reading a batch takes a tenth of the time of writing it again.
  const isSame = before !== undefined && before === (await supersededIn(batch, current, signal));
  return isSame ? undefined : exportBatch(batch, current, target, signal);
}

/** Identifies the DOIs of a batch whose lines are not current. @throws {DamagedPart}. */
async function supersededIn(
  { parts }: Batch,
  current: CurrentRecords,
  signal: AbortSignal,
): Promise<string> {
  const superseded = createHash('sha256');
  const add = (doi: string) => void superseded.update(`${doi}\n`);
  for await (const _ of current.records(parts, signal, add)) {
    // Only superseded records count.
  }
  return superseded.digest('hex');
}

/** Writes the current records of a batch as Parquet files, or nothing. @throws {DamagedPart}. */
async function exportBatch(
  batch: Batch,
  current: CurrentRecords,
  { folder, tables: names }: ExportTarget,
  signal: AbortSignal,
): Promise<BatchFiles> {
  const superseded = createHash('sha256');
  const outputs = await openOutputs(folder, names, batch.name);
  try {
    const { source, later } = batch;
    const sources = batch.parts.map(({ path }) => basename(path));
    const tables = new ParquetTables(outputs, {
      source: sources.join(' '),
      source_sha256: source,
    });
    const drop = (doi: string) => void superseded.update(`${doi}\n`);
    for await (const { part, line } of current.records(batch.parts, signal, drop))
      await tables.add(recordIn(line, part.path), line);
    const rows = await tables.end();
    for (const { file } of Object.values(outputs)) await file.commit();
    const files = names.map((name) => [
      name,
      { rows: rows[name], sha256: outputs[name]?.hash.digest('hex') },
    ]);
    return {
      tablesVersion: TABLES_VERSION,
      source,
      later,
      superseded: superseded.digest('hex'),
      files: Object.fromEntries(files),
      ...(Object.keys(tables.unread).length > 0 && { unread: tables.unread }),
    };
  } catch (error) {
    for (const { file } of Object.values(outputs)) await file.discard();
    throw error instanceof CliError || signal.aborted ? error : writeError(folder, error);
  }
}

interface Output {
  readonly file: AtomicFile;
  readonly hash: Hash;
  write(...chunks: readonly Uint8Array[]): Promise<void>;
}

async function openOutputs(
  folder: string,
  names: readonly TableName[],
  batch: string,
): Promise<Readonly<Partial<Record<TableName, Output>>>> {
  const outputs = names.map(async (name) => {
    const path = join(folder, name, `${batch}.parquet`);
    const file = await AtomicFile.open(path);
    const hash = createHash('sha256');
    const output: Output = {
      file,
      hash,
      write: async (...chunks) => {
        await file.write(...chunks).catch((error: unknown) => {
          throw writeError(path, error);
        });
        for (const chunk of chunks) hash.update(chunk);
      },
    };
    return [name, output];
  });
  return Object.fromEntries(await Promise.all(outputs));
}
