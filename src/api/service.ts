import type { Caller } from './http/caller.ts';
import type { Http } from './http/http.ts';
import type { RateLimiter } from './http/rate-limiter.ts';

/** Credentials of the service (service.md, A1, A2). */
export type Credentials =
  | { readonly kind: 'repository'; readonly id: string; readonly password: string }
  | {
      readonly kind: 'api-key';
      readonly key: string;
      /** The account of the key; undefined if only the service knows it. */
      readonly account?: string | undefined;
    };

// Production and test are two systems with separate accounts and DOIs (service.md, O1).
export const DEFAULT_BASE_URL = 'https://api.datacite.org';
export const TEST_BASE_URL = 'https://api.test.datacite.org';

/** Whether a base URL is the service's test system, which has its own rate limit. */
export function isTestSystem(baseUrl: URL): boolean {
  return baseUrl.href.startsWith(TEST_BASE_URL);
}

/** The web address of a DOI in the system with this base URL (service.md, O8). */
export function webAddressOf(baseUrl: URL, doi: string): string {
  const resolver = isTestSystem(baseUrl) ? 'https://handle.test.datacite.org' : 'https://doi.org';
  return `${resolver}/${doi.split('/').map(encodeURIComponent).join('/')}`;
}

/** A connection to the service with its credentials; `Known` may extend their type. */
export interface Service<Known extends Credentials = Credentials> {
  readonly http: Http;
  readonly caller: Caller;
  readonly credentials: Known | undefined;
  /** The rate budget that all requests share, if any. */
  readonly rateLimiter?: RateLimiter | undefined;
}

/** What a single request needs of a {@link Service}. */
export type HttpService = Pick<Service, 'http'>;
