import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, ProxyAgent, request } from 'undici';
import { CliError, errorCode } from '../../errors.ts';

/** One request on the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** An answer whose headers have arrived. Read its body to the end, or discard it. */
export interface WireResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The body in pieces, decompressed unless `encoded`. @throws {NetworkError} when cut short or damaged. */
  body(options?: { readonly encoded?: boolean }): AsyncIterable<Buffer>;
  discard(): void;
}

/** No complete answer arrived. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** True if the request certainly never reached the service. */
  readonly unsent: boolean;

  constructor(message: string, unsent: boolean, cause: unknown) {
    super(message, { cause });
    this.unsent = unsent;
  }
}

const CONNECT_TIMEOUT_MS = 30_000;
// Far more than any page; a larger body would only exhaust the memory.
const MAX_BODY_BYTES = 512 * 1024 * 1024;
// More than any page; a body that claims to be larger is decompressed in several pieces.
const MAX_GUNZIP_CHUNK_BYTES = 64 * 1024 * 1024;

/** A connection pool. */
export class Transport {
  readonly #agent: Agent | ProxyAgent;

  /**
   * @param timeoutMs the longest wait for the headers of an answer and between two pieces of its body; for a
   *   connection at most 30 seconds.
   */
  constructor(timeoutMs: number, proxy?: URL) {
    // Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0.
    const connect = { timeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS), rejectUnauthorized: true };
    const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
    this.#agent =
      proxy === undefined
        ? new Agent({ connect, ...limits })
        : new ProxyAgent({ uri: proxy.href, requestTls: connect, proxyTls: connect, ...limits });
  }

  /** @throws {NetworkError}, the signal's reason, or {@link CliError} for an untrusted certificate. */
  async send({ method, url, headers, body, signal }: WireRequest): Promise<WireResponse> {
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
        body: ({ encoded = false } = {}) =>
          decoded(response.body, encoded ? undefined : header('content-encoding'), signal),
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

async function* decoded(
  body: NodeJS.ReadableStream,
  encoding: string | undefined,
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  try {
    if (encoding === undefined || /^(identity)?$/i.test(encoding)) yield* body as AsyncIterable<Buffer>;
    else if (/^(x-)?gzip$/i.test(encoding)) {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > MAX_BODY_BYTES) throw new Error('the answer is too large');
      }
      yield await decompress(Buffer.concat(chunks));
    } else {
      // Another attempt would be answered in the same way. The kind is that of a lost answer: see whether a
      // write has had its effect.
      const name = /^(br|deflate|compress|zstd)$/i.test(encoding) ? encoding : 'something';
      throw new CliError('unavailable', `the answer is encoded as ${name}, which was not asked for`);
    }
  } catch (error) {
    throw translated(error, signal);
  }
}

const gunzipAsync = promisify(gunzip);

// A stream would switch between threads hundreds of times, which costs a fifth of a harvest's time.
function decompress(body: Buffer): Promise<Buffer> {
  // Gzip ends with the uncompressed size: a buffer of that size avoids joining pieces.
  const size = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
  return gunzipAsync(body, {
    maxOutputLength: MAX_BODY_BYTES,
    chunkSize: Math.min(Math.max(size + 1, 1024), MAX_GUNZIP_CHUNK_BYTES),
  });
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
  ERR_BUFFER_TOO_LARGE: 'the answer is too large',
};

/** The signal's reason, or a {@link CliError} or {@link NetworkError} for an error of undici or zlib. */
function translated(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof CliError) return error;
  const code = errorCode(error) ?? '';
  if (/CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) {
    return new CliError('unavailable', `the certificate of the service cannot be trusted (${code})`, {
      hint: 'if your network has its own certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file',
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'UND_ERR_INVALID_ARG') return new CliError('unexpected', message, { cause: error });
  // undici reports a proxy's refusal with the code of an aborted request: only its text holds the status.
  const refused = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refused !== undefined) {
    return new NetworkError(`the proxy refused to connect (HTTP ${refused})`, true, error);
  }
  return new NetworkError(SENTENCES[code] ?? message, UNSENT.test(code), error);
}
