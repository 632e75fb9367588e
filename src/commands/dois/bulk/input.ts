import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Rate } from '../../../api/http/rate-limiter.ts';
import type { Context } from '../../../cli/context.ts';
import { writeError } from '../../../disk/file-sink.ts';
import { temporaryFolder } from '../../../disk/folders.ts';
import { usageError } from '../../../errors.ts';
import { type InputFile, readError } from '../../../formats/input/source.ts';
import { openRecordFile, type RecordFile } from '../../../formats/open.ts';
import type { ColumnMap } from '../../../formats/spreadsheet/column.ts';
import type { WriteCommand } from '../../../writing/ledger/outcome.ts';
import type { RequestOptions } from '../../../writing/request.ts';
import type { Input } from '../../../writing/survey.ts';
import { type ResultTarget, resultTarget } from '../results/results.ts';

export type ReportFormat = 'text' | 'json' | 'ndjson';

/** The options of the commands that write one record or many. */
export interface WriteFlags extends Partial<Omit<RequestOptions, 'command'>> {
  readonly file?: InputFile;
  readonly map?: ColumnMap;
  /** The filters of a list whose DOIs are changed, as `name=value`. */
  readonly where?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly format?: ReportFormat | undefined;
  readonly jobs?: number;
  readonly rate?: Rate;
  readonly ledger?: string;
  readonly failFast?: boolean;
  readonly out?: string;
}

/** The request options of a command line. @param prefix of new DOIs. */
export function requestOptions(
  command: WriteCommand,
  { event, set, reason, to, validate = true, overwrite, restore, url }: WriteFlags,
  prefix?: string,
): RequestOptions {
  return { command, event, set, reason, to, validate, overwrite, restore, prefix, url };
}

function forManyIn(flags: WriteFlags): string | undefined {
  const name = (['jobs', 'rate', 'ledger', 'failFast', 'out'] as const).find(
    (option) => flags[option] !== undefined,
  );
  return name && `--${name.replace('failFast', 'fail-fast')}`;
}

/** Refuses an option for many records without a file of them. */
export function refuseForMany(
  command: WriteCommand,
  flags: WriteFlags,
  example = 'records.ndjson',
): void {
  const forMany = forManyIn(flags);
  if (forMany === undefined) return;
  throw usageError(
    `${forMany} is for the records of a file`,
    `doi-cli dois ${command} --file ${example}`,
  );
}

/** Refuses DOIs on the command line, a file or a ledger next to `--where`. */
export function refuseForQuery(dois: readonly string[], { file, ledger }: WriteFlags): void {
  const named = file === undefined ? 'DOIs on the command line' : '--file';
  if (dois.length > 0 || file !== undefined)
    throw usageError(`${named} and --where exclude each other`, 'leave one of them out');
  if (ledger === undefined) return;
  const reason = 'the same command again finds the DOIs that are left';
  throw usageError('--ledger is for the records of a file', `leave it out: ${reason}`);
}

/** Opens the file of a command for one record or many. */
export function openRecords(
  context: Context,
  file: InputFile,
  flags: WriteFlags,
): Promise<RecordFile> {
  const { map, set } = flags;
  const many = forManyIn(flags) !== undefined;
  return openRecordFile(context, file, { map, many, dois: set !== undefined });
}

/** The target of results. JSON on stdout becomes NDJSON, because a run may be stopped. */
export function targetOfRun(context: Context, { format, out }: WriteFlags): ResultTarget {
  const usual = format === 'json' && out === undefined ? 'ndjson' : format;
  return resultTarget(context, { format: usual === 'text' ? 'table' : usual, out });
}

/** A file on disk with many records. */
export interface BulkInput extends Input {
  readonly path: string;
  /** The folder of a copy of stdin or of a list, which is removed when all records are done. */
  readonly folder: string | undefined;
}

/** A file of records, and the request for them. */
export interface Bulk {
  readonly context: Context;
  readonly input: BulkInput;
  readonly options: RequestOptions;
  readonly flags: WriteFlags;
  readonly target: ResultTarget;
  /** When the command began, in milliseconds. */
  readonly begun: number;
}

/**
 * The file, or a copy of stdin or of a list: records are read twice, and a stopped run of a file
 * can be continued.
 */
export async function fileOf(context: Context, file: RecordFile): Promise<BulkInput> {
  const { name, path, ending } = file;
  if (path !== undefined) return { ...file, path, folder: undefined };
  const folder = await temporaryFolder('doi-cli-records-');
  const copy = join(folder, `records${ending}`);
  try {
    const { signal } = context.host;
    await pipeline(file.bytes(), createWriteStream(copy, { mode: 0o600 }), { signal });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const { syscall, path: failed } = error as NodeJS.ErrnoException;
    throw syscall === 'write' || failed === copy
      ? writeError(copy, error)
      : readError(context, name, error);
  }
  return { ...file, path: copy, records: () => file.recordsOf(copy), folder };
}

/** Removes the copy of stdin, if the input is one. */
export async function discard({ folder }: BulkInput): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
