import { readFile } from 'node:fs/promises';
import { writeAtomically } from '../../disk/atomic-file.ts';
import { CliError, errorCode, usageError } from '../../errors.ts';
import { type LedgerData, ledgerProblem } from './ledger-data.ts';

/**
 * What is known good of a harvest, on disk. Whoever holds the lock changes {@link data} in memory and saves it,
 * always in this order: data appended, part file synced, the window's numbers changed, ledger saved. A crash
 * between any two steps leaves a ledger that counts less than the files hold, and never more. Numbers that belong
 * together are changed without awaiting anything between, since another window may save at any time.
 */
export class Ledger {
  readonly data: LedgerData;
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(path: string, data: LedgerData) {
    this.#path = path;
    this.data = data;
  }

  /**
   * Reads the ledger at the path; undefined when there is none.
   * @throws {CliError} kind `usage` when it is not a ledger, or one of another version of this program.
   */
  static async open(path: string): Promise<Ledger | undefined> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw new CliError('unexpected', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
    }
    return new Ledger(path, parseLedger(text, path));
  }

  /** Makes a ledger and saves it, in the place of any other. */
  static async create(path: string, data: LedgerData): Promise<Ledger> {
    const ledger = new Ledger(path, data);
    await ledger.save();
    return ledger;
  }

  /**
   * Writes the data as they are now or a little later, and waits until they are safe. Calls that come while a
   * write is going on share the next one.
   * @throws {CliError} kind `output`; the ledger on disk is then the one before.
   */
  save(): Promise<void> {
    this.#next ??= this.#saveNext();
    return this.#next;
  }

  async #saveNext(): Promise<void> {
    // Whether that one fails is for those to hear who asked for it.
    await Promise.allSettled([this.#writing]);
    this.#next = undefined;
    this.#writing = writeAtomically(this.#path, `${JSON.stringify(this.data)}\n`);
    await this.#writing;
  }
}

function parseLedger(text: string, path: string): LedgerData {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError(`${path} is not valid JSON`, HINT);
  }
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
