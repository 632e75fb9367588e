import type { Caller } from './http/caller.ts';
import type { Http } from './http/http.ts';
import type { RateLimiter } from './http/rate-limiter.ts';

/** Credentials as the service takes them (service.md, A1, A2). */
export type Credentials =
  | { readonly kind: 'repository'; readonly id: string; readonly password: string }
  | {
      readonly kind: 'api-key';
      readonly key: string;
      /** The account that the key belongs to; undefined where only the service knows it. */
      readonly account?: string;
    };

// Production and test are two systems with accounts and DOIs of their own (service.md, O1).
export const DEFAULT_BASE_URL = 'https://api.datacite.org';
export const TEST_BASE_URL = 'https://api.test.datacite.org';

/** Whether a base URL is the service's test system, which has its own rate limit. */
export function isTestSystem(baseUrl: URL): boolean {
  return baseUrl.href.startsWith(TEST_BASE_URL);
}

/** The web address at which a DOI of the service with this base URL resolves (service.md, O8). */
export function webAddressOf(baseUrl: URL, doi: string): string {
  const resolver = isTestSystem(baseUrl) ? 'https://handle.test.datacite.org' : 'https://doi.org';
  return `${resolver}/${doi.split('/').map(encodeURIComponent).join('/')}`;
}

/** An opened connection to the service with its credentials, of which `Known` may tell more. */
export interface Service<Known extends Credentials = Credentials> {
  readonly http: Http;
  readonly caller: Caller;
  readonly credentials: Known | undefined;
  /** The rate budget that all requests share, if one was asked for. */
  readonly rateLimiter?: RateLimiter | undefined;
}
