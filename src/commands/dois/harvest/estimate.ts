import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { countDois, PAGE_SIZE } from '../../../api/pagination.ts';
import type { Service } from '../../../api/service.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../core/open-service.ts';
import { CliError, isStop } from '../../../errors.ts';
import { pageFetcher } from '../../../harvest/page/fetch-page.ts';
import { countParams, type Params } from '../../../harvest/walk/query-params.ts';
import { incomplete, NO_LIST } from '../../../harvest/walk/repeat-guard.ts';
import { WINDOW_RECORDS } from '../../../harvest/windows/plan-windows.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import { warnOfUnknown } from '../query/filters.ts';

interface Estimate {
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

interface EstimateOptions {
  readonly params: Params;
  readonly dir?: string;
  readonly pageSize: number;
  readonly jobs?: number | undefined;
  readonly gzip?: boolean | undefined;
  readonly format?: 'text' | 'json' | 'ndjson';
}

// Smallest window that is cut for an idle job.
const LEAST_WINDOW_PAGES = 2;
// On average, the last page of each further window is half full.
const REQUESTS_PER_WINDOW = 0.5;
// The count at the end.
const COUNT_REQUESTS = 1;
const SAMPLE_RECORDS = 200;
// At the rate limit, a copy of fewer records takes less than a minute.
const MANY_RECORDS = 500_000;

/** Prints the estimate of a whole harvest. */
export async function printEstimate(
  context: Context,
  service: Service,
  options: EstimateOptions,
): Promise<void> {
  const records = await countDois(service, countParams(options.params));
  const estimate = await estimateOf(service, options, records);
  const { format = 'text' } = options;
  await context.out.write(format === 'text' ? asText(estimate) : `${JSON.stringify(estimate)}\n`);
  if (records === 0) await warnOfUnknown(context, service, options.params);
  warnOfSpace(context, estimate);
}

/**
 * Says on a terminal how much a new copy without filters takes, and asks about a large one. A
 * failed sample is ignored unless we must ask.
 */
export async function confirmSize(
  context: Context,
  service: Service,
  { yes, ...options }: EstimateOptions & { readonly yes?: boolean | undefined },
): Promise<void> {
  const records = await countDois(service, countParams(options.params));
  const asks = context.interactive && !yes && records >= MANY_RECORDS;
  const estimate = await estimateOf(service, options, records).catch((error: unknown) => {
    if (asks || isStop(error)) throw error;
    return undefined;
  });
  if (estimate !== undefined) warnOfSpace(context, estimate);
  const what = `there are no filters: this copies ${counted(records, 'DOI')}`;
  const text = estimate === undefined ? what : `${what}, ${needs(estimate)}`;
  context.messages.note(text);
  if (!asks) return;
  const declined = 'nothing was copied; filters such as --mine or --prefix make a copy smaller';
  const confirmed = confirmation(context, { yes, reason: 'a copy of all DOIs', declined });
  await confirmed(`Copy all ${counted(records, 'DOI')}?`);
}

/** `takes about 20 h, and needs about 700 GB (2 TB are free)` */
function needs({ seconds, bytes, gzip, freeBytes }: Estimate): string {
  const free = freeBytes === null ? '' : ` (${formatBytes(freeBytes)} are free)`;
  const size = `about ${formatBytes(bytes)}${gzip ? ' with gzip' : ''}`;
  return `takes about ${formatDuration(seconds * 1000)}, and needs ${size}${free}`;
}

/** Estimates a harvest from its count and one page of random records. */
async function estimateOf(
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

function warnOfSpace({ messages }: Context, { bytes, freeBytes }: Estimate): void {
  if (freeBytes !== null && bytes > freeBytes)
    messages.warn('the disk has less space than the harvest will need');
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
    throw new CliError(
      'incomplete',
      `the service counts ${number(records)} DOIs, but sent no records`,
      {
        hint: 'run it again',
      },
    );
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

function asText(estimate: Estimate): string {
  const { records, requests, seconds, requestsPerSecond, bytes, bytesPerRecord, gzip, freeBytes } =
    estimate;
  const total = `about ${formatBytes(bytes)}${gzip ? ' with gzip' : ''}`;
  const lines: [string, string][] = [
    ['DOIs', number(records)],
    ['Requests', `about ${number(requests)}`],
    ['Time', `about ${formatDuration(seconds * 1000)}, at ${requestsPerSecond} requests a second`],
    ['Size', `${total}, ${formatBytes(bytesPerRecord)} a record`],
  ];
  if (freeBytes !== null) lines.push(['Free', formatBytes(freeBytes)]);
  return lines.map(([name, value]) => `${name.padEnd(10)}${value}\n`).join('');
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes in the largest sensible unit of 1,000: `512 bytes`, `5.1 kB`, `612 MB`. */
function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  const shown = value < 10 && power > 0 ? value.toFixed(1) : number(Math.round(value));
  return `${shown} ${UNITS[power]}`;
}
