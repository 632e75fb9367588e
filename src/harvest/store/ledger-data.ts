import { createHash } from 'node:crypto';
import type { Span } from '../walk/creation-time.ts';
import type { Gap } from '../walk/gap.ts';
import type { Params } from '../walk/query-params.ts';
import {
  type Check,
  isBoolean,
  isCount,
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

/** A window: a span of creation times, and the progress of the walk over it. */
export interface WindowState extends Span {
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
  /** Creation time of the latest record, in milliseconds. */
  latest?: number | null;
  /** How much of the part file is known good: bytes on disk, and records in them. */
  bytes: number;
  records: number;
  /** Nothing is left to fetch. */
  done: boolean;
  /** Of the part file, read back when the window was done. */
  sha256?: string;
  /** Different DOIs in it. */
  unique?: number;
  gaps: Gap[];
  /** Why a window that is done may be wrong; the next run fetches it again. */
  doubt?: string;
}

/** One pass over the query: all records, those created or updated since, or earlier generations merged. */
export interface Generation {
  /** Counted from 1. */
  readonly number: number;
  readonly kind: 'full' | 'update' | 'compact';
  readonly startedAt: string;
  finishedAt?: string;
  /** For an update: it asks for changes from this time on. */
  readonly since?: string;
  /** For a compact generation: when the latest generation in it was started. It lacks later changes. */
  readonly asOf?: string;
  /** The service's count of the records of all windows. */
  readonly totalAtStart: number;
  totalAtEnd?: number;
  /** Requests that had to be repeated. */
  retries: number;
  /** Further reasons why it is incomplete. */
  problems: string[];
  /**
   * `unproven` while nothing shows that the service understands the windows that all time was cut into, and
   * `none` when it does not.
   */
  cuts?: 'unproven' | 'none';
  windows: WindowState[];
}

export interface HarvestQuery {
  readonly baseUrl: string;
  /** The filters, as each request sends them. */
  readonly params: Params;
  /** The account whose credentials are used; null without credentials. */
  readonly account: string | null;
  /** What relative dates among the filters meant at the first run: the option, its words, and a time. */
  readonly relative?: readonly (readonly [option: string, words: string, time: string])[];
}

export interface Shard {
  /** Counted from 1. */
  readonly index: number;
  readonly of: number;
}

/** Everything that a harvest needs to continue. */
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

const texts =
  (count: number, what: string): Check =>
  (value, at) =>
    Array.isArray(value) && value.length === count ? listOf(isString)(value, at) : `${at} is not ${what}`;
const pair = texts(2, 'a name and a value');
const fixedDate = texts(3, 'an option, its words and a time');

const gap = object<Gap>({
  after: nullable(isString),
  cursor: isString,
  from: optional(isTime),
  doi: optional(isString),
  records: optional(isCount),
  reason: isString,
});

const windowState = object<WindowState>({
  index: isCount,
  from: nullable(isTime),
  to: nullable(isTime),
  count: isCount,
  estimated: optional(isBoolean),
  cursor: nullable(isString),
  restart: optional(nullable(isTime)),
  latest: optional(nullable(isTime)),
  bytes: isCount,
  records: isCount,
  done: isBoolean,
  sha256: optional(isSha256),
  unique: optional(isCount),
  gaps: listOf(gap),
  doubt: optional(isString),
});

const generation = object<Generation>({
  number: isCount,
  kind: oneOf('full', 'update', 'compact'),
  startedAt: isTimestamp,
  finishedAt: optional(isTimestamp),
  since: optional(isTimestamp),
  asOf: optional(isTimestamp),
  totalAtStart: isCount,
  totalAtEnd: optional(isCount),
  retries: isCount,
  problems: listOf(isString),
  cuts: optional(oneOf('unproven', 'none')),
  windows: listOf(windowState),
});

const ledger = object<LedgerData>({
  version: oneOf(1),
  fingerprint: isString,
  query: object<HarvestQuery>({
    baseUrl: isString,
    params: listOf(pair),
    account: nullable(isString),
    relative: optional(listOf(fixedDate)),
  }),
  shard: nullable(object<Shard>({ index: isCount, of: isCount })),
  gzip: isBoolean,
  generations: listOf(generation),
});

/** Why a parsed JSON document is not a ledger; undefined when it is one. */
export function ledgerProblem(value: unknown): string | undefined {
  return ledger(value, 'ledger') ?? ambiguity(value as LedgerData);
}

/** Finds two windows with the same part file: they would overwrite each other. */
function ambiguity({ generations }: LedgerData): string | undefined {
  const names = generations.flatMap(({ number, windows }) => {
    const generation = `generation ${number}`;
    return [generation, ...windows.map(({ index }) => `window ${index} of ${generation}`)];
  });
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return `${name} is there twice`;
    seen.add(name);
  }
  return undefined;
}
