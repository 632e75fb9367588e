import { createHash } from 'node:crypto';
import type { Gap } from '../walk/window.ts';
import {
  type Check,
  isBoolean,
  isNonNegativeInteger,
  isSha256,
  isString,
  isTime,
  isTimestamp,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
} from './shape.ts';

/** A span of creation times, and how far the walk over it has come. */
export interface WindowState {
  /** In the plan: windows of several shards have different ones. */
  readonly index: number;
  /** Milliseconds since 1970: from included, to excluded; null is open. */
  readonly from: number | null;
  readonly to: number | null;
  /** Records by the service's count when it was planned. */
  readonly count: number;
  /** Where the next page begins; null before the first one. */
  cursor: string | null;
  /** Creation time from which the walk started over behind a gap, in milliseconds. */
  restart?: number | null;
  /** Creation time of the latest record, in milliseconds. */
  latest?: number | null;
  /** What is known good of the part file: bytes on disk, and records in them. */
  bytes: number;
  records: number;
  /** Nothing is left to be fetched. */
  done: boolean;
  /** Of the part file, read back when it was done. */
  sha256?: string;
  /** Different DOIs in it. */
  unique?: number;
  gaps: Gap[];
  /** Why it may not hold what it should, although nothing is left to be fetched: the next run fetches it again. */
  doubt?: string;
}

/** One pass over the query: everything, what was created or updated since, or earlier generations made into one. */
export interface Generation {
  /** Counted from 1. */
  readonly number: number;
  readonly kind: 'full' | 'update' | 'compact';
  readonly startedAt: string;
  finishedAt?: string;
  /** For an update: changes from this time on were asked for. */
  readonly since?: string;
  /** For a compact one: when the latest of those that it was made of was begun. Later changes are not in it. */
  readonly asOf?: string;
  /** The service's count of all that the windows below are to hold. */
  readonly totalAtStart: number;
  totalAtEnd?: number;
  /** Requests that had to be repeated. */
  retries: number;
  /** What else speaks against completeness; each one makes the verdict "incomplete". */
  problems: string[];
  windows: WindowState[];
}

export interface HarvestQuery {
  readonly baseUrl: string;
  /** Query parameters, filters only, as they are sent with each page. */
  readonly params: readonly (readonly [name: string, value: string])[];
  /** Who asks; null without credentials. */
  readonly account: string | null;
}

export interface Shard {
  /** Counted from 1. */
  readonly index: number;
  readonly of: number;
}

/** All that a harvest has to know of itself to go on. */
export interface LedgerData {
  readonly version: 1;
  /** See {@link fingerprintOf}. */
  readonly fingerprint: string;
  readonly query: HarvestQuery;
  readonly shard: Shard | null;
  readonly gzip: boolean;
  generations: Generation[];
}

/**
 * Tells queries apart: the same for the same base URL, account and parameters in whatever order.
 */
export function fingerprintOf({ baseUrl, params, account }: HarvestQuery): string {
  const sorted = params.map(([name, value]) => JSON.stringify([name, value])).sort();
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, account, sorted]))
    .digest('hex');
}

const pair: Check = (value, at) =>
  Array.isArray(value) && value.length === 2
    ? listOf(isString)(value, at)
    : `${at} is not a name and a value`;

const gap = object<Gap>({
  after: nullable(isString),
  cursor: isString,
  from: optional(isTime),
  doi: optional(isString),
  records: optional(isNonNegativeInteger),
  reason: isString,
});

const windowState = object<WindowState>({
  index: isNonNegativeInteger,
  from: nullable(isTime),
  to: nullable(isTime),
  count: isNonNegativeInteger,
  cursor: nullable(isString),
  restart: optional(nullable(isTime)),
  latest: optional(nullable(isTime)),
  bytes: isNonNegativeInteger,
  records: isNonNegativeInteger,
  done: isBoolean,
  sha256: optional(isSha256),
  unique: optional(isNonNegativeInteger),
  gaps: listOf(gap),
  doubt: optional(isString),
});

const generation = object<Generation>({
  number: isNonNegativeInteger,
  kind: oneOf('full', 'update', 'compact'),
  startedAt: isTimestamp,
  finishedAt: optional(isTimestamp),
  since: optional(isTimestamp),
  asOf: optional(isTimestamp),
  totalAtStart: isNonNegativeInteger,
  totalAtEnd: optional(isNonNegativeInteger),
  retries: isNonNegativeInteger,
  problems: listOf(isString),
  windows: listOf(windowState),
});

const ledger = object<LedgerData>({
  version: oneOf(1),
  fingerprint: isString,
  query: object<HarvestQuery>({ baseUrl: isString, params: listOf(pair), account: nullable(isString) }),
  shard: nullable(object<Shard>({ index: isNonNegativeInteger, of: isNonNegativeInteger })),
  gzip: isBoolean,
  generations: listOf(generation),
});

/** What keeps a parsed JSON document from being a ledger; undefined when it is one. */
export function ledgerProblem(value: unknown): string | undefined {
  return ledger(value, 'ledger') ?? ambiguity(value as LedgerData);
}

/** Two windows with one part file would overwrite each other. */
function ambiguity({ generations }: LedgerData): string | undefined {
  const seen = new Set<string>();
  for (const { number, windows } of generations) {
    if (seen.has(`${number}`)) return `generation ${number} is there twice`;
    seen.add(`${number}`);
    for (const { index } of windows) {
      if (seen.has(`${number}.${index}`)) return `window ${index} of generation ${number} is there twice`;
      seen.add(`${number}.${index}`);
    }
  }
  return undefined;
}
