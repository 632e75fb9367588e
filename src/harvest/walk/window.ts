import type { Page } from '../page/page.ts';
import type { Span } from './created-query.ts';
import type { WalkedPage } from './cursor-walk.ts';
import type { Params } from './query-params.ts';

/** The service, as the walk over a window asks it. */
export interface WindowSource {
  /** Fetches a page; `retries` where fewer attempts than usual make sense. */
  fetch(params: Params, retries?: number): Promise<Page>;
  url(params: Params): URL;
  /** How many records match; `params` without paging. */
  count(params: Params): Promise<number>;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Which records the walk is to bring. */
export interface WindowQuery {
  readonly params: Params;
  readonly span: Span;
  /** Further clauses of the query. */
  readonly clauses: readonly string[];
  readonly pageSize: number;
}

/** Where a walk stands: what a later run needs to go on. */
export interface Position {
  /** Where the next page begins; null before the first one. */
  readonly cursor: string | null;
  /** Creation time from which the walk started over behind a gap, in milliseconds. */
  readonly restart: number | null;
  /** Creation time of the latest record, in milliseconds, as far as records told. */
  readonly latest: number | null;
}

export type WindowStep =
  | { readonly page: WalkedPage; readonly position: Position }
  | { readonly gap: Gap; readonly position: Position };

/** Records that could not be had. */
export interface Gap {
  /** The last record before the gap, by its DOI; null at the beginning of the window. */
  readonly after: string | null;
  /** The cursor at which the service failed. */
  readonly cursor: string;
  /** Creation time from which the walk with that cursor began, in milliseconds, where not that of the window. */
  readonly from?: number;
  /** Which record it is, where that is known. */
  readonly doi?: string;
  /** How many they are, where that is known. */
  readonly records?: number;
  readonly reason: string;
}
