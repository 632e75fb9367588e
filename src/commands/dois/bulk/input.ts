import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../../../cli/context.ts';
import { type RecordSource, readError } from '../record/record-file.ts';

/** A file on disk with one record a line. */
export interface BulkInput {
  readonly path: string;
  /** What to call it in messages. */
  readonly name: string;
  /** The folder of a copy of stdin. It is removed when nothing is left to do. */
  readonly folder: string | undefined;
}

/**
 * The file itself, or a copy of stdin: the records are read twice, and the run may have to be continued.
 * @throws {CliError} kind `usage` when stdin cannot be copied; the stop reason when interrupted.
 */
export async function fileOf(context: Context, { name, path, chunks }: RecordSource): Promise<BulkInput> {
  if (path !== undefined) return { path, name, folder: undefined };
  const { signal } = context.host;
  const folder = await mkdtemp(join(tmpdir(), 'doi-cli-records-'));
  const copy = join(folder, 'records.ndjson');
  try {
    await pipeline(chunks, createWriteStream(copy, { mode: 0o600 }), { signal });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw readError(context, name, error);
  }
  return { path: copy, name, folder };
}

/** Removes the copy of stdin, if the input is one. */
export async function discard({ folder }: BulkInput): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
