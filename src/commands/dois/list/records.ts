import { CliError } from '../../../errors.ts';
import type { WalkedPage } from '../../../harvest/walk/repeat-guard.ts';
import { parseBounded, TooComplex } from '../../../text/bounded-json.ts';

/** Writes DOI records in one output format, a page at a time. */
export interface RecordWriter {
  /** Writes at most `most` of a page's records. */
  page(walked: WalkedPage, most: number): Promise<void>;
  /** Writes what follows the last record. */
  end(): Promise<void>;
}

/**
 * A record of a page, parsed.
 * @throws {CliError} kind `unexpected` when it is too large for that.
 */
export function parsedRecord(record: Buffer): unknown {
  try {
    return parseBounded(record.toString());
  } catch (error) {
    throw error instanceof TooComplex ? tooLarge(`a record has ${error.message}`) : error;
  }
}

/** The error for records that a format cannot hold, with a format that can. */
export function tooLarge(message: string): CliError {
  return new CliError('unexpected', message, { hint: 'use --format ndjson' });
}
