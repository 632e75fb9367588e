import { writeAtomically } from '../../disk/atomic-file.ts';
import { counted, firstNames, number, plural } from '../../text/words.ts';
import type { Gap } from '../walk/gap.ts';
import { partName } from './directory.ts';
import type {
  Comparison,
  Generation,
  HarvestQuery,
  LedgerData,
  LedgerWindow,
  Shard,
} from './ledger-data.ts';

/** What to do about the problems of a generation. */
export const ONLY_FRESH = 'the same command with --fresh fetches all records again, in one form';

/**
 * The contents of a generation, and whether it is complete. Times are ISO 8601 in UTC; null is not
 * known (yet).
 */
export interface Receipt {
  readonly verdict: 'complete' | 'incomplete';
  /** Why it is incomplete; empty when it is complete. */
  readonly reasons: readonly string[];
  readonly query: HarvestQuery;
  readonly shard: Shard | null;
  readonly generation: number;
  /** All records, later changes, windows fetched again, or several generations merged. */
  readonly kind: Generation['kind'];
  /** For an update: the time from which it asked for changes. */
  readonly since: string | null;
  /** For a merged generation: it lacks changes after this time. */
  readonly asOf: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** The service's counts. */
  readonly totalAtStart: number;
  readonly totalAtEnd: number | null;
  readonly records: number;
  /** Null while a part has not been read back. */
  readonly uniqueDois: number | null;
  /** On disk. */
  readonly bytes: number;
  /** For an update and the windows fetched again after it; null before the comparison. */
  readonly comparison: Comparison | null;
  /** Requests that had to be repeated. */
  readonly retries: number;
  /** Records that the service could not send. */
  readonly gaps: readonly (Gap & { readonly window: number })[];
  readonly parts: readonly {
    /** In the folder `data`. */
    readonly name: string;
    readonly records: number;
    readonly uniqueDois: number | null;
    readonly bytes: number;
    readonly sha256: string | null;
  }[];
}

/** The receipts of all generations of a directory after a run. */
export interface HarvestReceipts {
  /** The generations that the run finished, usually one. */
  readonly worked: readonly Receipt[];
  /** The generations that earlier runs finished. */
  readonly earlier: readonly Receipt[];
}

/** The receipt of a generation in its current state. */
export function buildReceipt(ledger: LedgerData, generation: Generation): Receipt {
  const { windows } = generation;
  const written = windows.filter(({ bytes }) => bytes > 0);
  const reasons = [...gapReasons(generation), ...otherReasons(generation)];
  return {
    verdict: reasons.length === 0 ? 'complete' : 'incomplete',
    reasons,
    query: ledger.query,
    shard: ledger.shard,
    generation: generation.number,
    kind: generation.kind,
    since: generation.since ?? null,
    asOf: generation.asOf ?? null,
    startedAt: generation.startedAt,
    finishedAt: generation.finishedAt ?? null,
    totalAtStart: generation.totalAtStart,
    totalAtEnd: generation.totalAtEnd ?? null,
    records: sum(written, ({ records }) => records),
    uniqueDois: uniqueOf(written),
    bytes: sum(written, ({ bytes }) => bytes),
    comparison: generation.comparison ?? null,
    retries: generation.retries,
    gaps: windows.flatMap(({ index, gaps }) => gaps.map((gap) => ({ ...gap, window: index }))),
    parts: written.map((window) => ({
      name: partName({ generation: generation.number, window: window.index, gzip: ledger.gzip }),
      records: window.records,
      uniqueDois: window.unique ?? null,
      bytes: window.bytes,
      sha256: window.sha256 ?? null,
    })),
  };
}

/** The receipts of all generations of a copy and its shards. */
export function receiptsOf(ledgers: readonly LedgerData[]): readonly Receipt[] {
  return ledgers.flatMap((data) =>
    data.generations.map((generation) => buildReceipt(data, generation)),
  );
}

/** A receipt with a further reason why the generation is incomplete. */
export function withReason(receipt: Receipt, reason: string): Receipt {
  return { ...receipt, verdict: 'incomplete', reasons: [...receipt.reasons, reason] };
}

/** Whether a generation is complete, or lacks only records that the service cannot send. */
export function isSettled(generation: Generation): boolean {
  return otherReasons(generation).length === 0;
}

/** Whether the number of records is between the service's counts at the start and the end. */
export function addsUp(generation: Generation): boolean {
  const { windows } = generation;
  return (
    totalReasons(generation, uniqueOf(windows) ?? sum(windows, ({ records }) => records)).length ===
    0
  );
}

export async function writeReceipt(path: string, receipt: Receipt): Promise<void> {
  await writeAtomically(path, `${JSON.stringify(receipt, null, 2)}\n`);
}

function otherReasons(generation: Generation): string[] {
  const { windows, finishedAt, problems } = generation;
  const written = windows.filter(({ bytes }) => bytes > 0);
  const reasons: string[] = [];
  const open = windows.filter(({ done }) => !done).length;
  if (open > 0) reasons.push(progressOf(generation, open));
  else if (finishedAt === undefined) reasons.push('the run has not ended');

  const records = sum(written, (window) => window.records);
  const unique = uniqueOf(written);
  if (unique === null && open === 0) reasons.push('not every part file has been read back');
  if (unique !== null && unique < records) {
    const repeated = records - unique;
    reasons.push(`${number(repeated)} repeated ${plural(repeated, 'record')} in the part files`);
  }
  // Totals are compared only when every window is done.
  if (open === 0) reasons.push(...totalReasons(generation, unique ?? records));
  return [...reasons, ...new Set(windows.flatMap(({ doubt }) => doubt ?? [])), ...problems];
}

/** `42,000 of 182,000 DOIs fetched (23 %)` */
function progressOf({ windows, totalAtStart }: Generation, open: number): string {
  const fetched = sum(windows, ({ records }) => records);
  // The service may count fewer DOIs at the end than at the start.
  if (fetched >= totalAtStart)
    return `${number(open)} of ${counted(windows.length, 'window')} not yet fetched`;
  const share = Math.floor((100 * fetched) / totalAtStart);
  return `${number(fetched)} of ${counted(totalAtStart, 'DOI')} fetched (${share} %)`;
}

function gapReasons(generation: Generation): string[] {
  const gaps = generation.windows.flatMap((window) => window.gaps);
  if (gaps.length === 0) return [];
  const lost = counted(lostIn(generation), 'record');
  const names = gaps.map(
    ({ doi, after }) =>
      doi ?? (after === null ? 'the first of a window' : `the next after ${after}`),
  );
  return [`${lost} could not be fetched from the service: ${firstNames(names)}`];
}

function lostIn({ windows }: Generation): number {
  return sum(windows, ({ gaps }) => sum(gaps, ({ records }) => records ?? 1));
}

/** Records added or hidden during the run change the total: any number between them is right. */
function totalReasons(generation: Generation, unique: number): string[] {
  const { totalAtStart, totalAtEnd } = generation;
  if (totalAtEnd === undefined) return ['the service has not been asked for its count at the end'];
  const least = Math.min(totalAtStart, totalAtEnd);
  const most = Math.max(totalAtStart, totalAtEnd);
  if (unique + lostIn(generation) >= least && unique <= most) return [];
  const expected = least === most ? number(least) : `${number(least)} to ${number(most)}`;
  return [`the service counts ${expected} DOIs, and ${number(unique)} are here`];
}

function uniqueOf(windows: readonly LedgerWindow[]): number | null {
  return windows.every(({ unique, sha256 }) => unique !== undefined && sha256 !== undefined)
    ? sum(windows, ({ unique }) => unique ?? 0)
    : null;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
