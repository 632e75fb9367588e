import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import { isBlank, readLines } from '../../../text/lines.ts';
import { type BulkInput, discard } from './file.ts';
import type { BulkFlags } from './flags.ts';

/** What a `--file` holds: many records, or the bytes of something that is one. */
type Given =
  | { readonly kind: 'bulk'; readonly input: BulkInput }
  | { readonly kind: 'single'; readonly bytes: Buffer };

/** The options that only many records need. */
const FOR_MANY = { jobs: '--jobs', rate: '--rate', ledger: '--ledger', failFast: '--fail-fast' } as const;

/**
 * Carries out a file, if it holds many records.
 * @param file undefined when there is none, or one record is named by other means.
 * @param problem why the options do not go with many records, if they do not.
 * @returns `done`, or what the file holds when that is one record.
 * @throws {CliError} kind `usage` for options that do not fit; whatever the records lead to.
 */
export async function unlessMany(
  context: Context,
  command: 'create' | 'update',
  file: string | undefined,
  options: BulkFlags & { readonly format?: string },
  problem: () => string | undefined,
): Promise<'done' | Buffer | undefined> {
  const forMany = Object.entries(FOR_MANY).find(([name]) => options[name as keyof BulkFlags] !== undefined);
  if (file === undefined) {
    if (forMany === undefined) return undefined;
    throw usageError(
      `${forMany[1]} is for the records of a file`,
      `doi-cli dois ${command} --file records.ndjson`,
    );
  }
  const given = await givenInput(context, file, { bulk: forMany !== undefined });
  if (given.kind === 'single') return given.bytes;
  const text = options.format === 'text' ? 'the results of many records are NDJSON' : problem();
  if (text !== undefined) {
    await discard(given.input);
    throw usageError(text, 'leave the option out');
  }
  const { bulkCommand } = await import('./bulk.ts');
  await bulkCommand(context, command, given.input, options);
  return 'done';
}

/**
 * Finds out whether a file, or stdin, holds one record or many: many are NDJSON, by the name of the file or because its first
 * line is JSON by itself. What stdin holds of many is copied to a file, so that it can be read twice and continued.
 * @param options.bulk whether other options say that it is many.
 * @throws {CliError} kind `usage` when it cannot be read.
 */
async function givenInput(
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
