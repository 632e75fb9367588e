import { refuseDamage } from '../harvest/copy/damage.ts';
import { settled } from '../harvest/copy/settled.ts';
import { parsedRecord } from '../harvest/page/parsed-record.ts';
import { type CopyPart, currentRecords } from '../harvest/store/current-records.ts';
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
  return records(directory, options);
}

async function* records(
  dir: string,
  { signal = new AbortController().signal, parse, since }: ReadCopyOptions,
): AsyncGenerator<CopyRecord<Uint8Array | DoiRecord>, void, undefined> {
  const newerThan = since === undefined ? undefined : parseFrom('since', since, parseTime);
  signal.throwIfAborted();
  const ledgers = await settledLedgers(dir);
  await refuseDamage(ledgers, dir, signal);
  const select = (parts: readonly CopyPart[]) => newParts(parts, newerThan);
  for await (const { part, doi, line } of currentRecords(dir, ledgers, signal, select)) {
    const { number: generation, finishedAt = '' } = part.generation;
    // The line is a view of a larger buffer.
    const record = parse
      ? (parsedRecord(line, ONLY_BYTES) as unknown as DoiRecord)
      : Buffer.from(line);
    yield { doi, generation, finishedAt, record };
    signal.throwIfAborted();
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
