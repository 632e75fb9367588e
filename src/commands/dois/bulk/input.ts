import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Rate } from '../../../api/http/rate-limiter.ts';
import type { Event } from '../../../api/states.ts';
import type { Input } from '../../../bulk/survey.ts';
import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import type { ColumnMap } from '../../../metadata/columns/header.ts';
import { openRecordFile, type RecordFile, type RecordSource, readError } from '../record/record-file.ts';
import type { ReportFormat } from '../record/written-record.ts';

export interface BulkFlags {
  readonly event?: Event;
  readonly prefix?: string;
  readonly jobs?: number;
  readonly rate?: Rate;
  readonly ledger?: string;
  readonly failFast?: boolean;
  readonly dryRun?: boolean;
  /** False with `--no-validate`. */
  readonly validate: boolean;
  readonly format?: ReportFormat;
  /** What the columns of a spreadsheet are. */
  readonly map?: ColumnMap;
}

/** The options that only many records need. */
const FOR_MANY = { jobs: '--jobs', rate: '--rate', ledger: '--ledger', failFast: '--fail-fast' } as const;

/**
 * Opens the file of a command that takes one record or many.
 * @param file undefined where there is none, or where it can only hold one record.
 * @throws {CliError} kind `usage` when it cannot be read, or when an option for many records comes without a
 *   file.
 */
export async function openRecords(
  context: Context,
  command: 'create' | 'update',
  file: string | undefined,
  flags: BulkFlags,
): Promise<RecordFile | undefined> {
  const forMany = Object.entries(FOR_MANY).find(([name]) => flags[name as keyof BulkFlags] !== undefined);
  if (file !== undefined) return openRecordFile(context, file, forMany !== undefined, flags);
  if (forMany === undefined) return undefined;
  throw usageError(
    `${forMany[1]} is for the records of a file`,
    `doi-cli dois ${command} --file records.ndjson`,
  );
}

/** A file on disk with one record a line. */
export interface BulkInput extends Input {
  /** The folder of a copy of stdin. It is removed when nothing is left to do. */
  readonly folder: string | undefined;
  /** The file that `path` is a copy of, one record a line, if it is not a copy of stdin. */
  readonly original?: string | undefined;
}

/**
 * The file itself, or a copy of stdin or of what is not one record a line: the records are read twice, and the
 * run may have to be continued.
 * @throws {CliError} kind `usage` when stdin cannot be copied; the stop reason when interrupted.
 */
export async function fileOf(
  context: Context,
  { name, path, chunks, isConverted }: RecordSource,
): Promise<BulkInput> {
  if (path !== undefined && !isConverted) return { path, name, folder: undefined };
  const { signal } = context.host;
  const folder = await mkdtemp(join(tmpdir(), 'doi-cli-records-'));
  const copy = join(folder, 'records.ndjson');
  try {
    await pipeline(chunks(), createWriteStream(copy, { mode: 0o600 }), { signal });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw readError(context, name, error);
  }
  return { path: copy, name, folder, original: path };
}

/** Removes the copy of stdin, if the input is one. */
export async function discard({ folder }: BulkInput): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
