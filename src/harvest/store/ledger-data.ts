import { createHash } from 'node:crypto';
import type { Span } from '../walk/creation-time.ts';
import type { Params } from '../walk/query-params.ts';
import type { Gap } from '../walk/walk-step.ts';

/** A window: a span of creation times, and the progress of the walk over it. */
export interface LedgerWindow extends Span {
  /** Its number in the plan, unique across shards. */
  readonly index: number;
  /** It moves when the later part of the window becomes another window. */
  to: number | null;
  /** The highest number of its records that the service has named since the window was cut. */
  count: number;
  /** No answer has named the count since the window was cut. */
  estimated?: boolean;
  /** Where the next page begins; null before the first one. */
  cursor: string | null;
  /** Creation time from which the walk restarted, in milliseconds. */
  restart?: number | null;
  latest?: number | null;
  /** How much of the part file is known good: bytes on disk, and records in them. */
  bytes: number;
  records: number;
  done: boolean;
  /** Of the part file, read back when the window was done. */
  sha256?: string;
  /** Different DOIs in it. */
  unique?: number;
  gaps: Gap[];
  /** Why a window that is done may be wrong; the next run fetches it again. */
  doubt?: string;
  /**
   * Of a full or compact generation: how many DOIs more the copy held in it than the service, when
   * last compared.
   */
  surplus?: number;
}

/** How many DOIs a copy holds, and how many the service counts, at the end of an update. */
export interface Comparison {
  readonly here: number;
  readonly atService: number;
  /** Windows that lacked DOIs and were fetched again after it. */
  readonly reopened: number;
  /**
   * DOIs that the copy lacks because they changed during the run: the next update asks for them.
   */
  readonly changed: number;
}

/**
 * One pass over the query: all records, changes since, windows that lacked records after that, or
 * generations merged.
 */
export interface Generation {
  /** Counted from 1. */
  readonly number: number;
  readonly kind: 'full' | 'datafile' | 'update' | 'reopened' | 'compact';
  readonly startedAt: string;
  finishedAt?: string;
  /** For an update: it asks for changes from this time on. */
  readonly since?: string;
  /**
   * For one of another kind than these: the copy lacks changes after this time, as when the latest
   * update was started.
   */
  readonly asOf?: string;
  readonly totalAtStart: number;
  totalAtEnd?: number;
  retries: number;
  problems: string[];
  comparison?: Comparison;
  /**
   * Of a data file that is being taken: the same for the same one, and how many of its files the
   * windows have.
   */
  datafile?: { readonly id: string; files: number };
  /** The service does not understand windows: it is not cut again. */
  isUncut?: boolean;
  windows: LedgerWindow[];
}

export interface HarvestQuery {
  readonly baseUrl: string;
  /** The filters, as each request sends them. */
  readonly params: Params;
  /** The account whose credentials are used; null without credentials. */
  readonly account: string | null;
  /**
   * What relative dates among the filters meant at the first run: the option, its words, and a
   * time.
   */
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
 * The differences between the query of a directory and another: `prefix: 10.5072 there, 10.5438
 * here`; empty for none.
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
