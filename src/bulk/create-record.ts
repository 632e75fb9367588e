import type { Attributes, Doi } from '../api/dois.ts';
import { CliError } from '../errors.ts';
import { randomDoi } from './suffix.ts';

/** A DOI that is fixed for a record. */
export interface FixedDoi {
  readonly doi: string;
  /** Whether the suffix is of our making, so that another one would do. */
  readonly generated: boolean;
  /** When it was first about to be sent, in milliseconds. */
  readonly at: number;
}

/** What creating one record needs of the outside. */
export interface CreatePort {
  now(): number;
  /** Sends the record under this DOI, once. */
  create(doi: string): Promise<Doi>;
  /** Reads the DOI with the credentials; undefined when there is none, or one that others own and hide. */
  find(doi: string): Promise<Doi | undefined>;
  /** Whether a record holds what was sent. */
  keeps(kept: Attributes): boolean;
  /** Makes it safe that this DOI may be sent. */
  fix(fixed: FixedDoi): Promise<void>;
  /** Waits before attempt n + 1, because of this error. */
  pause(attempt: number, error: CliError): Promise<void>;
}

interface CreateTask {
  /** The DOI that the record names. */
  readonly doi: string | undefined;
  /** Where to make one up. */
  readonly prefix: string | undefined;
  /** What an earlier run fixed. */
  readonly fixed: FixedDoi | undefined;
  /** Whether that run may have created it. */
  readonly doubtful: boolean;
  /** Attempts after the first. */
  readonly retries: number;
}

/** Nobody knows whether the record exists; the next run asks first. */
export class InDoubt extends Error {
  readonly reason: CliError;

  constructor(reason: CliError) {
    super(reason.message, { cause: reason });
    this.name = 'InDoubt';
    this.reason = reason;
  }
}

// Two in a row that are taken by chance are not to be expected in the life of the universe.
const MOST_SUFFIXES = 3;
// What was created a moment ago may not be readable yet.
const LOOKS = 3;
// Clocks differ.
const SKEW_MS = 10 * 60_000;

/**
 * Creates a record exactly once. Its DOI is fixed before it is sent for the first time, and it is sent again only
 * after the DOI has been looked for and not found: whatever the service made of an attempt whose answer was lost, there
 * is one record under that DOI in the end.
 * @throws {InDoubt} when the service cannot be asked any more; {@link CliError} kind `rejected` when the DOI is taken,
 *   and whatever else the service answers; the signal's reason when stopped.
 */
export async function createRecord(door: CreatePort, task: CreateTask): Promise<Doi> {
  let fixed = task.fixed;
  let doubtful = task.doubtful;
  for (let suffixes = 1; ; suffixes += 1) {
    fixed ??= {
      doi: task.doi ?? randomDoi(task.prefix ?? ''),
      generated: task.doi === undefined,
      at: door.now(),
    };
    const made = await createWithDoi(door, fixed, doubtful, task.retries);
    if (made !== undefined) return made;
    if (!fixed.generated || suffixes >= MOST_SUFFIXES) {
      throw new CliError('rejected', `${fixed.doi} has already been taken by another record`, {
        problems: [{ path: 'doi', message: 'This DOI has already been taken' }],
        status: 422,
      });
    }
    fixed = undefined;
    doubtful = false;
  }
}

/** The record under one DOI; undefined when that belongs to another one. */
async function createWithDoi(
  door: CreatePort,
  fixed: FixedDoi,
  before: boolean,
  retries: number,
): Promise<Doi | undefined> {
  let doubtful = before;
  if (!doubtful) await door.fix(fixed);
  for (let attempt = 1; ; attempt += 1) {
    if (doubtful) {
      const found = await look(door, fixed.doi);
      if (found !== undefined) return isOurs(door, found, fixed) ? found : undefined;
    }
    try {
      return await door.create(fixed.doi);
    } catch (thrown) {
      const error = asked(thrown);
      if (error.status === 422 && (doubtful || (fixed.generated && namesDoi(error)))) {
        return settleRefusal(door, fixed, doubtful, error);
      }
      if (error.kind !== 'unavailable' && error.kind !== 'throttled') throw error;
      // Throttling is refused before anything is done.
      doubtful ||= error.kind === 'unavailable';
      // A 429 has been tried again already.
      if (attempt > retries || error.status === 429) throw doubtful ? new InDoubt(error) : error;
      await door.pause(attempt, error);
    }
  }
}

/**
 * What a refusal means that may say that the DOI is taken: an attempt whose answer was lost took it, or another record
 * has it (undefined).
 * @throws the refusal, when there is no such record to be seen.
 */
async function settleRefusal(
  door: CreatePort,
  fixed: FixedDoi,
  doubtful: boolean,
  refusal: CliError,
): Promise<Doi | undefined> {
  for (let looks = 1; ; looks += 1) {
    const found = await look(door, fixed.doi);
    // Of a name that somebody chose only a doubt makes it ours: two files may want the same.
    const mayBeOurs = doubtful || fixed.generated;
    if (found !== undefined) return mayBeOurs && isOurs(door, found, fixed) ? found : undefined;
    if (!doubtful || !namesDoi(refusal) || looks >= LOOKS) throw refusal;
    await door.pause(looks, refusal);
  }
}

async function look(door: CreatePort, doi: string): Promise<Doi | undefined> {
  try {
    return await door.find(doi);
  } catch (thrown) {
    const error = asked(thrown);
    if (error.kind === 'unavailable' || error.kind === 'throttled') throw new InDoubt(error);
    throw error;
  }
}

/**
 * Whether a record that was found is the one that was sent. Under a suffix of our making nobody else's record appears
 * after it was fixed, whatever the service has made of the values.
 */
function isOurs(door: CreatePort, { attributes }: Doi, fixed: FixedDoi): boolean {
  if (door.keeps(attributes)) return true;
  const created = Date.parse(String(attributes['created']));
  return fixed.generated && created >= fixed.at - SKEW_MS;
}

/** True for a refusal of the DOI itself, such as that of one that is taken (observed: `source` is `doi`). */
function namesDoi({ problems }: CliError): boolean {
  return problems.some(({ path }) => path === 'doi');
}

/** An answer's error; anything else, such as the reason of a stop, is passed on. */
function asked(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown;
  throw thrown;
}
