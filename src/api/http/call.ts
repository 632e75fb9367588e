import type { BadBody } from './body.ts';
import type { NetworkError } from './network-error.ts';
import type { WireRequest, WireResponse } from './transport.ts';

/** One request of an endpoint, and how to read and repeat it. */
export interface Call<T> {
  readonly method: WireRequest['method'];
  readonly url: URL;
  readonly body?: string;
  /** The media type of the body; JSON:API by default. */
  readonly contentType?: string;
  /** The media type to ask for; JSON:API by default. */
  readonly accept?: string;
  /** More headers, made anew for each attempt. */
  readonly headers?: (url: URL) => Readonly<Record<string, string>>;
  /** Whether sending it twice has the same effect as once, so that it is repeated after a lost answer. */
  readonly idempotent?: boolean;
  /** Finds the service's message in a body that is not JSON; a 403 without one counts as throttling. */
  readonly errorMessage?: (text: string) => string | undefined;
  /** Stops this call alone. */
  readonly signal?: AbortSignal | undefined;
  /** Attempts after the first, if fewer than usual. Throttled ones count as usual: the service asks for patience. */
  readonly retries?: number | undefined;
  /** Whether an interrupt waits for the answer once the request is sent. */
  readonly uninterruptible?: boolean;
  /** Its status proves the credentials: its answer need not name the account. */
  readonly isProbe?: boolean;
  /** Called with the time from a request to the end of its answer, in milliseconds, when the answer is usable. */
  readonly onTime?: ((ms: number) => void) | undefined;
  /**
   * Reads a successful answer, once for each attempt. A {@link BadBody} or {@link NetworkError} it throws
   * counts as a failed attempt.
   */
  readonly read: (response: WireResponse) => Promise<T>;
  /**
   * Finds out whether a PUT or DELETE whose answer was lost took effect: returns what the answer would have
   * been, or undefined. After a lost answer, a PUT that is not `idempotent` is repeated only after undefined.
   */
  readonly resolveLostAnswer?: () => Promise<{ readonly value: T } | undefined>;
}
