import { countDois } from '../../../api/pagination.ts';
import type { Service } from '../../../api/service.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { type Estimate, type EstimateOptions, estimateOf } from '../../../core/estimate.ts';
import { isStop } from '../../../errors.ts';
import { countParams } from '../../../harvest/walk/query-params.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import { warnOfUnknown } from '../query/filters.ts';

// At the rate limit, a copy of fewer records takes less than a minute.
const MANY_RECORDS = 500_000;

/** Prints the estimate of a whole harvest. */
export async function printEstimate(
  context: Context,
  service: Service,
  options: EstimateOptions & { readonly format?: 'text' | 'json' | 'ndjson' },
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
function needs({ seconds, freeBytes, ...size }: Estimate): string {
  const free = freeBytes === null ? '' : ` (${formatBytes(freeBytes)} are free)`;
  return `takes about ${formatDuration(seconds * 1000)}, and needs ${sizeOf(size)}${free}`;
}

const sizeOf = ({ bytes, gzip }: Pick<Estimate, 'bytes' | 'gzip'>) =>
  `about ${formatBytes(bytes)}${gzip ? ' with gzip' : ''}`;

function warnOfSpace({ messages }: Context, { bytes, freeBytes }: Estimate): void {
  if (freeBytes !== null && bytes > freeBytes)
    messages.warn('the disk has less space than the harvest will need');
}

function asText(estimate: Estimate): string {
  const { records, requests, seconds, requestsPerSecond, bytesPerRecord, freeBytes } = estimate;
  const lines: [string, string][] = [
    ['DOIs', number(records)],
    ['Requests', `about ${number(requests)}`],
    ['Time', `about ${formatDuration(seconds * 1000)}, at ${requestsPerSecond} requests a second`],
    ['Size', `${sizeOf(estimate)}, ${formatBytes(bytesPerRecord)} a record`],
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
