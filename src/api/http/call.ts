import type { BadBody } from './body.ts';
import type { NetworkError } from './network-error.ts';
import type { WireRequest, WireResponse } from './transport.ts';

/** One request to an endpoint: how to send, read and repeat it. */
export interface Call<T> {
  readonly method: WireRequest['method'];
  readonly url: URL;
  readonly body?: string;
  /** The media type of the body; JSON:API by default. */
  readonly contentType?: string;
  /** The media type to ask for; JSON:API by default. */
  readonly accept?: string;
  /** More headers, computed for each attempt. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  /**
   * Whether sending it twice has the same effect as once: then it is repeated after a lost answer.
   */
  readonly idempotent?: boolean;
  /** Stops this call alone. */
  readonly signal?: AbortSignal | undefined;
  /** Attempts after the first, if fewer than usual. Throttled attempts do not count against it. */
  readonly retries?: number | undefined;
  /** Whether an interrupt waits for the answer once the request is sent. */
  readonly uninterruptible?: boolean;
  /** The response's status proves the credentials, so the account's name is not required. */
  readonly isProbe?: boolean;
  /** Whether refused credentials may cause a 404 (service.md, A9, A12): a probe then decides. */
  readonly probesNotFound?: boolean;
  /** Called after a usable answer with the milliseconds from the request to the answer's end. */
  readonly onTime?: ((ms: number) => void) | undefined;
  /**
   * Reads a successful answer. If it throws {@link BadBody} or {@link NetworkError}, the attempt
   * failed.
   */
  readonly read: (response: WireResponse) => Promise<T>;
  /**
   * Called after a lost answer. @returns the answer's value, or undefined if the PUT or DELETE had
   * no effect.
   */
  readonly resolveLostAnswer?: () => Promise<{ readonly value: T } | undefined>;
}
