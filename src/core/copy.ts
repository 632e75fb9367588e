import { existsSync } from 'node:fs';
import { accountOf } from '../api/account.ts';
import type { Service } from '../api/service.ts';
import { CliError, usageError } from '../errors.ts';
import { mixedForms } from '../harvest/copy/copy-form.ts';
import { refuseDamage } from '../harvest/copy/damage.ts';
import type { HarvestHost, LocalHost, RunOptions } from '../harvest/copy/options.ts';
import { runHarvest } from '../harvest/copy/run.ts';
import { sameQuery, type Verification, verifyHarvest } from '../harvest/copy/verify.ts';
import { foreignFiles, harvestPaths, ledgerFiles } from '../harvest/store/directory.ts';
import { Ledger, ledgersOf, readLedgers } from '../harvest/store/ledger.ts';
import type { HarvestQuery, LedgerData } from '../harvest/store/ledger-data.ts';
import type { HarvestReceipts } from '../harvest/store/receipt.ts';
import { saveRemoved } from '../harvest/store/removed.ts';
import { JobLimit } from '../harvest/windows/job-limit.ts';
import { firstNames } from '../text/words.ts';
import { DEFAULT_JOBS } from './defaults.ts';
import { jobsFor } from './open-service.ts';

/** How to update a copy; without `jobs`, as many requests at once as the rate limit needs. */
export type CopyOptions = Omit<RunOptions, 'jobs' | 'limit'> & {
  readonly jobs?: number | undefined;
};

export function withJobs({ rateLimiter }: Service, { jobs, ...options }: CopyOptions): RunOptions {
  if (jobs !== undefined) return { ...options, jobs };
  return {
    ...options,
    jobs: DEFAULT_JOBS,
    limit: new JobLimit(DEFAULT_JOBS, rateLimiter?.current ?? 1),
  };
}

/** Brings a copy on disk up to date. After any failure, the next run continues. */
export function updateCopy(host: HarvestHost, options: CopyOptions): Promise<HarvestReceipts> {
  return runHarvest(host, withJobs(host.service, options));
}

/** Why a copy is not complete, by its receipts; empty if it is. */
export function missingIn({ worked, earlier }: HarvestReceipts): string[] {
  const several = worked.length + earlier.length > 1;
  return [...earlier, ...worked].flatMap(({ generation, reasons }) =>
    reasons.map((reason) => (several ? `generation ${generation}: ${reason}` : reason)),
  );
}

/**
 * The query of the harvest, or else of the plan, in a directory; undefined if there is neither.
 * Other files are refused: they would be read as records, or be overwritten.
 * @param fresh whether both will be replaced, and need not be readable.
 */
export async function queryIn(dir: string, fresh: boolean): Promise<HarvestQuery | undefined> {
  const query = await readQuery(dir).catch((error: unknown) => {
    if (!fresh || !(error instanceof CliError)) throw error;
    return undefined;
  });
  if (query === undefined && !(await hasHarvest(dir))) await requireNoFiles(dir);
  return query;
}

async function readQuery(dir: string): Promise<HarvestQuery | undefined> {
  const [first] = await readLedgers(dir);
  return (first ?? (await Ledger.open(harvestPaths(dir, null).plan))?.data)?.query;
}

async function hasHarvest(dir: string): Promise<boolean> {
  return existsSync(harvestPaths(dir, null).plan) || (await ledgerFiles(dir)).length > 0;
}

async function requireNoFiles(dir: string): Promise<void> {
  const files = await foreignFiles(dir);
  if (files.length === 0) return;
  const first = firstNames(files, 1);
  throw usageError(
    `${dir} holds no harvest, but ${harvestPaths(dir, null).data} is not empty: ${first}`,
    'name a directory that is new or empty',
  );
}

/** The account of the credentials; null without credentials. */
export async function accountOrNull(service: Service): Promise<string | null> {
  return service.credentials === undefined ? null : accountOf(service);
}

/**
 * The ledgers of a copy that can be compared with a service.
 * @throws {CliError} kind `usage` without a copy or for a copy of another service, kind
 *   `incomplete` for damaged files.
 */
export async function ledgersToVerify(
  dir: string,
  baseUrl: URL,
  signal: AbortSignal,
): Promise<readonly LedgerData[]> {
  const ledgers = await ledgersOf(dir);
  const query = sameQuery(ledgers);
  await refuseDamage(ledgers, dir, signal);
  // A file must not decide where credentials are sent.
  if (baseUrl.href === query.baseUrl) return ledgers;
  throw usageError(
    `${dir} holds a harvest of ${query.baseUrl}, not of ${baseUrl.href}`,
    `add --base-url ${query.baseUrl}`,
  );
}

interface Differences extends Verification {
  /** Why the records of the copy have two forms, if they do. */
  readonly mixed: string | undefined;
}

/**
 * Compares the DOIs of a copy with the service's, and saves the surplus ones for the table
 * `removed`.
 * @param jobs the most requests at once.
 * @throws {CliError} kind `usage` for a copy of another reader.
 */
export async function verifyCopy(
  host: HarvestHost & { warn(text: string): void },
  dir: string,
  ledgers: readonly LedgerData[],
  jobs = jobsFor(host.service),
): Promise<Differences> {
  await requireSameReader(host.service, dir, sameQuery(ledgers).account);
  const comparison = await verifyHarvest(host, dir, ledgers, jobs);
  await rememberRemoved(host, dir, ledgers, comparison.surplus);
  return { ...comparison, mixed: await mixedForms(dir, ledgers) };
}

async function rememberRemoved(
  host: LocalHost & { warn(text: string): void },
  dir: string,
  ledgers: readonly LedgerData[],
  dois: readonly string[],
): Promise<void> {
  const found = new Date(host.now()).toISOString();
  try {
    await saveRemoved(dir, ledgers, { dois, found }, host.signal);
  } catch (error) {
    // The copy may be on a read-only disk.
    if (!(error instanceof CliError && error.kind === 'output')) throw error;
    host.warn(`the surplus DOIs are not saved for the table removed: ${error.message}`);
  }
}

async function requireSameReader(service: Service, dir: string, before: string | null) {
  const account = await accountOrNull(service);
  if (account === before) return;
  const [then, now] = [before, account].map((reader) => reader ?? 'an anonymous reader');
  throw usageError(
    `${dir} holds what ${then} sees, not what ${now} sees`,
    `use ${before === null ? '--anonymous' : `the credentials of ${before}`}`,
  );
}
