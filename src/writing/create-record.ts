import { type Attributes, type Doi, NotStored } from '../api/dois.ts';
import { CliError } from '../errors.ts';
import { hashOf } from './ledger/entry.ts';

export interface ReservedDoi {
  readonly doi: string;
  /** Whether we generated the suffix, so that another one is as good. */
  readonly generated: boolean;
  /** The time just before it was first sent, in milliseconds. */
  readonly at: number;
}

/** The outside world of {@link createRecord}: the clock, the service and the ledger. */
export interface CreatePort {
  now(): number;
  /** The time in milliseconds before which the ledger has sent nothing. */
  readonly begun: number;
  /**
   * The DOI for a record that names none: another one for each attempt from 1, the same ones in
   * each run.
   */
  generate(attempt: number): string;
  create(doi: string): Promise<Doi>;
  /** Undefined when the DOI does not exist, or belongs to an account that hides it. */
  find(doi: string): Promise<Doi | undefined>;
  matches(stored: Attributes): boolean;
  /** Saves the DOI; resolves when it is safe on disk and may be sent. */
  reserve(reserved: ReservedDoi): Promise<void>;
  /** Waits before attempt n + 1, because of this error. */
  pause(attempt: number, error: CliError): Promise<void>;
}

interface CreateTask {
  /** The DOI that the record names. */
  readonly doi: string | undefined;
  /** The DOI of an earlier run. */
  readonly reserved: ReservedDoi | undefined;
  /** Whether that run may have created it. */
  readonly doubtful: boolean;
  readonly retries: number;
}

/** It is not known whether the record exists; the next run looks for it first. */
export class InDoubt extends Error {
  readonly reason: CliError;

  constructor(reason: CliError) {
    super(reason.message, { cause: reason });
    this.name = 'InDoubt';
    this.reason = reason;
  }
}

// With 50 random bits even the second suffix is practically never taken by chance.
const MAX_SUFFIXES = 3;
// A new record may not be readable at once.
const MAX_LOOKUPS = 3;
// The service's clock, which names the time of creation, may be behind ours.
const CLOCK_SKEW_MS = 10 * 60_000;

/**
 * Creates a record exactly once, whether or not the service carried out an attempt whose answer was
 * lost. Its DOI is saved before the first request, which is sent again only when that DOI was
 * looked for and not found.
 * @throws {InDoubt} when the service no longer answers; {@link CliError} kind `rejected` when the
 *   DOI is taken, and any other error of the service; the signal's reason when stopped.
 */
export async function createRecord(port: CreatePort, task: CreateTask): Promise<Doi> {
  let reserved = task.reserved;
  let doubtful = task.doubtful;
  for (let suffixes = 1; ; suffixes += 1) {
    const { doi = port.generate(suffixes) } = task;
    reserved ??= { doi, generated: task.doi === undefined, at: port.now() };
    const created = await createWithDoi(port, reserved, doubtful, task.retries);
    if (created !== undefined) return created;
    if (!reserved.generated || suffixes >= MAX_SUFFIXES) {
      throw new CliError('rejected', `${reserved.doi} has already been taken by another record`, {
        problems: [{ path: 'doi', message: 'This DOI has already been taken' }],
        status: 422,
      });
    }
    reserved = undefined;
    doubtful = false;
  }
}

/** Creates the record with one DOI; undefined when another record has that DOI. */
async function createWithDoi(
  port: CreatePort,
  reserved: ReservedDoi,
  wasDoubtful: boolean,
  retries: number,
): Promise<Doi | undefined> {
  let doubtful = wasDoubtful;
  if (!doubtful) await port.reserve(reserved);
  for (let attempt = 1; ; attempt += 1) {
    if (doubtful) {
      const existing = await findExisting(port, reserved.doi);
      if (existing !== undefined) return isOurs(port, existing, reserved) ? existing : undefined;
    }
    try {
      return await port.create(reserved.doi);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      // Two files may name the same DOI: a DOI that a user chose is only ours if an answer was
      // lost.
      if (error.status === 422 && (doubtful || (reserved.generated && isAboutDoi(error)))) {
        return resolveRefusal(port, reserved, doubtful, error);
      }
      // The answer cannot be true, so another attempt might make another record that nobody asked
      // for.
      if (error.kind === 'unexpected' || error instanceof NotStored) throw new InDoubt(error);
      if (error.kind !== 'unavailable' && error.kind !== 'throttled') throw error;
      // A throttled request was not carried out.
      doubtful ||= error.kind === 'unavailable';
      // The HTTP layer has already retried a 429.
      if (attempt > retries || error.status === 429) throw doubtful ? new InDoubt(error) : error;
      await port.pause(attempt, error);
    }
  }
}

/**
 * Decides what a refusal means that may say that the DOI is taken.
 * @returns the record that a lost attempt created; undefined when another record has the DOI.
 * @throws the refusal, when no record with the DOI can be read.
 */
async function resolveRefusal(
  port: CreatePort,
  reserved: ReservedDoi,
  doubtful: boolean,
  refusal: CliError,
): Promise<Doi | undefined> {
  for (let lookups = 1; ; lookups += 1) {
    const existing = await findExisting(port, reserved.doi);
    if (existing !== undefined) return isOurs(port, existing, reserved) ? existing : undefined;
    if (!doubtful || !isAboutDoi(refusal) || lookups >= MAX_LOOKUPS) throw refusal;
    await port.pause(lookups, refusal);
  }
}

async function findExisting(port: CreatePort, doi: string): Promise<Doi | undefined> {
  try {
    return await port.find(doi);
  } catch (error) {
    const isUnknown =
      error instanceof CliError && ['unavailable', 'throttled', 'unexpected'].includes(error.kind);
    throw isUnknown ? new InDoubt(error) : error;
  }
}

/**
 * Whether a record is the one that was sent. The service may have changed its values, but nobody
 * else creates a record with a suffix that we generated, at or after the time when we did. An entry
 * that was lost from the end of the ledger is made again with a later time, but never was before
 * the ledger. A DOI that the user chose may be that of an older record, which may look the same.
 */
function isOurs(port: CreatePort, { attributes }: Doi, reserved: ReservedDoi): boolean {
  const created = Date.parse(String(attributes['created']));
  const earliest = Math.min(reserved.at, port.begun) - CLOCK_SKEW_MS;
  if (port.matches(attributes)) return reserved.generated || !(created < earliest);
  return reserved.generated && created >= earliest;
}

/**
 * Whether the service refused the DOI itself, for instance because it is taken (service.md, W7).
 */
function isAboutDoi({ problems }: CliError): boolean {
  return problems.some(({ path }) => path === 'doi');
}

// Douglas Crockford's base 32 has no i, l, o and u, which are easily misread.
// https://www.crockford.com/base32.html
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARACTERS = 10;

/**
 * A DOI in the style that DataCite suggests (https://blog.datacite.org/cool-dois/) and that the
 * service itself generates (service.md, W14): base 32 in groups of four, the last two characters a
 * checksum. With its 50 bits, among a million DOIs no two are equal by chance (2,000 to 1), and a
 * record with such a DOI is known to be ours.
 * @param source what the bits are made from, and a random part of it.
 */
export function generatedDoi(prefix: string, ...source: readonly (string | number)[]): string {
  return `${prefix}/${suffixOf(hashOf(Buffer.from(JSON.stringify(source))) >> BigInt(64 - CHARACTERS * 5))}`;
}

/**
 * A number below 2^50 as ten characters and two check digits (ISO 7064, modulo 97-10), in groups of
 * four.
 */
export function suffixOf(number: bigint): string {
  let text = '';
  for (let rest = number, left = CHARACTERS; left > 0; left -= 1, rest >>= 5n) {
    text = `${ALPHABET[Number(rest & 31n)]}${text}`;
  }
  const check = 98n - ((number * 100n) % 97n);
  return `${text}${String(check).padStart(2, '0')}`.replace(/.{4}(?=.)/g, '$&-');
}
