import type { Service } from '../../api/service.ts';
import type { HarvestQuery, Shard } from '../store/ledger-data.ts';
import type { Params } from '../walk/query-params.ts';
import type { JobLimit } from '../windows/job-limit.ts';

export interface RunOptions {
  readonly dir: string;
  readonly params: Params;
  readonly account: string | null;
  readonly relative: HarvestQuery['relative'];
  readonly pageSize: number;
  readonly jobs: number;
  /** Lowers the number when answers are slow; undefined for no such limit. */
  readonly limit?: JobLimit | undefined;
  /** Undefined keeps the setting of the directory. */
  readonly gzip: boolean | undefined;
  readonly fresh: boolean;
  /** Reads all files back before the run, and fetches damaged ones again. */
  readonly check: boolean;
  readonly overlapMs: number;
  /** The part of the plan that this run fetches; null for all of it. */
  readonly shard: Shard | null;
}

export interface LocalHost {
  readonly signal: AbortSignal;
  now(): number;
  note(text: string): void;
  /** Called with the number of records so far, and the expected number of the generation. */
  progress(records: number, total: number): void;
}

export interface HarvestHost extends LocalHost {
  readonly service: Service;
}
