/** The service's resources as they come over the wire (specification, section 2). */

/** An API key of a repository account (specification, section 2.1). */
export interface ApiKey {
  readonly id: string;
  readonly type: 'apiKeys';
  readonly attributes: {
    readonly name: string;
    /** The first 11 characters of the key. */
    readonly keyPrefix: string;
    /** ISO 8601 UTC. */
    readonly created: string;
    readonly updated: string;
    /** Null if never used; updated at most once in 15 minutes (observed). */
    readonly lastUsedAt: string | null;
    /** Null while the key is active. */
    readonly revokedAt: string | null;
    /** The whole key: only in the answer to its creation. */
    readonly key?: string;
  };
  readonly relationships?: {
    readonly client?: { readonly data?: { readonly id: string; readonly type: string } };
  };
}

/** A DOI record, with the members that tables read. */
export interface DoiRecord {
  readonly id: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
}
