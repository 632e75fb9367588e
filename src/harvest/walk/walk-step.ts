import type { SmallerPages } from '../../api/http/http.ts';
import type { Page } from '../page/page.ts';
import type { Span } from './creation-time.ts';
import type { Gap } from './gap.ts';
import type { Params } from './query-params.ts';
import type { WalkedPage } from './repeat-guard.ts';

export interface WindowSource {
  fetch(params: Params, retries?: number): Promise<Page>;
  url(params: Params): URL;
  /** Counts the matching records; `params` without paging. */
  count(params: Params): Promise<number>;
  readonly smallerPages?: SmallerPages;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface WindowQuery {
  readonly params: Params;
  readonly span: Span;
  readonly clauses: readonly string[];
  readonly pageSize: number;
  /** Called for each page with the time of its last record, or NaN: the span must end after it. */
  onArrival?(last: number): void;
}

/** The position of a walk, from which a later run continues. */
export interface Position {
  /** Where the next page begins; null before the first one. */
  readonly cursor: string | null;
  /** The creation time in milliseconds from which the walk started over, if it did. */
  readonly restart: number | null;
  /** The creation time of the latest record in milliseconds; null if no record has one. */
  readonly latest: number | null;
}

export interface WalkState extends Pick<Position, 'cursor' | 'restart'> {
  /** The DOI of the last record. */
  readonly after: string | null;
  /** The number of records since `restart`, or since the beginning of the window. */
  readonly received: number;
}

export interface SkippedRecord {
  readonly gap: Gap;
  readonly position: Position;
}

export interface WalkedStep {
  readonly page: WalkedPage;
  readonly position: Position;
}

export type WalkStep = WalkedStep | SkippedRecord;
