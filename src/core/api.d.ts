/**
 * The core of doi-cli for programs: DOIs, copies of them on disk, and API keys of the DataCite service. It reads
 * no environment and no settings, and prints nothing.
 *
 * @packageDocumentation
 */

/** An API key of a repository account, as the service sends it. */
export declare interface ApiKey {
  readonly id: string;
  readonly type: 'apiKeys';
  readonly attributes: {
    readonly name: string;
    /** The first 11 characters of the key. */
    readonly keyPrefix: string;
    /** ISO 8601 UTC. */
    readonly created: string;
    readonly updated: string;
    /** Null if never used; updated at most once in 15 minutes. It may be missing. */
    readonly lastUsedAt?: string | null;
    /** Null while the key is active. */
    readonly revokedAt?: string | null;
    /** The whole key: only in the answer to its creation. */
    readonly key?: string;
  };
  readonly relationships?: {
    readonly client?: {
      readonly data?: {
        readonly id: string;
        readonly type: string;
      };
    };
  };
}

/** What every function of the library takes. */
export declare interface CallOptions {
  /** Stops the call, which then throws the reason of the signal. Writes still wait for an answer under way. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A connection to the service for the functions of this library, with one rate limit for all of them.
 *
 * @example
 * const client = new Client({ credentials: { apiKey: process.env.MY_KEY } });
 */
export declare class Client {
  #private;
  /** @throws {DoiCliError} kind `usage` for an option that cannot be used. It sends nothing. */
  constructor(options?: ClientOptions);
  /** The address of the service. */
  get baseUrl(): string;
  /** Stops everything that the client still does, and closes its connections. */
  close(): Promise<void>;
}

/** The password of a repository account, or an API key of one, which cannot manage keys. */
export declare type ClientCredentials =
  | {
      readonly repository: string;
      readonly password: string;
    }
  | {
      readonly apiKey: string;
      /** The account that the key belongs to; without it, the service says whose it is. */
      readonly repository?: string | undefined;
    };

/** How to reach the service. Nothing else is looked at: no environment variable, no settings, no keychain. */
export declare interface ClientOptions {
  /** `https://api.datacite.org` by default; `https://api.test.datacite.org` is the test system. */
  readonly baseUrl?: string | undefined;
  /** Without credentials, Findable DOIs can be read. */
  readonly credentials?: ClientCredentials | undefined;
  /** An e-mail address for the service. Without credentials it doubles the rate limit. */
  readonly mailto?: string | undefined;
  /** The name and the version of your program, such as `my-tool/1.0`. */
  readonly userAgent?: string | undefined;
  /** The URL of an HTTP proxy for https; none by default, not even that of the environment. */
  readonly proxy?: string | undefined;
  /** The longest wait for an answer or for more of it, in milliseconds; two minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first, for requests that can be repeated without harm; 8 by default. */
  readonly retries?: number | undefined;
  /**
   * The most requests in any span of time; they are evenly spaced. By default it is the limit of the service, and
   * they are spaced once half of it is used, the service throttles, or several are sent at a time for a list or copy.
   */
  readonly rate?: Rate | undefined;
  /** Where a proxy removes the headers that name the account: asks once whether the credentials are accepted. */
  readonly probeCredentials?: boolean | undefined;
}

/**
 * How many DOIs a query matches, by the service's count.
 * @throws {DoiCliError} kind `rejected` with the words of the service if it refuses the query.
 */
export declare function countDois(client: Client, query?: DoiQuery, options?: CallOptions): Promise<number>;

/**
 * Creates a DOI. The request is never repeated once it may have taken effect.
 * @param attributes as the service takes them, with `doi`, or with `prefix` for a suffix that it chooses, and
 *   `event: 'publish'` or `'register'` for another state than Draft.
 * @throws {DoiCliError} kind `rejected` with the `problems` that the service names, and when it leaves the
 *   record in another state than asked for; `unavailable` if the record may exist nevertheless.
 */
export declare function createDoi(
  client: Client,
  attributes: Readonly<Record<string, unknown>>,
  options?: CallOptions,
): Promise<DoiRecord>;

/**
 * Creates an API key. Its `attributes.key` is shown this one time. A signal does not cut off the answer, and
 * the request is never repeated once it may have taken effect.
 * @param name what the key is for, up to 191 characters. Names need not be unique.
 * @throws {DoiCliError} kind `credentials` without the password of a repository account; any other says
 *   whether a key may exist that nobody has seen.
 */
export declare function createKey(client: Client, name: string, options?: CallOptions): Promise<NewApiKey>;

/**
 * Deletes a Draft; the service deletes no others.
 * @throws {DoiCliError} kind `rejected` for a DOI that is not a Draft.
 */
export declare function deleteDoi(client: Client, doi: string, options?: CallOptions): Promise<void>;

/** An error with a message for people, a kind for programs, and a hint where one helps. */
export declare class DoiCliError extends Error {
  readonly kind: ErrorKind;
  /** What to do next, usually a command of doi-cli. */
  readonly hint: string | undefined;
  /** The HTTP status of the answer that caused it. */
  readonly status: number | undefined;
  /** What the service listed as wrong; the message contains all of them. */
  readonly problems: readonly Problem[];
  constructor(kind: ErrorKind, message: string, details?: ErrorDetails);
}

/**
 * Which DOI records: those that match all of these filters; without any, all that the credentials may read.
 * A filter takes several values with commas between them, and a record matches one of them.
 */
export declare interface DoiQuery {
  /** Providers, such as `caltech`. With {@link clientId}, the service lists the records of either. */
  readonly providerId?: string | undefined;
  /** Repository accounts, such as `caltech.library`. */
  readonly clientId?: string | undefined;
  /** DOI prefixes, such as `10.5072`. */
  readonly prefix?: string | undefined;
  /** `findable`, `registered` or `draft`. Without it, credentials also read Draft and Registered records. */
  readonly state?: string | undefined;
  /** A query in Lucene syntax, such as `titles.title:lake AND updated:[2024-05-01 TO *]`. */
  readonly query?: string | undefined;
  /** Years of creation, such as `2019`, or `2017,2019` for the three years from 2017. */
  readonly created?: string | undefined;
  /** Years of registration, in the same form. */
  readonly registered?: string | undefined;
  /** Resource types, such as `dataset`. */
  readonly resourceTypeId?: string | undefined;
  /** Other filters of the service by their names, such as `{ 'has-citations': '1' }`. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
  /** The only attributes that the records have, such as `['titles', 'url']`; all by default. */
  readonly fields?: readonly string[] | undefined;
  /** More attributes, such as the numbers of views and citations. */
  readonly detail?: boolean | undefined;
  /** Affiliations as objects with identifiers, not as names. */
  readonly affiliation?: boolean | undefined;
}

/** One DOI record: the resource object of the service. */
export declare interface DoiRecord {
  /** The DOI, in lower case. */
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
}

/** What an error has besides its kind and message. */
declare interface ErrorDetails {
  /** The next command to type, or what to change. */
  readonly hint?: string | undefined;
  /** The HTTP status that caused it. */
  readonly status?: number | undefined;
  /** What the service listed as wrong, one problem each; the message contains all of them. */
  readonly problems?: readonly Problem[] | undefined;
  readonly cause?: unknown;
}

/** What an error means, for programs. */
export declare type ErrorKind =
  /** Wrong input; nothing was sent. */
  | 'usage'
  /** Credentials are missing, or the service does not accept them or does not let them do this. */
  | 'credentials'
  | 'not-found'
  /** The service refused the request. */
  | 'rejected'
  /** The service gives no usable answer. */
  | 'unavailable'
  /** The service asks for fewer requests. */
  | 'throttled'
  /** Records are missing, or are not those that were asked for. */
  | 'incomplete'
  /** Something cannot be written. */
  | 'output'
  /** Stopped from outside. */
  | 'interrupted'
  | 'terminated'
  | 'hung-up'
  | 'unexpected';

/** Records that could not be fetched. */
declare interface Gap {
  /** The DOI of the last record before the gap; null at the beginning of the window. */
  readonly after: string | null;
  /** The cursor at which the service failed. */
  readonly cursor: string;
  /** The creation time from which that cursor began, in milliseconds, if not that of the window. */
  readonly from?: number;
  /** The DOI of the record, if known. */
  readonly doi?: string;
  /** The number of records, if known. */
  readonly records?: number;
  readonly reason: string;
}

/**
 * The account that the service takes the credentials for, in lower case: proof that it accepts them.
 * @throws {DoiCliError} kind `credentials` when it does not, and for a client without credentials.
 */
export declare function getAccount(client: Client, options?: CallOptions): Promise<string>;

/**
 * Reads one DOI record.
 * @param doi bare, or with `doi:` or `https://doi.org/` in front.
 * @throws {DoiCliError} kind `not-found` also for a Draft or Registered DOI that the credentials may not read.
 */
export declare function getDoi(client: Client, doi: string, options?: CallOptions): Promise<DoiRecord>;

/**
 * Makes a copy of a query on disk, continues one, or brings it up to date with what was created or updated
 * since. It resolves only when the copy is complete. Whatever stops it, the same call goes on from there.
 * @returns the receipts of this run and of earlier ones, which say what each generation of the copy holds.
 * @throws {DoiCliError} kind `usage` for wrong input, and for a directory that holds another query or other
 *   files; `incomplete` with the reasons when records are missing.
 */
export declare function harvest(client: Client, options: HarvestOptions): Promise<HarvestReceipts>;

/** Where a copy is, and how to bring it up to date. */
export declare interface HarvestOptions extends CallOptions {
  /** The directory of the copy; it is made where there is none. */
  readonly directory: string;
  /** Which records; for a copy that exists, the same or nothing. */
  readonly query?: DoiQuery | undefined;
  /** Whether to compress the files of a new copy. */
  readonly gzip?: boolean | undefined;
  /** Records per request, from 1 to 1000; 1000 by default. */
  readonly pageSize?: number | undefined;
  /** The most requests at once; by default as many as the rate limit calls for. */
  readonly jobs?: number | undefined;
  /** How far an update looks back before the last start, in milliseconds; an hour by default. */
  readonly overlapMs?: number | undefined;
  /** Whether to remove a copy that exists, and start over. */
  readonly fresh?: boolean | undefined;
  /** Whether to read all files of the copy back first, and fetch damaged ones again. */
  readonly check?: boolean | undefined;
  /** Called with the number of records so far, and the number that there will be. */
  readonly onProgress?: ((records: number, total: number) => void) | undefined;
  /** Called with a sentence where a harvest has to take another way, such as to fetch damaged files again. */
  readonly onNote?: ((text: string) => void) | undefined;
}

declare interface HarvestQuery {
  readonly baseUrl: string;
  /** The filters, as each request sends them. */
  readonly params: Params;
  /** The account whose credentials are used; null without credentials. */
  readonly account: string | null;
  /** What relative dates among the filters meant at the first run: the option, its words, and a time. */
  readonly relative?: readonly (readonly [option: string, words: string, time: string])[];
}

/** The receipts of all generations of a directory after a run. */
export declare interface HarvestReceipts {
  /** Of the generations that the run finished, usually one. */
  readonly worked: readonly Receipt[];
  /** Of the generations that earlier runs finished. */
  readonly earlier: readonly Receipt[];
}

/**
 * All DOI records of a query, the oldest first, each once: JSON in UTF-8 on one line, without a newline, in
 * the service's own spelling.
 *
 * Records arrive while others are used; a slow reader slows the requests down, and `break` stops them. The
 * end is reached only when the records are as many as the service counts.
 * @throws {DoiCliError} during the iteration: kind `usage` before any request; `incomplete` when records are
 *   missing, or are not those of the query; `credentials`, `unavailable` or `throttled` as they say.
 */
export declare function listDois(
  client: Client,
  query?: DoiQuery,
  options?: ListOptions & {
    readonly parse?: false | undefined;
  },
): AsyncIterable<Uint8Array>;

/** All DOI records of a query, parsed. Otherwise it is the same. */
export declare function listDois(
  client: Client,
  query: DoiQuery | undefined,
  options: ListOptions & {
    readonly parse: true;
  },
): AsyncIterable<DoiRecord>;

/**
 * The API keys of the repository account, all of them, without the keys themselves.
 * @param options.includeRevoked whether to list revoked keys too.
 * @throws {DoiCliError} kind `credentials` without the password of a repository account.
 */
export declare function listKeys(
  client: Client,
  options?: CallOptions & {
    readonly includeRevoked?: boolean | undefined;
  },
): Promise<readonly ApiKey[]>;

/** How to list records. */
export declare interface ListOptions extends CallOptions {
  /** Whether to parse the records; otherwise they are the bytes of the service. */
  readonly parse?: boolean | undefined;
  /** The most records; all by default. */
  readonly limit?: number | undefined;
  /** Records per request, from 1 to 1000; 1000 by default. */
  readonly pageSize?: number | undefined;
  /** The most requests at once; by default as many as the rate limit calls for. */
  readonly jobs?: number | undefined;
}

/** A new key, with its `key`. */
export declare type NewApiKey = ApiKey & {
  readonly attributes: {
    readonly key: string;
  };
};

/** Query parameters in the order in which they are sent. */
declare type Params = readonly (readonly [name: string, value: string])[];

/** One of several things that are wrong. */
export declare interface Problem {
  /** Where the problem is, such as `titles[0]` or a DOI; null if unknown. */
  readonly path: string | null;
  readonly message: string;
  /** The line of the input file, from 1. */
  readonly line?: number;
  /** The head of its column, where the file is a spreadsheet. */
  readonly column?: string;
}

/** At most `requests` within any span of `windowMs` milliseconds. */
export declare interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** What a generation holds, and whether it is complete. Times are ISO 8601, UTC; null is not known (yet). */
export declare interface Receipt {
  readonly verdict: 'complete' | 'incomplete';
  /** Why it is incomplete; empty when it is complete. */
  readonly reasons: readonly string[];
  readonly query: HarvestQuery;
  readonly shard: Shard | null;
  readonly generation: number;
  /** All records, those created or updated since the generation before, or several generations merged. */
  readonly kind: 'full' | 'update' | 'compact';
  /** Of an update: it asked for changes from this time on. */
  readonly since: string | null;
  /** Of a merged generation: it lacks changes after this time. */
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
  /** Requests that had to be repeated. */
  readonly retries: number;
  /** Records that the service could not send. */
  readonly gaps: readonly (Gap & {
    readonly window: number;
  })[];
  readonly parts: readonly {
    /** In the folder `data`. */
    readonly name: string;
    readonly records: number;
    readonly uniqueDois: number | null;
    readonly bytes: number;
    readonly sha256: string | null;
  }[];
}

/**
 * Revokes an API key for good; one that is revoked already stays as it is.
 * @param id of the key, not its name.
 * @returns the revoked key.
 * @throws {DoiCliError} kind `not-found` when the account has no such key.
 */
export declare function revokeKey(client: Client, id: string, options?: CallOptions): Promise<ApiKey>;

declare interface Shard {
  /** Counted from 1. */
  readonly index: number;
  readonly of: number;
}

/**
 * Changes a DOI that exists: the attributes replace those of the record, others stay. An `event` changes its
 * state: `publish`, `register`, `hide` or `show`.
 * @throws {DoiCliError} kind `not-found` if it does not exist; `rejected` as {@link createDoi}.
 */
export declare function updateDoi(
  client: Client,
  doi: string,
  attributes: Readonly<Record<string, unknown>>,
  options?: CallOptions,
): Promise<DoiRecord>;

export {};
