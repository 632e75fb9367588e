import type { Credentials } from '../credentials/resolve.ts';
import type { Caller } from './http/caller.ts';
import type { Http } from './http/http.ts';
import type { RateLimiter } from './http/rate-limiter.ts';

/** An opened connection to the service with its credentials. */
export interface Service {
  readonly http: Http;
  readonly caller: Caller;
  readonly credentials: Credentials | undefined;
  /** The rate budget that all requests share, if one was asked for. */
  readonly rateLimiter?: RateLimiter | undefined;
}
