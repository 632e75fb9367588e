import { createHash } from 'node:crypto';
import type { Span } from '../walk/creation-time.ts';
import type { Gap } from '../walk/gap.ts';
import type { Params } from '../walk/query-params.ts';

/** A window: a span of creation times, and the progress of the walk over it. */
export interface LedgerWindow extends Span {
  /** Its number in the plan, unique across shards. */
  readonly index: number;
  /** Moves when the later part becomes another window. */
  to: number | null;
  /** The service's highest count of its records since the window was cut, or an estimate. */
  count: number;
  /** The service has not counted it since the window was cut. */
  estimated?: boolean;
  /** Where the next page begins; null before the first one. */
  cursor: string | null;
  /** Creation time from which the walk restarted, in milliseconds. */
  restart?: number | null;
  latest?: number | null;
  /** The known-good bytes of the part file, and the number of records in them. */
  bytes: number;
  records: number;
  done: boolean;
  /** The hash of the part file, which was read back when the window was done. */
  sha256?: string;
  /** The number of different DOIs in it. */
  unique?: number;
  gaps: Gap[];
  /** Why a window that is done may be wrong; the next run fetches it again. */
  doubt?: string;
  /**
   * For the first generation: how many more DOIs the copy had in it than the service when they were
   * last compared.
   */
  surplus?: number;
}

/** The DOIs of a copy and the service's count at the end of an update. */
export interface Comparison {
  readonly here: number;
  readonly atService: number;
  /** The windows that lacked DOIs and were fetched again. */
  readonly reopened: number;
  /** The DOIs that changed during the run: the copy lacks them until the next update. */
  readonly changed: number;
}

/**
 * One pass over the query: all records, later changes, windows that lacked records, or merged
 * generations.
 */
export interface Generation {
  /** Counted from 1. */
  readonly number: number;
  readonly kind: 'full' | 'update' | 'reopened' | 'compact';
  readonly startedAt: string;
  finishedAt?: string;
  /** For an update: the start of the time from which it asks for changes. */
  readonly since?: string;
  /**
   * For a generation that is neither full nor an update: the copy lacks changes after this time,
   * when the latest update was started.
   */
  readonly asOf?: string;
  readonly totalAtStart: number;
  totalAtEnd?: number;
  retries: number;
  /** Why the next run cannot complete it, unless it starts over. */
  problems: string[];
  comparison?: Comparison;
  /** The service does not understand windows: no more cuts. */
  isUncut?: boolean;
  windows: LedgerWindow[];
}

export interface HarvestQuery {
  readonly baseUrl: string;
  /** The filters, as each request sends them. */
  readonly params: Params;
  /** The account whose credentials are used; null without credentials. */
  readonly account: string | null;
  /** The meaning of relative dates in the filters at the first run. */
  readonly relative?: readonly (readonly [option: string, words: string, time: string])[];
}

export interface Shard {
  /** Counted from 1. */
  readonly index: number;
  readonly of: number;
}

export interface LedgerData {
  readonly version: 1;
  readonly fingerprint: string;
  readonly query: HarvestQuery;
  readonly shard: Shard | null;
  readonly gzip: boolean;
  generations: Generation[];
}

/** Identifies a query: the same for the same base URL, account and parameters in any order. */
export function fingerprintOf({ baseUrl, params, account }: HarvestQuery): string {
  const sorted = params.map(([name, value]) => JSON.stringify([name, value])).sort();
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, account, sorted]))
    .digest('hex');
}

/**
 * The differences between two queries, such as `prefix: 10.5072 there, 10.5438 here`; empty if they
 * are the same.
 */
export function differenceOf(there: HarvestQuery, here: HarvestQuery): string {
  const values = ({ baseUrl, account, params }: HarvestQuery) =>
    new Map([['base URL', baseUrl], ...params, ['account', account ?? 'none']]);
  const [were, are] = [values(there), values(here)];
  return [...new Set([...were.keys(), ...are.keys()])]
    .filter((name) => were.get(name) !== are.get(name))
    .map((name) => `${name}: ${were.get(name) ?? 'none'} there, ${are.get(name) ?? 'none'} here`)
    .join('; ');
}
