import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isBlank, readLines } from '../../bulk/lines.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';

/** A file of records on disk; that of stdin is a copy. */
export interface BulkInput {
  readonly path: string;
  /** What to call it in messages. */
  readonly name: string;
  /** The folder of a copy, to be removed when nothing is left to do. */
  readonly folder: string | undefined;
}

/** What a `--file` holds: many records, or the bytes of something that is one. */
export type Given =
  | { readonly kind: 'bulk'; readonly input: BulkInput }
  | { readonly kind: 'single'; readonly bytes: Buffer };

/** The options that only many records need. */
export interface BulkOptions {
  readonly jobs?: unknown;
  readonly rate?: unknown;
  readonly ledger?: unknown;
  readonly failFast?: unknown;
}

/** Whether the command line says that there are many records, however many the file holds. */
export function saysBulk(options: BulkOptions): boolean {
  return bulkOptions(options).length > 0;
}

/** @throws {CliError} kind `usage` for an option that needs a file of many records, where there is no file. */
export function refuseBulkOptions(options: BulkOptions): void {
  const [first] = bulkOptions(options);
  if (first !== undefined)
    throw usageError(`${first} is for the records of a file`, 'add --file records.ndjson');
}

function bulkOptions({ jobs, rate, ledger, failFast }: BulkOptions): string[] {
  const given = { '--jobs': jobs, '--rate': rate, '--ledger': ledger, '--fail-fast': failFast };
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
}

/**
 * Finds out whether a file, or stdin, holds one record or many: many are NDJSON, by the name of the file or because its first
 * line is JSON by itself. What stdin holds of many is copied to a file, so that it can be read twice and continued.
 * @param options.bulk whether other options say that it is many.
 * @throws {CliError} kind `usage` when it cannot be read.
 */
export async function givenInput(
  context: Context,
  file: string,
  options: { readonly bulk: boolean },
): Promise<Given> {
  const bulk = options.bulk || /^\.(ndjson|jsonl)$/i.test(extname(file));
  try {
    if (file === '-') return await fromStdin(context, bulk);
    if (bulk || (await holdsMany(createReadStream(file)))) {
      return { kind: 'bulk', input: { path: file, name: file, folder: undefined } };
    }
    return { kind: 'single', bytes: await all(createReadStream(file)) };
  } catch (error) {
    if ((error as { syscall?: unknown }).syscall === undefined) throw error;
    throw usageError(
      `cannot read ${file}: ${(error as Error).message}`,
      'name a file that is there, or - for stdin',
    );
  }
}

/** Removes the copy of what stdin held. */
export async function discard({ folder }: BulkInput): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

async function fromStdin(context: Context, bulk: boolean): Promise<Given> {
  const { signal } = context.host;
  signal.throwIfAborted();
  const stdin = addAbortSignal(signal, context.host.stdin);
  try {
    // What was read to find out is read once more.
    const seen: Buffer[] = [];
    const many = bulk || (await holdsMany(remembered(stdin, seen)));
    const whole = Readable.from(both(seen, stdin));
    if (!many) return { kind: 'single', bytes: await all(whole) };
    const folder = await mkdtemp(join(tmpdir(), 'doi-cli-records-'));
    const path = join(folder, 'records.ndjson');
    try {
      await pipeline(whole, createWriteStream(path, { mode: 0o600 }), { signal });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return { kind: 'bulk', input: { path, name: 'stdin', folder } };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Whether the first line is JSON and not all there is: that of a record that is laid out is not. */
async function holdsMany(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  let first = true;
  for await (const { bytes } of readLines(chunks, 'the file')) {
    if (isBlank(bytes)) continue;
    if (!first) return true;
    if (!isJson(bytes)) return false;
    first = false;
  }
  return false;
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

/** The chunks of a stream that is left open, kept in a list as they go by. */
async function* remembered(stream: Readable, seen: Buffer[]): AsyncGenerator<Buffer> {
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk as Buffer);
    seen.push(bytes);
    yield bytes;
  }
}

async function* both(first: readonly Buffer[], rest: Readable): AsyncGenerator<Buffer> {
  yield* first;
  if (!rest.readableEnded) yield* rest;
}

async function all(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
