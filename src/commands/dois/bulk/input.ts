import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Rate } from '../../../api/http/rate-limiter.ts';
import type { Context } from '../../../cli/context.ts';
import { writeError } from '../../../disk/file-sink.ts';
import { temporaryFolder } from '../../../disk/folders.ts';
import { usageError } from '../../../errors.ts';
import type { ColumnMap } from '../../../metadata/columns/column.ts';
import type { WriteCommand } from '../../../records/entry.ts';
import type { LineOptions } from '../../../records/line.ts';
import type { Wish } from '../../../records/plan.ts';
import { eachLine, openRecordFile, type RecordFile } from '../../../records/record-file.ts';
import { type InputFile, type RecordText, readError } from '../../../records/record-source.ts';
import type { Input } from '../../../records/survey.ts';
import type { ReportFormat } from '../record/print.ts';
import type { ResultTarget } from '../results/results.ts';

/** The options of the commands that write one record or many. */
export interface WriteFlags extends Partial<Omit<Wish, 'command'>> {
  readonly file?: InputFile;
  readonly prefix?: string;
  readonly url?: string;
  readonly map?: ColumnMap;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly format?: ReportFormat | undefined;
  readonly jobs?: number;
  readonly rate?: Rate;
  readonly ledger?: string;
  readonly failFast?: boolean;
  readonly out?: string;
}

function forManyIn(flags: WriteFlags): string | undefined {
  const name = (['jobs', 'rate', 'ledger', 'failFast', 'out'] as const).find(
    (one) => flags[one] !== undefined,
  );
  return name && `--${name.replace('failFast', 'fail-fast')}`;
}

/** Refuses an option for many records without a file of them. */
export function refuseForMany(command: WriteCommand, flags: WriteFlags, example = 'records.ndjson'): void {
  const forMany = forManyIn(flags);
  if (forMany === undefined) return;
  throw usageError(`${forMany} is for the records of a file`, `doi-cli dois ${command} --file ${example}`);
}

/** Opens the file of a command that takes one record or many. */
export function openRecords(context: Context, file: InputFile, flags: WriteFlags): Promise<RecordFile> {
  const { map, set } = flags;
  const many = forManyIn(flags) !== undefined;
  return openRecordFile(context, file, { map, many, dois: set !== undefined });
}

/** A file on disk with many records. */
export interface BulkInput extends Input {
  readonly path: string;
  /** The folder of a copy of stdin. It is removed when nothing is left to do. */
  readonly folder: string | undefined;
}

/** A file of lines, how to read them, and what to do with them. */
export interface Bulk {
  readonly context: Context;
  readonly input: BulkInput;
  readonly lines: LineOptions;
  readonly flags: WriteFlags;
  readonly target: ResultTarget;
}

/** The file itself, or a copy of stdin: records are read twice, and a run may have to be continued. */
export async function fileOf(
  context: Context,
  { name, path, rows, files, records }: RecordFile,
): Promise<BulkInput> {
  if (path !== undefined) return { name, path, rows, files, records, folder: undefined };
  const folder = await temporaryFolder('doi-cli-records-');
  const copy = join(folder, 'records.ndjson');
  try {
    const { signal } = context.host;
    await pipeline(asLines(records()), createWriteStream(copy, { mode: 0o600 }), { signal });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const { syscall, path: failed } = error as NodeJS.ErrnoException;
    throw syscall === 'write' || failed === copy ? writeError(copy, error) : readError(context, name, error);
  }
  return { name, path: copy, rows, records: () => eachLine(createReadStream(copy), name), folder };
}

// A write for each record would take longer than reading it.
const WRITE_CHARACTERS = 64 * 1024;

/** Records as NDJSON, each on its line, so that messages name that. */
async function* asLines(records: AsyncIterable<RecordText>): AsyncGenerator<string> {
  let next = 1;
  let lines = '';
  for await (const { text, line } of records) {
    // Strings hold no line breaks: the splitter of arrays refuses them.
    lines += `${'\n'.repeat(line - next)}${text.replace(/[\r\n]+/g, ' ')}\n`;
    next = line + 1;
    if (lines.length < WRITE_CHARACTERS) continue;
    yield lines;
    lines = '';
  }
  if (lines !== '') yield lines;
}

/** Removes the copy of stdin, if the input is one. */
export async function discard({ folder }: BulkInput): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
