import type { Attributes } from '../metadata/schema/types.ts';

/**
 * The attributes of a record from the service: the ones of a request, others that the service
 * adds, and some without a type here. With `fields` in the query, only those are present.
 * The types describe valid records of Schema 4.7; Drafts and older records need not be valid.
 */
export interface DoiAttributes extends Attributes {
  readonly state?: 'draft' | 'registered' | 'findable' | undefined;
  /** Times are ISO 8601, UTC. */
  readonly created?: string | undefined;
  readonly updated?: string | undefined;
  /** Null for a Draft. */
  readonly registered?: string | null | undefined;
  readonly isActive?: boolean | undefined;
  // These three come with the filter `detail`.
  readonly viewsOverTime?:
    | readonly { readonly yearMonth: string; readonly total: number }[]
    | undefined;
  readonly downloadsOverTime?:
    | readonly { readonly yearMonth: string; readonly total: number }[]
    | undefined;
  readonly citationsOverTime?:
    | readonly { readonly year: string; readonly total: number }[]
    | undefined;
  readonly [name: string]: unknown;
}

interface Related {
  readonly data?: { readonly id: string; readonly type: string } | null;
}

/** One DOI record: the resource object of the service. */
export interface DoiRecord {
  /** The DOI, in lower case. */
  readonly id: string;
  readonly type: string;
  readonly attributes: DoiAttributes;
  readonly relationships?: {
    /** The repository account. */
    readonly client?: Related;
    /** The filter `detail` adds this one and others. */
    readonly provider?: Related;
    readonly [name: string]: unknown;
  };
}
