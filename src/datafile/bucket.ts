import { BadBody, readText } from '../api/http/body.ts';
import type { Call } from '../api/http/call.ts';
import type { Http } from '../api/http/http.ts';
import type { WireResponse } from '../api/http/transport.ts';
import { CliError } from '../errors.ts';
import { type RenewedCredentials, signedHeaders } from './credentials.ts';
import { type BucketObject, parseListing, storeMessage } from './listing.ts';

/** The public location of the bucket, assumed (service.md, D5): the service's answer names no region. */
export const DEFAULT_ENDPOINT = 'https://s3.eu-west-1.amazonaws.com';
const DEFAULT_REGION = 'eu-west-1';

// In characters: hundreds of thousands of objects, and the data file has some ten thousand.
const MAX_LISTING_LENGTH = 64 * 1024 * 1024;
const MAX_LISTING_PAGES = 1000;

type Texts = Readonly<Record<string, string>>;

/** The bucket of the monthly data file. Every request is signed with temporary credentials. */
export class Bucket {
  readonly #http: Http;
  readonly #credentials: RenewedCredentials;
  readonly #region: string;

  /** @param http for the endpoint of the object store, without credentials. */
  constructor(http: Http, credentials: RenewedCredentials) {
    this.#http = http;
    this.#credentials = credentials;
    this.#region = /^s3[.-]([a-z\d-]+)\.amazonaws\.com$/.exec(http.baseUrl.hostname)?.[1] ?? DEFAULT_REGION;
  }

  /**
   * Lists all objects, page by page in the order of the bucket.
   * @throws {CliError} kind `credentials` if renewed credentials are refused, too.
   */
  async *list(): AsyncGenerator<readonly BucketObject[]> {
    let params: Texts = { 'list-type': '2', 'encoding-type': 'url' };
    let length = 0;
    for (let page = 0; length <= MAX_LISTING_LENGTH && page < MAX_LISTING_PAGES; page += 1) {
      const read = async (response: WireResponse) => {
        const xml = await readText(response);
        length += xml.length;
        return parseListing(xml);
      };
      const { objects, next } = await this.call('', read, { params });
      yield objects;
      if (next === undefined) return;
      params = { ...params, 'continuation-token': next };
    }
    throw new CliError('unexpected', 'the listing of the bucket does not end');
  }

  /** A small object as text; undefined if it does not exist. */
  async text(key: string, maxBytes: number): Promise<string | undefined> {
    try {
      return await this.call(key, (response) => readText(response, maxBytes));
    } catch (error) {
      if (error instanceof CliError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Sends a signed GET request; if the credentials are refused, sends it once more with new ones.
   * @param options.headers gives more headers to sign, for each attempt.
   */
  async call<T>(
    key: string,
    read: Call<T>['read'],
    { params = {}, headers = () => ({}) }: { readonly params?: Texts; readonly headers?: () => Texts } = {},
  ): Promise<T> {
    let credentials = await this.#credentials.current();
    const call: Call<T> = {
      method: 'GET',
      url: this.#url(credentials.bucket, key, params),
      accept: '*/*',
      headers: (url) => ({
        // The stored bytes: a content encoding would change the checksum.
        'accept-encoding': 'identity',
        ...signedHeaders(url, this.#region, credentials, headers()),
      }),
      errorMessage: storeMessage,
      read: (response) => {
        if (/\bxml\b/.test(response.header('content-type') ?? '') && key !== '')
          throw new BadBody('an error with status 200');
        return read(response);
      },
    };
    try {
      return await this.#http.call(call);
    } catch (error) {
      // Expired and unknown tokens are answered with 400 or 403; repeating other requests does no harm.
      if (!isRefused(error)) throw error;
      credentials = await this.#credentials.replace(credentials);
      return await this.#http.call(call).catch(rethrow);
    }
  }

  /** The URL of an object, with the bucket in the path: no certificate covers its dotted name as a host. */
  #url(bucket: string, key: string, params: Texts): URL {
    const path = [bucket, ...(key === '' ? [] : key.split('/'))].map(encoded).join('/');
    const url = new URL(`${this.#http.baseUrl.href.replace(/\/+$/, '')}/${path}`);
    url.search = Object.entries(params)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .join('&');
    return url;
  }
}

/** True if the object store itself refused the request: a proxy's 403 is throttling. */
function isRefused(error: unknown): error is CliError {
  return (
    error instanceof CliError && error.kind !== 'throttled' && [400, 401, 403].includes(error.status ?? 0)
  );
}

function rethrow(error: unknown): never {
  if (!isRefused(error)) throw error;
  throw error.with({
    kind: 'credentials',
    message: `the object store refused the temporary credentials: ${error.message}`,
    hint: 'doi-cli doctor compares the clock of this machine with that of the service',
  });
}

/** Percent-encodes all but letters, digits and `-._~`, as signatures require. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
