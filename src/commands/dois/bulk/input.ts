import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Rate } from '../../../api/http/rate-limiter.ts';
import type { Event } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { writeError } from '../../../disk/file-sink.ts';
import { temporaryFolder } from '../../../disk/folders.ts';
import { usageError } from '../../../errors.ts';
import type { ColumnMap } from '../../../metadata/columns/column.ts';
import type { Assignment } from '../../../records/assignment.ts';
import type { WriteCommand } from '../../../records/entry.ts';
import type { LineOptions } from '../../../records/line.ts';
import { openRecordFile, type RecordFile, readError } from '../../../records/record-file.ts';
import type { RecordSource } from '../../../records/record-source.ts';
import type { Input } from '../../../records/survey.ts';
import type { ReportFormat } from '../record/print.ts';

/** The options of the commands that write one record or many. */
export interface WriteFlags {
  readonly file?: string;
  readonly event?: Event;
  readonly prefix?: string;
  /** What an update changes of each record. */
  readonly set?: readonly Assignment[];
  /** Why records are hidden. */
  readonly reason?: string;
  /** What the columns of a spreadsheet are. */
  readonly map?: ColumnMap;
  /** False with `--no-validate`. */
  readonly validate?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly format?: ReportFormat;
  readonly jobs?: number;
  readonly rate?: Rate;
  readonly ledger?: string;
  readonly failFast?: boolean;
}

/** The options that only many records need. */
const FOR_MANY = { jobs: '--jobs', rate: '--rate', ledger: '--ledger', failFast: '--fail-fast' } as const;

/** The first option that only many records need. */
function forManyIn(flags: WriteFlags): string | undefined {
  return Object.entries(FOR_MANY).find(([name]) => flags[name as keyof typeof FOR_MANY] !== undefined)?.[1];
}

/**
 * Refuses an option for many records without a file of them.
 * @throws {CliError} kind `usage`.
 */
export function refuseForMany(command: WriteCommand, flags: WriteFlags, example = 'records.ndjson'): void {
  const forMany = forManyIn(flags);
  if (forMany === undefined) return;
  throw usageError(`${forMany} is for the records of a file`, `doi-cli dois ${command} --file ${example}`);
}

/**
 * Opens the file of a command that takes one record or many.
 * @throws {CliError} kind `usage` when it cannot be read.
 */
export function openRecords(context: Context, file: string, flags: WriteFlags): Promise<RecordFile> {
  const { map, set } = flags;
  const many = forManyIn(flags) !== undefined;
  return openRecordFile(context, file, { map, many, dois: set !== undefined });
}

/** A file on disk with one record a line. */
export interface BulkInput extends Input {
  /** The folder of a copy of stdin. It is removed when nothing is left to do. */
  readonly folder: string | undefined;
  /** The file that `path` is a copy of, one record a line, if it is not a copy of stdin. */
  readonly original?: string | undefined;
}

/** A file of lines, how to read them, and what to do with them. */
export interface Bulk {
  readonly context: Context;
  readonly input: BulkInput;
  readonly lines: LineOptions;
  readonly flags: WriteFlags;
}

/**
 * The file itself, or a copy of stdin or of what is not one record a line: the records are read twice, and the
 * run may have to be continued.
 * @throws {CliError} kind `usage` when it cannot be read, `output` when it cannot be copied; the stop reason when
 *   interrupted.
 */
export async function fileOf(
  context: Context,
  { name, path, chunks, isConverted }: RecordSource,
): Promise<BulkInput> {
  if (path !== undefined && !isConverted) return { path, name, folder: undefined };
  const { signal } = context.host;
  const folder = await temporaryFolder('doi-cli-records-');
  const copy = join(folder, 'records.ndjson');
  try {
    await pipeline(chunks(), createWriteStream(copy, { mode: 0o600 }), { signal });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const { syscall, path: failed } = error as NodeJS.ErrnoException;
    throw syscall === 'write' || failed === copy ? writeError(copy, error) : readError(context, name, error);
  }
  return { path: copy, name, folder, original: path };
}

/** Removes the copy of stdin, if the input is one. */
export async function discard({ folder }: BulkInput): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
