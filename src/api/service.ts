import type { Credentials } from '../credentials/resolve.ts';
import type { Identity } from './http/caller.ts';
import type { Http } from './http/http.ts';
import type { RateLimiter } from './http/rate-limiter.ts';

/** The service, ready to be asked, and whom it takes us for. */
export interface Service {
  readonly http: Http;
  readonly identity: Identity;
  readonly credentials: Credentials | undefined;
  /** The rate budget that all requests share, where one was asked for. */
  readonly rateLimiter?: RateLimiter | undefined;
}
