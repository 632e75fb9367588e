import { coalesced } from '../../concurrency/promises.ts';
import { writeAtomically } from '../../disk/atomic-file.ts';
import { readOwnFile } from '../../disk/regular-file.ts';
import { type CliError, usageError } from '../../errors.ts';
import { jsonIn } from '../../text/json-values.ts';
import { ledgerFiles } from './directory.ts';
import { ledgerProblem } from './ledger-check.ts';
import type { LedgerData } from './ledger-data.ts';

// Far more than any harvest needs: a window takes about 350 bytes.
const MAX_LEDGER_BYTES = 128 * 1024 * 1024;

/**
 * The file that counts the records and bytes that are safe on disk. The order is always: append
 * records, sync the part file, update the numbers of the window in {@link data}, save. After a
 * crash the ledger may count less than the files contain, never more. Numbers that belong together
 * are updated without an await in between, because a save could happen there.
 */
export class Ledger {
  readonly data: LedgerData;
  readonly #path: string;

  private constructor(path: string, data: LedgerData) {
    this.#path = path;
    this.data = data;
  }

  /**
   * Reads a ledger; undefined if the file does not exist.
   * @throws {CliError} kind `usage` for a file that is not a ledger, or cannot be read.
   */
  static async open(path: string): Promise<Ledger | undefined> {
    const text = await readOwnFile(path, { maxBytes: MAX_LEDGER_BYTES });
    return text === undefined ? undefined : new Ledger(path, parseLedger(text, path));
  }

  /** Makes a ledger and saves it, replacing any other. */
  static async create(path: string, data: LedgerData): Promise<Ledger> {
    const ledger = new Ledger(path, data);
    await ledger.save();
    return ledger;
  }

  /**
   * Saves {@link data} with all changes made so far.
   * @throws {CliError} kind `output`; the old ledger stays.
   */
  readonly save: () => Promise<void> = coalesced(() =>
    writeAtomically(this.#path, `${JSON.stringify(this.data)}\n`),
  );
}

/** Reads the ledger of a directory, or the ledgers of its shards, sorted by name; maybe none. */
export async function readLedgers(dir: string): Promise<LedgerData[]> {
  const ledgers = await Promise.all((await ledgerFiles(dir)).map((path) => Ledger.open(path)));
  return ledgers.flatMap((ledger) => ledger?.data ?? []);
}

/** The error for a directory without a ledger. */
export function noHarvest(dir: string): CliError {
  return usageError(`there is no harvest in ${dir}`, 'name the directory of a copy');
}

/** Like {@link readLedgers}. @throws {CliError} kind `usage` for a directory without a ledger. */
export async function ledgersOf(dir: string): Promise<LedgerData[]> {
  const ledgers = await readLedgers(dir);
  if (ledgers.length === 0) throw noHarvest(dir);
  return ledgers;
}

function parseLedger(text: string, path: string): LedgerData {
  const value = jsonIn(text);
  if (value === undefined) throw usageError(`${path} is not valid JSON`, HINT);
  const { version } = (value ?? {}) as { version?: unknown };
  if (typeof version === 'number' && version !== 1) {
    throw usageError(
      `${path} was written by another version of this program (format ${version})`,
      'use that version, or start over with --fresh',
    );
  }
  const problem = ledgerProblem(value);
  if (problem !== undefined) throw usageError(`${path} is not a ledger: ${problem}`, HINT);
  return value as LedgerData;
}

const HINT = 'restore it from a copy, or start over with --fresh';
