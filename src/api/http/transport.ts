import type { LookupFunction } from 'node:net';
import { Agent, ProxyAgent, request } from 'undici';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { CliError, errorCode } from '../../errors.ts';
import { decoded } from './decode.ts';
import { NetworkError, NotHttps } from './network-error.ts';

export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** An answer whose headers have arrived. Read its body to the end, or discard it. */
export interface WireResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The body, decompressed. @throws {NetworkError} when cut short, damaged or beyond `maxBytes`. */
  body(maxBytes: number): AsyncIterable<Buffer>;
  /** The body in pieces as it is on the wire, without a limit. @throws {NetworkError} when cut short. */
  encodedBody(): AsyncIterable<Buffer>;
  discard(): void;
}

const CONNECT_TIMEOUT_MS = 30_000;
// To one origin; more requests wait for one of them. macOS lets a process have 256 files and connections.
const MOST_CONNECTIONS = 100;
// Large bodies that are received and unpacked at once; each takes memory of a multiple of its size.
const LARGE_BODIES = 3;

/** A connection pool. */
export class Transport {
  readonly #agent: Agent | ProxyAgent;
  readonly #large = new Semaphore(LARGE_BODIES);

  /**
   * @param timeoutMs the longest wait for the headers of an answer and between two pieces of its body; for a
   *   connection at most 30 seconds.
   * @param lookup looks names up instead of `dns.lookup`; with a proxy, that does.
   */
  constructor(timeoutMs: number, proxy?: URL, lookup?: LookupFunction) {
    // Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0.
    const secure = { timeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS), rejectUnauthorized: true };
    const connect = lookup === undefined || proxy !== undefined ? secure : { ...secure, lookup };
    const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connections: MOST_CONNECTIONS };
    this.#agent =
      proxy === undefined
        ? new Agent({ connect, ...limits })
        : new ProxyAgent({ uri: proxy.href, requestTls: connect, proxyTls: connect, ...limits });
  }

  /** @throws {NetworkError}, the signal's reason, or {@link CliError} for an untrusted certificate. */
  async send({ method, url, headers, body, signal }: WireRequest): Promise<WireResponse> {
    const large = this.#large;
    try {
      // Redirects are left to the caller, so that no credential follows one.
      const response = await request(url, {
        dispatcher: this.#agent,
        method,
        headers: { 'accept-encoding': 'gzip', ...headers },
        body: body ?? null,
        signal,
      });
      const header = (name: string) => {
        const value = response.headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      };
      return {
        status: response.statusCode,
        header,
        body: (maxBytes) => {
          const encoding = header('content-encoding');
          return translating(decoded(response.body, { encoding, maxBytes, large, signal }), signal);
        },
        encodedBody: () => translating(response.body, signal),
        discard: () => {
          // Destroying an unread body emits an error event, which would end the process without a listener.
          response.body.on('error', () => undefined).destroy();
        },
      };
    } catch (error) {
      throw translated(error, signal);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

async function* translating(body: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw translated(error, signal);
  }
}

// Failures of name look-up and connecting: no byte of the request was sent.
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was reset',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
  UND_ERR_SOCKET: 'the connection was closed in the middle',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
  UND_ERR_ABORTED: 'the answer was cut short',
  ERR_STREAM_PREMATURE_CLOSE: 'the answer was cut short',
  Z_BUF_ERROR: 'the compressed answer was cut short',
  Z_DATA_ERROR: 'the compressed answer is damaged',
};

function isUntrusted(code: string): boolean {
  return /CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code);
}

/** The error for a certificate that is not trusted, with the code of the reason. */
function untrusted(whose: string, code: string, cause: unknown): CliError {
  return new CliError('unavailable', `the certificate of ${whose} cannot be trusted (${code})`, {
    hint: 'if your network has its own certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file',
    cause,
  });
}

/** The signal's reason, or a {@link CliError} or {@link NetworkError} for an error of undici or zlib. */
function translated(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof CliError || error instanceof NetworkError) return error;
  const code = errorCode(error) ?? '';
  if (isUntrusted(code)) return untrusted('the service', code, error);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return new NotHttps(error);
  const message = error instanceof Error ? error.message : String(error);
  // The bytes of a malformed answer, or a part of them, which may hold half a secret: nothing could mask it.
  if (error instanceof Error && 'data' in error) delete error.data;
  if (code === 'UND_ERR_INVALID_ARG') return new CliError('unexpected', message, { cause: error });
  // undici reports a proxy's refusal with the code of an aborted request: only its text holds the status.
  const refused = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refused !== undefined) {
    return new NetworkError(`the proxy refused to connect (HTTP ${refused})`, true, error);
  }
  // The message of OpenSSL is an address in memory and the names of its files.
  const known = code.startsWith('ERR_SSL_') ? `the secure connection failed (${code})` : SENTENCES[code];
  return new NetworkError(known ?? message, UNSENT.test(code), error);
}
