import { BadBody } from './body.ts';
import type { WireRequest, WireResponse } from './transport.ts';

export interface Call<T> {
  readonly method: WireRequest['method'];
  readonly url: URL;
  readonly body?: string;
  /** The media type of the body, and of the answer that is wanted; JSON:API unless said otherwise. */
  readonly contentType?: string;
  readonly accept?: string;
  /** More headers, made anew for each attempt. */
  readonly headers?: (url: URL) => Readonly<Record<string, string>>;
  /** Whether doing it twice is the same as doing it once, so that a lost answer is no reason to stop. */
  readonly idempotent?: boolean;
  /** Reads the service's words out of a refusal that is not JSON; a 403 without any is taken for throttling. */
  readonly words?: (text: string) => string | undefined;
  /** Stops this call alone. */
  readonly signal?: AbortSignal;
  /** Attempts after the first, where fewer than usual make sense; paced calls wait for a throttling service as usual. */
  readonly retries?: number;
  /** Once sent, an interrupt waits for the answer; for what must not be left in doubt. */
  readonly uninterruptible?: boolean;
  /** Looks at the headers of every answer, whatever its status; what it throws ends the call. */
  readonly inspect?: (response: WireResponse) => void;
  /**
   * Reads a successful answer. It runs once for each attempt, and what it throws as {@link BadBody} or
   * NetworkError counts as a failed attempt.
   */
  readonly read: (response: WireResponse) => Promise<T>;
  /**
   * Finds out whether a PUT or a DELETE whose answer was lost had its effect, and what the answer would have been.
   * A PUT is repeated only where this says that it had none.
   */
  readonly settle?: () => Promise<{ readonly value: T } | undefined>;
}
