import { AtomicFile } from '../../disk/atomic-file.ts';
import { writeError } from '../../disk/file-sink.ts';
import { ParquetTables } from '../../metadata/tables/parquet.ts';
import type { RemovedDoi } from '../store/removed.ts';

/** Writes the table of removed DOIs, which is one file. @throws {CliError} kind `output`. */
export async function writeRemoved(path: string, dois: readonly RemovedDoi[]): Promise<void> {
  try {
    const file = await AtomicFile.open(path);
    const tables = new ParquetTables({ removed: file }, {});
    for (const row of dois) await tables.add({ ...row });
    await tables.end();
    await file.commit();
  } catch (error) {
    throw writeError(path, error);
  }
}
