import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { refuseDamage } from '../harvest/copy/damage.ts';
import { settled } from '../harvest/copy/settled.ts';
import { parsedRecord } from '../harvest/page/parsed-record.ts';
import { type CopyPart, CurrentRecords, partsOf } from '../harvest/store/current-records.ts';
import { harvestPaths } from '../harvest/store/directory.ts';
import { readLedgers } from '../harvest/store/ledger.ts';
import type { LedgerData } from '../harvest/store/ledger-data.ts';
import { type Receipt, receiptsOf } from '../harvest/store/receipt.ts';
import { parseFrom } from '../text/parsers.ts';
import { requirePath } from './arguments.ts';
import type { CallOptions } from './client.ts';
import type { DoiRecord } from './record.ts';

/** A current record of a copy on disk. */
export interface CopyRecord<Form = Uint8Array> {
  /** The DOI, bare and in lower case. */
  readonly doi: string;
  /** The number of the generation that has the record, and when it was finished, in ISO 8601. */
  readonly generation: number;
  readonly finishedAt: string;
  readonly record: Form;
}

/** How to read a copy. */
export interface ReadCopyOptions extends CallOptions {
  /** Whether to parse the records; otherwise they are the bytes of the service. */
  readonly parse?: boolean | undefined;
  /**
   * Reads only newer records: the greatest `finishedAt` of an earlier reading, in ISO 8601. If an
   * old generation has been fetched again since, all records are new.
   */
  readonly since?: string | undefined;
}

// Records that are read before they are used.
const AHEAD = 16;

/**
 * The current records of a copy that `harvest` has made: each DOI once, in its latest version,
 * generation by generation. It sends no requests. `break` ends the reading.
 * @throws {DoiCliError} during the iteration: kind `usage` for wrong input, or a directory without
 *   a copy; `incomplete` for a copy that is not complete or is damaged.
 */
export function readCopy(
  directory: string,
  options?: ReadCopyOptions & { readonly parse?: false | undefined },
): AsyncIterable<CopyRecord>;
/** The same records, parsed. */
export function readCopy(
  directory: string,
  options: ReadCopyOptions & { readonly parse: true },
): AsyncIterable<CopyRecord<DoiRecord>>;
export function readCopy(
  directory: string,
  options: ReadCopyOptions = {},
): AsyncIterable<CopyRecord<Uint8Array | DoiRecord>> {
  return currentRecords(directory, options);
}

async function* currentRecords(
  dir: string,
  { signal = new AbortController().signal, parse, since }: ReadCopyOptions,
): AsyncGenerator<CopyRecord<Uint8Array | DoiRecord>, void, undefined> {
  const newerThan = since === undefined ? undefined : parseFrom('since', since, parseTime);
  signal.throwIfAborted();
  const ledgers = await settledLedgers(dir);
  await refuseDamage(ledgers, dir, signal);
  for (const data of ledgers) {
    const parts = partsOf(harvestPaths(dir, data.shard), [data]);
    const fresh = newParts(parts, newerThan);
    if (fresh.length === 0) continue;
    const current = await CurrentRecords.read(parts, signal);
    for (const part of fresh) {
      const { number, finishedAt = '' } = part.generation;
      for await (const [doi, line] of recordsIn(part, current, signal)) {
        const record = parse ? (parsedRecord(line, ONLY_BYTES) as unknown as DoiRecord) : line;
        yield { doi, generation: number, finishedAt, record };
        signal.throwIfAborted();
      }
    }
  }
}

/**
 * The receipts of a copy on disk, of all generations and shards.
 * @throws {DoiCliError} as {@link readCopy} does.
 */
export async function readReceipts(directory: string): Promise<readonly Receipt[]> {
  const ledgers = await settledLedgers(directory);
  return receiptsOf(ledgers);
}

const ONLY_BYTES = 'read it without parse';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function parseTime(time: string): number {
  const parsed = Date.parse(time);
  if (TIME.test(time) && !Number.isNaN(parsed)) return parsed;
  throw new Error(`'${time}' is not a time such as 2026-05-01T12:00:00.000Z`);
}

async function settledLedgers(dir: string): Promise<readonly LedgerData[]> {
  requirePath('directory', dir);
  const ledgers = await readLedgers(dir);
  settled(dir, ledgers);
  return ledgers;
}

function newParts(parts: readonly CopyPart[], since = Number.NEGATIVE_INFINITY) {
  const isNew = ({ generation }: CopyPart) => Date.parse(generation.finishedAt ?? '') > since;
  const first = parts.findIndex(isNew);
  // Windows that were fetched again may lack lines that hid earlier ones.
  const isInOrder = first >= 0 && parts.slice(first).every(isNew);
  return isInOrder || first < 0 ? parts.filter(isNew) : parts;
}

async function* recordsIn(
  part: CopyPart,
  current: CurrentRecords,
  signal: AbortSignal,
): AsyncGenerator<readonly [doi: string, line: Buffer], void, undefined> {
  const left = new AbortController();
  const stop = AbortSignal.any([left.signal, signal]);
  const records = new PassThrough({ objectMode: true, highWaterMark: AHEAD });
  const add = (doi: string, line: Buffer) =>
    // The line is a view of a larger buffer.
    records.write([doi, Buffer.from(line)])
      ? undefined
      : once(records, 'drain', { signal: stop }).then(() => undefined);
  const reading = current.readPart(part, add, stop).then(
    () => records.end(),
    (error: Error) => records.destroy(error),
  );
  try {
    yield* records;
  } finally {
    left.abort();
    await reading;
  }
}
