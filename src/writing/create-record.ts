import { type Attributes, type Doi, NotStored } from '../api/dois.ts';
import { isUnsent } from '../api/http/network-error.ts';
import { CliError, isOutage } from '../errors.ts';
import { hashOf } from './ledger/checksums.ts';
import type { ReservedDoi } from './ledger/entry.ts';

/** What {@link createRecord} needs of the clock, the service and the ledger. */
export interface CreatePort {
  now(): number;
  /** The time in milliseconds at which the ledger was created: nothing was sent before. */
  readonly begun: number;
  /** A DOI for a record without one: a new one for each attempt from 1, the same in each run. */
  generate(attempt: number): string;
  create(doi: string): Promise<Doi>;
  /** Undefined when the DOI does not exist, or is hidden from these credentials. */
  find(doi: string): Promise<Doi | undefined>;
  matches(stored: Attributes): boolean;
  /** Saves the DOI; resolves when it is safe on disk and may be sent. */
  reserve(reserved: ReservedDoi): Promise<void>;
  /** Waits before attempt n + 1, because of this error. */
  pause(attempt: number, error: CliError): Promise<void>;
}

interface CreateTask {
  /** The DOI in the record. */
  readonly doi: string | undefined;
  /** The DOI that an earlier run reserved. */
  readonly reserved: ReservedDoi | undefined;
  /** Whether the earlier run may have created the record. */
  readonly doubtful: boolean;
  readonly retries: number;
}

/** Thrown when the record may or may not exist; the next run looks for it first. */
export class InDoubt extends Error {
  readonly reason: CliError;

  constructor(reason: CliError) {
    super(reason.message, { cause: reason });
    this.name = 'InDoubt';
    this.reason = reason;
  }
}

// With 50 random bits, even a second suffix is practically never taken.
const MAX_SUFFIXES = 3;
// A new record may not be readable at once.
const MAX_LOOKUPS = 3;
// The service's clock, which sets the time of creation, may run slow.
const CLOCK_SKEW_MS = 10 * 60_000;

/**
 * Creates a record exactly once, even if the answer to an attempt is lost. The DOI is reserved
 * before the first request; a request is repeated only after a lookup has not found the DOI.
 * @throws {InDoubt} when the service no longer answers; {@link CliError} kind `rejected` when the
 *   DOI is taken, and any other error of the service; the signal's reason when stopped.
 */
export async function createRecord(port: CreatePort, task: CreateTask): Promise<Doi> {
  let reserved = task.reserved;
  let doubtful = task.doubtful;
  for (let suffixes = 1; ; suffixes += 1) {
    const { doi = port.generate(suffixes) } = task;
    reserved ??= { doi, generated: task.doi === undefined, at: new Date(port.now()).toISOString() };
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
      // Two files may contain the same DOI: a DOI that a user chose is ours only after a lost
      // answer.
      if (error.status === 422 && (doubtful || (reserved.generated && isAboutDoi(error)))) {
        return resolveRefusal(port, reserved, doubtful, error);
      }
      // The answer is wrong, so another attempt might create a second record.
      if (error.kind === 'unexpected' || error instanceof NotStored) throw new InDoubt(error);
      if (!isOutage(error)) throw error;
      // Throttled requests, and requests that were not sent, have no effect.
      doubtful ||= error.kind === 'unavailable' && !isUnsent(error);
      // The HTTP layer has already retried a 429.
      if (attempt > retries || error.status === 429) throw doubtful ? new InDoubt(error) : error;
      await port.pause(attempt, error);
    }
  }
}

/**
 * Handles a refusal that may mean that the DOI is taken.
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
 * Whether a stored record was created by this request. Its values may differ from the request, but
 * no other client creates a record with a suffix that was generated here, at or after that time. A
 * reservation lost from the end of the ledger is repeated with a later time, but never dates from
 * before the ledger. A DOI that the user chose may belong to an older record that looks the same.
 */
function isOurs(port: CreatePort, { attributes }: Doi, reserved: ReservedDoi): boolean {
  const created = Date.parse(String(attributes['created']));
  const earliest = Math.min(Date.parse(reserved.at), port.begun) - CLOCK_SKEW_MS;
  if (port.matches(attributes)) return reserved.generated || !(created < earliest);
  return reserved.generated && created >= earliest;
}

/** Whether the service refused the DOI itself, for example because it is taken (service.md, W7). */
function isAboutDoi({ problems }: CliError): boolean {
  return problems.some(({ path }) => path === 'doi');
}

// Douglas Crockford's base 32 has no i, l, o and u, which are easily misread.
// https://www.crockford.com/base32.html
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARACTERS = 10;

/**
 * A DOI in the style that DataCite suggests (https://blog.datacite.org/cool-dois/) and that the
 * service generates (service.md, W14): base 32 in groups of four, the last two characters a
 * checksum. With 50 bits, a million DOIs are all different (2,000 to 1), and a record with such a
 * DOI is known to be ours.
 * @param source the values that are hashed; one of them is random.
 */
export function generatedDoi(prefix: string, ...source: readonly (string | number)[]): string {
  const hash = hashOf(Buffer.from(JSON.stringify(source)));
  return `${prefix}/${suffixOf(hash >> BigInt(64 - CHARACTERS * 5))}`;
}

/** A number below 2^50 as ten characters and two check digits (ISO 7064 mod 97-10), in fours. */
export function suffixOf(number: bigint): string {
  let text = '';
  for (let rest = number, left = CHARACTERS; left > 0; left -= 1, rest >>= 5n) {
    text = `${ALPHABET[Number(rest & 31n)]}${text}`;
  }
  const check = 98n - ((number * 100n) % 97n);
  return `${text}${String(check).padStart(2, '0')}`.replace(/.{4}(?=.)/g, '$&-');
}
