import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { debuglog } from 'node:util';
import { Agent, type Dispatcher, request } from 'undici';
import { Semaphore } from '../../concurrency/promises.ts';
import { usageError } from '../../errors.ts';
import { decoded } from './body.ts';
import { Connector } from './connector.ts';
import { NetworkError, networkError } from './network-error.ts';

export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Stops the request only until a part of it is sent. */
  readonly untilSent?: AbortSignal | undefined;
}

/** A response whose headers have arrived. Read its body to the end, or discard it. */
export interface WireResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /**
   * The decompressed body. @throws {NetworkError} when it is cut short, damaged or beyond
   * `maxBytes`.
   */
  body(maxBytes: number): Promise<Buffer>;
  /** Reads the body as sent, in pieces. @throws {NetworkError} when it is cut short. */
  encodedBody<T>(read: (pieces: AsyncIterable<Buffer>) => Promise<T>): Promise<T>;
  discard(): void;
}

const CONNECT_TIMEOUT_MS = 30_000;
// Slower connections, even of mobile networks, cannot deliver a page of records.
const LEAST_BYTES_PER_SECOND = 1024;
// Per origin; further requests wait. macOS allows a process 256 files and connections.
const MOST_CONNECTIONS = 100;
// Large bodies received and unpacked at once; each takes a multiple of its size in memory.
const LARGE_BODIES = 3;

/** A connection pool. */
export class Transport {
  readonly #timeoutMs: number;
  readonly #connector: Connector;
  readonly #agent: Agent;
  readonly #dispatcher: Dispatcher;
  readonly #large = new Semaphore(LARGE_BODIES);

  /**
   * @param timeoutMs the longest wait for the head of a response, and for each further part of its
   *   body.
   * @throws {CliError} kind `usage` where undici would print every address unmasked: some are
   *   signed.
   */
  constructor(timeoutMs: number, proxy?: URL, lookup?: LookupFunction) {
    if (['undici', 'fetch'].some((name) => debuglog(name).enabled)) {
      throw usageError(
        'NODE_DEBUG would print the addresses of all requests, and some contain secrets',
        'unset NODE_DEBUG; --verbose shows the requests without their secrets',
      );
    }
    this.#timeoutMs = timeoutMs;
    this.#connector = new Connector({
      timeoutMs: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
      proxy,
      lookup,
    });
    const { connect } = this.#connector;
    // Time-outs are our own: undici's are late by up to a second, and start only with the
    // connection.
    const limits = { headersTimeout: 0, bodyTimeout: 0, connections: MOST_CONNECTIONS };
    this.#agent = new Agent({ connect, ...limits });
    this.#dispatcher = this.#agent.compose(noteSent);
  }

  /**
   * @throws {NetworkError}, the signal's reason, or {@link CliError} for an untrusted certificate.
   */
  async send(wire: WireRequest): Promise<WireResponse> {
    const { method, url, headers, body, signal, untilSent } = wire;
    const stop = new AbortController();
    let sent = false;
    const follow = () => stop.abort(signal.reason);
    const followUntilSent = () => sent || stop.abort(untilSent?.reason);
    signal.addEventListener('abort', follow);
    untilSent?.addEventListener('abort', followUntilSent);
    const end = () => {
      signal.removeEventListener('abort', follow);
      untilSent?.removeEventListener('abort', followUntilSent);
    };
    if (signal.aborted) follow();
    else if (untilSent?.aborted) followUntilSent();
    let timer: NodeJS.Timeout | undefined;
    try {
      // Redirects are left to the caller, so that no credential follows one.
      const answer = request(url, {
        dispatcher: this.#dispatcher,
        method,
        headers: { 'accept-encoding': 'gzip', ...headers },
        body: body ?? null,
        signal: stop.signal,
        opaque: () => {
          sent = true;
        },
      });
      // It starts after the connection's time-out, so that the clearer message of that one wins.
      timer = setTimeout(() => {
        stop.abort(
          new NetworkError(
            sent ? 'no answer came in time' : 'connecting took too long',
            !sent,
            undefined,
          ),
        );
      }, this.#timeoutMs);
      // undici notices the signal only when there is a connection.
      const response = await Promise.race([answer, aborted(stop.signal)]);
      return this.#received(response, stop, end);
    } catch (error) {
      end();
      throw stop.signal.aborted ? stop.signal.reason : networkError(error, !sent);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    this.#connector.destroy();
    return this.#agent.destroy();
  }

  /** @param end called when the request is no longer needed. */
  #received(
    response: Dispatcher.ResponseData<unknown>,
    stop: AbortController,
    end: () => void,
  ): WireResponse {
    const large = this.#large;
    const { signal } = stop;
    const header = (name: string) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    const encodedBody: WireResponse['encodedBody'] = (read) =>
      read(timed(response.body, this.#timeoutMs, stop))
        .catch((error: unknown) => {
          throw signal.aborted ? signal.reason : networkError(error, false);
        })
        .finally(end);
    return {
      status: response.statusCode,
      header,
      body: (maxBytes) => {
        const encoding = header('content-encoding');
        return encodedBody((pieces) => decoded(pieces, { encoding, maxBytes, large, signal }));
      },
      encodedBody,
      discard: () => {
        end();
        // Destroying an unread body emits an error event, which would end the process without a
        // listener.
        response.body.on('error', () => undefined).destroy();
      },
    };
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * Calls the function in `opaque` when a request is handed to a connection. Before that, nothing was
 * sent.
 */
const noteSent: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const start = handler.onRequestStart;
  handler.onRequestStart = (...args) => {
    (options as { readonly opaque?: () => void }).opaque?.();
    start?.apply(handler, args);
  };
  return dispatch(options, handler);
};

/**
 * The pieces of a body. A body slower than {@link LEAST_BYTES_PER_SECOND} over the time-out counts
 * as silent.
 */
async function* timed(
  body: Readable,
  timeoutMs: number,
  stop: AbortController,
): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let bytes = 0;
  let waitedMs = 0;
  const giveUp = () => {
    const problem = 'the answer stopped in the middle, or is slower than 1 KB/s';
    stop.abort(new NetworkError(problem, false, undefined));
  };
  try {
    for (;;) {
      const start = performance.now();
      const timer = setTimeout(giveUp, timeoutMs - waitedMs);
      const { done, value } = await pieces.next().finally(() => clearTimeout(timer));
      if (done) return;
      waitedMs += performance.now() - start;
      bytes += value.length;
      if (bytes >= (timeoutMs / 1000) * LEAST_BYTES_PER_SECOND) {
        bytes = 0;
        waitedMs = 0;
      }
      yield value;
    }
  } finally {
    await pieces.return?.();
  }
}
