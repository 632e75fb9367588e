import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PAGE_SIZE } from '../api/pagination.ts';
import type { Service } from '../api/service.ts';
import { CliError } from '../errors.ts';
import { pageFetcher } from '../harvest/page/fetch-page.ts';
import type { Params } from '../harvest/walk/query-params.ts';
import { incomplete, NO_LIST } from '../harvest/walk/repeat-guard.ts';
import { RUN_AGAIN } from '../harvest/walk/walk-totals.ts';
import { WINDOW_RECORDS } from '../harvest/windows/plan-windows.ts';
import { number } from '../text/words.ts';
import { jobsFor } from './open-service.ts';

export interface Estimate {
  readonly records: number;
  readonly requests: number;
  /** At the rate limit; a slow service takes longer. */
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** On disk, estimated from the sample. */
  readonly bytes: number;
  readonly bytesPerRecord: number;
  readonly gzip: boolean;
  /** The number of records in the sample. */
  readonly sampled: number;
  /** On the disk of the directory; null without a directory, or if the system does not know. */
  readonly freeBytes: number | null;
}

export interface EstimateOptions {
  readonly params: Params;
  readonly dir?: string;
  readonly pageSize: number;
  readonly jobs?: number | undefined;
  readonly gzip?: boolean | undefined;
}

// Smallest window that is cut for an idle job.
const LEAST_WINDOW_PAGES = 2;
// On average, the last page of each further window is half full.
const REQUESTS_PER_WINDOW = 0.5;
// The count at the end.
const COUNT_REQUESTS = 1;
const SAMPLE_RECORDS = 200;

/** Estimates a harvest from its count and one page of random records. */
export async function estimateOf(
  service: Service,
  options: EstimateOptions,
  records: number,
): Promise<Estimate> {
  const { sampled, bytesPerRecord } = await sample(service, options, records);
  const perSecond = service.rateLimiter?.current ?? Number.POSITIVE_INFINITY;
  const requests = requestsFor(records, options.pageSize, options.jobs ?? jobsFor(service));
  return {
    records,
    requests,
    seconds: Math.ceil(requests / perSecond),
    requestsPerSecond: Number(perSecond.toPrecision(2)),
    bytes: Math.round(records * bytesPerRecord),
    bytesPerRecord: Math.round(bytesPerRecord),
    gzip: options.gzip === true,
    sampled,
    freeBytes: options.dir === undefined ? null : await freeAt(options.dir),
  };
}

/** A random sample: the first pages have the oldest records, which are smaller than most. */
async function sample(
  service: Service,
  { params, pageSize, gzip }: EstimateOptions,
  records: number,
): Promise<Pick<Estimate, 'sampled' | 'bytesPerRecord'>> {
  if (records === 0) return { sampled: 0, bytesPerRecord: 0 };
  const size = String(Math.min(SAMPLE_RECORDS, pageSize));
  const url = service.http.url('/dois', [...params, ['random', 'true'], [PAGE_SIZE, size]]);
  const page = await pageFetcher(service)(url);
  if (page.kind !== 'list') throw incomplete(NO_LIST);
  if (page.count === 0) {
    const message = `the service counts ${number(records)} DOIs, but sent no records`;
    throw new CliError('incomplete', message, { hint: RUN_AGAIN });
  }
  const text = Buffer.concat([...page.lines(() => true)]);
  const bytes = gzip ? gzipSync(text).length : text.length;
  return { sampled: page.count, bytesPerRecord: bytes / page.count };
}

function requestsFor(records: number, pageSize: number, jobs: number): number {
  const pages = Math.max(1, Math.ceil(records / pageSize));
  const forJobs = Math.min(jobs, Math.floor(pages / LEAST_WINDOW_PAGES));
  const windows = Math.max(1, forJobs, Math.ceil(records / WINDOW_RECORDS));
  return pages + Math.ceil((windows - 1) * REQUESTS_PER_WINDOW) + COUNT_REQUESTS;
}

async function freeAt(dir: string): Promise<number | null> {
  for (let at = resolve(dir); ; at = dirname(at)) {
    const disk = await statfs(at).catch(() => undefined);
    if (disk !== undefined) return disk.bavail * disk.bsize;
    if (at === dirname(at)) return null;
  }
}
