import { BadBody, readText } from '../api/http/body.ts';
import type { Call } from '../api/http/call.ts';
import type { Http } from '../api/http/http.ts';
import { CliError } from '../errors.ts';
import type { RenewedCredentials } from './credentials.ts';
import { type BucketObject, parseListing, storeMessage } from './listing.ts';
import { signedHeaders } from './sign.ts';

/** Where the bucket was found in public use of it (assumed): the service's answer names no region. */
export const DEFAULT_ENDPOINT = 'https://s3.eu-west-1.amazonaws.com';
const DEFAULT_REGION = 'eu-west-1';

const MOST_LISTING_BYTES = 16 * 1024 * 1024;

/** The bucket of the monthly data file: every request is signed, with credentials that are renewed in time. */
export class Bucket {
  readonly #http: Http;
  readonly #credentials: RenewedCredentials;
  readonly #region: string;

  /** @param http for the endpoint of the object store, without credentials of its own. */
  constructor(http: Http, credentials: RenewedCredentials) {
    this.#http = http;
    this.#credentials = credentials;
    this.#region = /^s3[.-]([a-z\d-]+)\.amazonaws\.com$/.exec(http.baseUrl.hostname)?.[1] ?? DEFAULT_REGION;
  }

  /**
   * Every object whose key begins with `prefix`, in the order of the bucket, a page at a time.
   * @throws {CliError} kind `credentials` when they are refused twice.
   */
  async *list(prefix = ''): AsyncGenerator<readonly BucketObject[]> {
    const seen = new Set<string>();
    for (let token: string | undefined; ; ) {
      const params = [
        ['list-type', '2'],
        ['encoding-type', 'url'],
        ...(prefix === '' ? [] : [['prefix', prefix]]),
        ...(token === undefined ? [] : [['continuation-token', token]]),
      ] as [string, string][];
      const { objects, next } = await this.call('', params, {}, async (response) =>
        parseListing(await readText(response, MOST_LISTING_BYTES)),
      );
      yield objects;
      if (next === undefined) return;
      if (seen.has(next)) throw new CliError('unexpected', 'the listing of the bucket goes in a circle');
      seen.add(next);
      token = next;
    }
  }

  /** A small object as text; undefined when there is none. */
  async text(key: string, mostBytes: number): Promise<string | undefined> {
    try {
      return await this.call(key, [], {}, (response) => readText(response, mostBytes));
    } catch (error) {
      if (error instanceof CliError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * One signed GET request, with other credentials once more when they are refused.
   * @param headers made anew for each attempt; they are signed too.
   */
  async call<T>(
    key: string,
    params: readonly (readonly [string, string])[],
    headers: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>),
    read: Call<T>['read'],
  ): Promise<T> {
    const credentials = await this.#credentials.current();
    const call: Call<T> = {
      method: 'GET',
      url: this.#url(credentials.bucket, key, params),
      accept: '*/*',
      headers: (url) => ({
        // The bytes as they are stored: anything else would have another checksum.
        'accept-encoding': 'identity',
        ...signedHeaders(
          url,
          this.#region,
          this.#credentials.latest,
          typeof headers === 'function' ? headers() : headers,
        ),
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
      // Expired and unknown tokens come as 400 or 403, and what else does is not worse for being asked again.
      if (!isRefused(error)) throw error;
      await this.#credentials.instead(credentials);
      return await this.#http.call(call).catch(refused);
    }
  }

  /** Below the endpoint, with the bucket in the path: its name has dots, which no certificate covers as a host. */
  #url(bucket: string, key: string, params: readonly (readonly [string, string])[]): URL {
    const path = [bucket, ...(key === '' ? [] : key.split('/'))].map(encoded).join('/');
    const url = new URL(`${this.#http.baseUrl.href.replace(/\/+$/, '')}/${path}`);
    url.search = params.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
    return url;
  }
}

/** Whether the object store itself said no: a proxy's 403 is throttling. */
function isRefused(error: unknown): error is CliError {
  return (
    error instanceof CliError && error.kind !== 'throttled' && [400, 401, 403].includes(error.status ?? 0)
  );
}

function refused(error: unknown): never {
  if (!isRefused(error)) throw error;
  throw new CliError('credentials', `the object store refused the temporary credentials: ${error.message}`, {
    hint: 'is the clock of this machine right, and is the endpoint that of the data file?',
    ...(error.status === undefined ? {} : { status: error.status }),
    cause: error,
  });
}

/** Percent-encodes all but letters, digits and `-._~`, as signatures want it. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
