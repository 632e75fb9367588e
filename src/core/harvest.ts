import { checkFolder } from '../disk/folders.ts';
import { CliError, usageError } from '../errors.ts';
import type { HarvestReceipts } from '../harvest/store/receipt.ts';
import { type Client, carryOut } from './client.ts';
import { accountOrNull, missingIn, queryIn, updateCopy } from './copy.ts';
import { MAX_JOBS, MAX_PAGE_SIZE, OVERLAP_MS } from './defaults.ts';
import type { CallOptions } from './dois.ts';
import { checkedFilters, paramsOf, requireBalance, requireCursor, requireReadable } from './filter-params.ts';
import type { DoiQuery, Filters } from './filters.ts';
import { checkedNumber, checkedText, signalOf } from './given.ts';

/** Where a copy is, and how to bring it up to date. */
export interface HarvestOptions extends CallOptions {
  /** The directory of the copy; it is made where there is none. */
  readonly directory: string;
  /** Which records; for a copy that exists, the same or nothing. */
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
  /** Called with the number of records so far, and the number that there will be. */
  readonly onProgress?: ((records: number, total: number) => void) | undefined;
  /** Called with a sentence where a harvest has to take another way, such as to fetch damaged files again. */
  readonly onNote?: ((text: string) => void) | undefined;
}

const OPTIONS = [
  ...['directory', 'query', 'gzip', 'pageSize', 'jobs', 'overlapMs', 'fresh', 'check'],
  ...['onProgress', 'onNote'],
];

/**
 * Makes a copy of a query on disk, continues one, or brings it up to date with what was created or updated
 * since. It resolves only when the copy is complete. Whatever stops it, the same call goes on from there.
 * @returns the receipts of this run and of earlier ones, which say what each generation of the copy holds.
 * @throws {DoiCliError} kind `usage` for wrong input, and for a directory that holds another query or other
 *   files; `incomplete` with the reasons when records are missing.
 */
export async function harvest(client: Client, options: HarvestOptions): Promise<HarvestReceipts> {
  const signal = signalOf(options, ...OPTIONS);
  const { query, fresh = false, check = false, gzip, onProgress, onNote } = options;
  // A text such as 'false' would count as true, and remove a copy.
  if (typeof fresh !== 'boolean') throw usageError('fresh is not true or false');
  const dir = checkedText('directory', options.directory, parseDirectory);
  const pageSize = checkedNumber('pageSize', options.pageSize ?? MAX_PAGE_SIZE, 1, MAX_PAGE_SIZE);
  const overlapMs = checkedNumber('overlapMs', options.overlapMs ?? OVERLAP_MS, 0, Number.MAX_SAFE_INTEGER);
  const jobs = options.jobs === undefined ? undefined : checkedNumber('jobs', options.jobs, 1, MAX_JOBS);
  const filters = query === undefined ? undefined : checkedFilters(query);
  const given = filters && paramsOfHarvest(filters);
  return carryOut(client, {
    signal,
    run: async (service, stop) => {
      if (filters !== undefined) requireReadable(service.credentials, filters);
      await checkFolder(dir);
      const before = await queryIn(dir, fresh);
      const copy = {
        dir,
        params: given ?? before?.params ?? paramsOfHarvest({}),
        account: await accountOrNull(service),
        relative: given === undefined ? before?.relative : undefined,
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
    },
  });
}

/** An empty path would mean the working directory. */
function parseDirectory(text: string): string {
  if (text === '' || text.includes('\0')) throw new Error('not a path');
  return text;
}

function paramsOfHarvest(filters: Filters) {
  const params = paramsOf(filters);
  requireCursor(params, 'a harvest');
  requireBalance(filters.query, 'query.query');
  return params;
}
