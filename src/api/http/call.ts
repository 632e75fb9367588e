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
  /**
   * Whether sending it twice has the same effect as once, so that it is repeated after a lost
   * answer.
   */
  readonly idempotent?: boolean;
  /**
   * Finds the service's message in a body that is not JSON; a 403 without one counts as throttling.
   */
  readonly errorMessage?: (text: string) => string | undefined;
  /** Stops this call alone. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Attempts after the first, if fewer than usual. Throttled ones count as usual: the service asks
   * for patience.
   */
  readonly retries?: number | undefined;
  /** Whether an interrupt waits for the answer once the request is sent. */
  readonly uninterruptible?: boolean;
  /** Its status proves the credentials: its answer need not name the account. */
  readonly isProbe?: boolean;
  /**
   * Called with the time from a request to the end of its answer, in milliseconds, when the answer
   * is usable.
   */
  readonly onTime?: ((ms: number) => void) | undefined;
  /**
   * Reads a successful answer. A {@link BadBody} or {@link NetworkError} that it throws is a failed
   * attempt.
   */
  readonly read: (response: WireResponse) => Promise<T>;
  /**
   * After a lost answer: what it would have been, or undefined where the PUT or DELETE had no
   * effect.
   */
  readonly resolveLostAnswer?: () => Promise<{ readonly value: T } | undefined>;
}
