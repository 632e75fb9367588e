import { existsSync } from 'node:fs';
import {
  accountOrNull,
  ledgersToVerify,
  missingIn,
  queryIn,
  updateCopy,
  verifyCopy,
} from '../core/copy.ts';
import { type DatedOptions, withDates } from '../core/dates.ts';
import { MAX_PAGE_SIZE, OVERLAP_MS } from '../core/defaults.ts';
import { type DoiQuery, type Filters, harvestParams, requireReadable } from '../core/filters.ts';
import { requireWhole, writeTables } from '../core/tables.ts';
import { checkFolder } from '../disk/folders.ts';
import { CliError } from '../errors.ts';
import type { HarvestQuery } from '../harvest/store/ledger-data.ts';
import type { HarvestReceipts } from '../harvest/store/receipt.ts';
import { datedFilters, requireNumbers, requirePath } from './arguments.ts';
import { type CallOptions, type Client, read, toPropertyNames } from './client.ts';

/** Options of the calls that work on a copy. */
export interface CopyCallOptions extends CallOptions {
  /** The directory of the copy; {@link harvest} creates it if missing. */
  readonly directory: string;
  /** The most requests at once; by default as many as the rate limit calls for. */
  readonly jobs?: number | undefined;
  /** Called with the number of records so far, and their expected total. */
  readonly onProgress?: ((records: number, total: number) => void) | undefined;
  /** Called with a sentence about what the call does besides, such as fetching files again. */
  readonly onNote?: ((text: string) => void) | undefined;
}

/** How to make a copy or bring it up to date. */
export interface HarvestOptions extends CopyCallOptions {
  /**
   * The query of a new copy; for an existing copy, the same query or none. Ages such as `7d..`
   * count from the first call.
   */
  readonly query?: DoiQuery | undefined;
  /** Whether to compress the files of a new copy. */
  readonly gzip?: boolean | undefined;
  /** Records per request, from 1 to 1000; 1000 by default. */
  readonly pageSize?: number | undefined;
  /** How far an update looks back before the last start, in milliseconds; an hour by default. */
  readonly overlapMs?: number | undefined;
  /** Whether to remove a copy that exists, and start over. */
  readonly fresh?: boolean | undefined;
  /** Whether to read all files of the copy back first, and fetch damaged ones again. */
  readonly check?: boolean | undefined;
}

/**
 * Copies the records of a query to disk, continues a copy, or updates it with new and changed
 * records. It resolves only when the copy is complete. Whatever stops it, the same call continues.
 * @returns the receipts of this run and of earlier ones, which describe each generation of the
 *   copy.
 * @throws {DoiCliError} kind `usage` for wrong input, and for a directory with a copy of another
 *   query or with other files; `incomplete` with the reasons when records are missing; `output`
 *   when a file cannot be written.
 */
export async function harvest(client: Client, options: HarvestOptions): Promise<HarvestReceipts> {
  const { directory: dir, signal, fresh = false, check = false, gzip, jobs } = options;
  const { pageSize = MAX_PAGE_SIZE, overlapMs = OVERLAP_MS } = options;
  requirePath('directory', dir);
  requireNumbers({ jobs, pageSize, overlapMs });
  const query = options.query && datedFilters(options.query);
  return read(client, signal, async (service, stop) => {
    await checkFolder(dir);
    const host = { service, ...localHost(options, stop) };
    const before = await queryIn(dir, fresh);
    const asked = askedQuery(query, before, host.warn);
    requireReadable(service.credentials, asked.filters);
    const copy = {
      dir,
      params: asked.params,
      account: await accountOrNull(service),
      relative: asked.relative,
      ...{ pageSize, jobs, gzip, fresh, check, overlapMs },
      shard: null,
    };
    const receipts = await updateCopy(host, copy);
    const missing = missingIn(receipts);
    if (missing.length === 0) return receipts;
    throw new CliError('incomplete', `the copy is incomplete: ${missing.join('; ')}`, {
      hint: 'the same call again tries what is missing',
    });
  });
}

/**
 * The filters of a call and their parameters; without a query, the parameters of the directory.
 * @throws {CliError} kind `usage` for filters that exclude each other, or a harvest.
 */
function askedQuery(
  query: DatedOptions<Filters> | undefined,
  before: HarvestQuery | undefined,
  warn: (text: string) => void,
) {
  if (query === undefined && before !== undefined) return { ...before, filters: {} };
  const clock = { now: Date.now(), warn, naming: 'property', fixed: before?.relative } as const;
  const { options: filters, fixed } = withDates(query ?? {}, clock);
  const relative = fixed.length === 0 ? undefined : fixed;
  return { filters, params: harvestParams(filters, 'query.query'), relative };
}

function localHost(
  { onProgress, onNote }: Pick<CopyCallOptions, 'onProgress' | 'onNote'>,
  signal: AbortSignal,
) {
  const note = (text: string) => onNote?.(text);
  const progress = (records: number, total: number) => onProgress?.(records, total);
  return { signal, now: Date.now, note, warn: note, progress };
}

/** The differences between a copy and the service. Both lists are empty if there are none. */
export interface CopyDifferences {
  /** DOIs at the service that the copy lacks, sorted. Another {@link harvest} fetches them. */
  readonly missing: readonly string[];
  /** DOIs of the copy that are no longer part of its query: hidden, deleted or changed; sorted. */
  readonly surplus: readonly string[];
  /** The number of DOIs in the copy, and at the service. */
  readonly here: number;
  readonly atService: number;
  /** Why the records of the copy have two forms, if they do: only a fresh copy corrects that. */
  readonly mixed: string | undefined;
}

/**
 * Compares the DOIs of a copy with those of the service. Surplus DOIs are saved next to the copy
 * for the table `removed` of {@link exportTables}.
 * @throws {DoiCliError} kind `usage` without a copy, or for a copy of another service or account;
 *   `incomplete` for damaged files, or when the lists of the service do not add up.
 */
export async function verify(client: Client, options: CopyCallOptions): Promise<CopyDifferences> {
  const { directory: dir, signal, jobs } = options;
  requirePath('directory', dir);
  requireNumbers({ jobs });
  return read(client, signal, async (service, stop) => {
    await checkFolder(dir);
    const ledgers = await ledgersToVerify(dir, service.http.baseUrl, stop);
    return verifyCopy({ service, ...localHost(options, stop) }, dir, ledgers, jobs);
  });
}

/** How to write a copy as tables. */
export interface ExportTablesOptions extends Omit<CopyCallOptions, 'jobs'> {
  /** The directory of the tables; it is created if missing. */
  readonly out: string;
  /** Whether to write whole records as JSON text as well; later exports keep them. */
  readonly records?: boolean | undefined;
  /** The most files of a table to write at once, in threads; 2 by default, or 1 on one core. */
  readonly jobs?: number | undefined;
}

/** The tables that a call has written, in numbers. */
export interface ExportedTables {
  /** The number of DOIs. */
  readonly dois: number;
  /** The number of files of each table. This call has `written` some of them. */
  readonly batches: number;
  readonly written: number;
  readonly removed: number;
}

/**
 * Writes the current records of a copy as tables in Parquet, or updates tables written before. It
 * sends no requests. A call that is stopped leaves earlier tables as they were, and the next one
 * continues.
 * @throws {DoiCliError} kind `usage` without a copy, and for an `out` with other files; `output`
 *   when a file cannot be written; `incomplete` for a copy that is not complete or is damaged. If
 *   the copy lacks only records that the service cannot send, the tables are written before that.
 */
export async function exportTables(options: ExportTablesOptions): Promise<ExportedTables> {
  const { directory: dir, out, jobs, records } = options;
  const { signal = new AbortController().signal } = options;
  requirePath('directory', dir);
  requirePath('out', out);
  requireNumbers({ jobs });
  const threads = existsSync(THREAD) ? THREAD : undefined;
  const how = { out, jobs, records, threads };
  signal.throwIfAborted();
  try {
    await checkFolder(dir);
    const tables = await writeTables(localHost(options, signal), dir, how);
    requireWhole(tables);
    const { dois, batches, written, removed } = tables;
    return { dois, batches, written, removed };
  } catch (error) {
    signal.throwIfAborted();
    throw toPropertyNames(error);
  }
}

/** The program of a thread. The sources, and a bundle of another program, do not have it. */
const THREAD = new URL('./export-thread.js', import.meta.url);
