import { checkFolder } from '../disk/folders.ts';
import { CliError, usageError } from '../errors.ts';
import type { HarvestQuery } from '../harvest/store/ledger-data.ts';
import type { HarvestReceipts } from '../harvest/store/receipt.ts';
import { callback, callOptions, datedFilters, directory, flag, wholeNumber } from './arguments.ts';
import { type CallOptions, type Client, read } from './client.ts';
import { accountOrNull, keptForm, missingIn, queryIn, updateCopy } from './copy.ts';
import { type DatedOptions, withDates } from './dates.ts';
import { MAX_JOBS, MAX_PAGE_SIZE, OVERLAP_MS } from './defaults.ts';
import {
  type DoiQuery,
  type Filters,
  harvestParams,
  inFormOf,
  requireReadable,
} from './filters.ts';

/** Where a copy is, and how to bring it up to date. */
export interface HarvestOptions extends CallOptions {
  /** The directory of the copy; it is created if missing. */
  readonly directory: string;
  /**
   * Which records; for an existing copy, the same query or none. Ages such as `7d..` count from the
   * first call.
   */
  readonly query?: DoiQuery | undefined;
  /** Whether to compress the files of a new copy. */
  readonly gzip?: boolean | undefined;
  /** Records per request, from 1 to 1000; 1000 by default. */
  readonly pageSize?: number | undefined;
  /** The most requests at once; by default as many as the rate limit calls for. */
  readonly jobs?: number | undefined;
  /** How far an update looks back before the last start, in milliseconds; an hour by default. */
  readonly overlapMs?: number | undefined;
  /** Whether to remove a copy that exists, and start over. */
  readonly fresh?: boolean | undefined;
  /** Whether to read all files of the copy back first, and fetch damaged ones again. */
  readonly check?: boolean | undefined;
  /** Called with the number of records so far, and their expected total. */
  readonly onProgress?: ((records: number, total: number) => void) | undefined;
  /** Called with a sentence when a harvest deviates, as by fetching damaged files again. */
  readonly onNote?: ((text: string) => void) | undefined;
}

const HARVEST = {
  directory,
  query: datedFilters,
  gzip: flag,
  pageSize: wholeNumber(1, MAX_PAGE_SIZE),
  jobs: wholeNumber(1, MAX_JOBS),
  overlapMs: wholeNumber(0),
  fresh: flag,
  check: flag,
  onProgress: callback<NonNullable<HarvestOptions['onProgress']>>(),
  onNote: callback<NonNullable<HarvestOptions['onNote']>>(),
};

/**
 * Makes a copy of a query on disk, continues one, or updates it with new and changed records. It
 * resolves only when the copy is complete. Whatever stops it, the same call continues.
 * @returns the receipts of this run and of earlier ones, which say what each generation of the copy
 *   holds.
 * @throws {DoiCliError} kind `usage` for wrong input, and for a directory that holds another query
 *   or other files; `incomplete` with the reasons when records are missing.
 */
export async function harvest(client: Client, options: HarvestOptions): Promise<HarvestReceipts> {
  const checked = callOptions(options, HARVEST);
  const { signal, directory: dir, query, fresh = false, check = false, gzip, jobs } = checked;
  const { pageSize = MAX_PAGE_SIZE, overlapMs = OVERLAP_MS, onProgress, onNote } = checked;
  if (dir === undefined) throw usageError('directory is missing');
  return read(client, signal, async (service, stop) => {
    await checkFolder(dir);
    const before = await queryIn(dir, fresh);
    const form = await keptForm(dir, before, fresh);
    const asked = askedQuery(query, before, (text) => onNote?.(text));
    requireReadable(service.credentials, asked.filters);
    const copy = {
      dir,
      params: inFormOf(form, asked.params, asked.filters),
      account: await accountOrNull(service),
      relative: asked.relative,
      ...{ pageSize, jobs, gzip, fresh, check, overlapMs },
      shard: null,
    };
    const host = {
      service,
      signal: stop,
      now: Date.now,
      note: (text: string) => onNote?.(text),
      progress: (records: number, total: number) => onProgress?.(records, total),
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
 * The filters of a call and their parameters, or those of the directory for a call without a query.
 * @throws {CliError} kind `usage` for filters that exclude each other, or a harvest.
 */
function askedQuery(
  query: DatedOptions<Filters> | undefined,
  before: HarvestQuery | undefined,
  warn: (text: string) => void,
) {
  if (query === undefined && before !== undefined) return { ...before, filters: {} };
  const clock = { now: Date.now(), warn, naming: 'property', fixed: before?.relative } as const;
  const { options: filters, fixed } = withDates<Filters>(query ?? {}, clock);
  const relative = fixed.length === 0 ? undefined : fixed;
  return { filters, params: harvestParams(filters, 'query.query'), relative };
}
