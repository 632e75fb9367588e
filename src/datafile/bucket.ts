import type { Call } from '../api/http/call.ts';
import type { Http } from '../api/http/http.ts';
import { CliError } from '../errors.ts';
import { type DatafileCredentials, signedHeaders } from './credentials.ts';
import { type BucketObject, type Listing, readListing, storeMessage } from './listing.ts';

/**
 * The assumed public location of the bucket (service.md, D5): the service's answer has no region.
 */
export const DEFAULT_ENDPOINT = 'https://s3.eu-west-1.amazonaws.com';
const DEFAULT_REGION = 'eu-west-1';

// In characters, enough for hundreds of thousands of objects; the data file has about ten thousand.
const MAX_LISTING_LENGTH = 64 * 1024 * 1024;
/** Credentials are renewed this long before they expire: none may expire during a request. */
const MARGIN_MS = 5 * 60_000;

/** Parameters and headers of a request for an object or the listing. */
interface GetOptions {
  readonly params?: Readonly<Record<string, string>>;
  /** More headers to sign, for each attempt. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

/** The bucket of the monthly data file. Every request is signed with temporary credentials. */
export class Bucket {
  readonly #http: Http;
  readonly #request: () => Promise<DatafileCredentials>;
  readonly #now: () => number;
  readonly #region: string;
  #credentials: Promise<DatafileCredentials> | undefined;
  #renewAt = 0;

  /**
   * @param http of the object store, without credentials. @param request requests temporary
   *   credentials.
   */
  constructor(http: Http, request: () => Promise<DatafileCredentials>, now: () => number) {
    this.#http = http;
    this.#request = request;
    this.#now = now;
    this.#region =
      /^s3[.-]([a-z\d-]+)\.amazonaws\.com$/.exec(http.baseUrl.hostname)?.[1] ?? DEFAULT_REGION;
  }

  /** All objects, in the order of the bucket. */
  async list(): Promise<readonly BucketObject[]> {
    const all: BucketObject[] = [];
    let params: GetOptions['params'] = { 'list-type': '2', 'encoding-type': 'url' };
    for (let length = 0; length <= MAX_LISTING_LENGTH; ) {
      const page: Listing = await this.get('', readListing, { params });
      for (const object of page.objects) all.push(object);
      if (page.next === undefined) return all;
      params = { ...params, 'continuation-token': page.next };
      // Count empty pages as well.
      length += Math.max(page.length, 64 * 1024);
    }
    throw new CliError('unexpected', 'the listing of the bucket does not end');
  }

  /** Sends a signed GET request; if the credentials are refused, repeats it once with new ones. */
  async get<T>(
    key: string,
    read: Call<T>['read'],
    { params = {}, headers }: GetOptions = {},
  ): Promise<T> {
    for (let isRepeated = false; ; isRepeated = true) {
      const valid = this.#valid();
      const credentials = await valid;
      // The bucket is in the path, because no certificate covers its dotted name as a host.
      const path = [credentials.bucket, ...(key === '' ? [] : key.split('/'))];
      try {
        return await this.#http.call({
          method: 'GET',
          url: this.#http.url(`/${path.map(encodeURIComponent).join('/')}`, Object.entries(params)),
          accept: '*/*',
          // Request the stored bytes: a content encoding would change the checksum.
          headers: (url) => ({
            'accept-encoding': 'identity',
            ...signedHeaders(url, this.#region, credentials, headers?.() ?? {}),
          }),
          errorMessage: storeMessage,
          read,
        });
      } catch (error) {
        // Expired and unknown tokens get a 400 or 403; repeating other refused requests is
        // harmless.
        if (!isRefused(error)) throw error;
        if (isRepeated) {
          throw error.with({
            kind: 'credentials',
            message: `the object store refused the temporary credentials: ${error.message}`,
            hint: 'doi-cli doctor compares the clock of this machine with that of the service',
          });
        }
        if (this.#credentials === valid) this.#renewAt = 0;
      }
    }
  }

  /** Credentials that are not about to expire; concurrent requests share one renewal. */
  #valid(): Promise<DatafileCredentials> {
    if (this.#credentials === undefined || this.#now() >= this.#renewAt) {
      this.#renewAt = Number.POSITIVE_INFINITY;
      this.#credentials = this.#request().then((credentials) => {
        const lifetimeMs = credentials.expires_in * 1000;
        this.#renewAt = this.#now() + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2);
        return credentials;
      });
    }
    return this.#credentials;
  }
}

/** True if the object store itself refused the request; a proxy's 403 means throttling. */
function isRefused(error: unknown): error is CliError {
  return (
    error instanceof CliError &&
    error.kind !== 'throttled' &&
    [400, 401, 403].includes(error.status ?? 0)
  );
}
