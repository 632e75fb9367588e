import { CliError, errorCode } from '../../errors.ts';
import { megabytes } from '../../text/words.ts';

/** No complete answer arrived. */
export class NetworkError extends Error {
  override readonly name: string = 'NetworkError';
  /** True if the request certainly never reached the service. */
  readonly unsent: boolean;

  constructor(message: string, unsent: boolean, cause: unknown) {
    super(message, { cause });
    this.unsent = unsent;
  }
}

/** Whether no attempt of a request reached the service: one that did is not repeated. */
export function isUnsent({ cause }: CliError): boolean {
  return cause instanceof NetworkError && cause.unsent;
}

/** An answer that exceeds a limit; the same request would get the same answer again. */
export class TooLarge extends NetworkError {
  override readonly name = 'TooLarge';

  constructor(what: string) {
    super(what, false, undefined);
  }

  /** @param compressed whether the limit is of bytes before decompression. */
  static bytes(most: number, compressed = false): TooLarge {
    return new TooLarge(
      `the answer is larger than ${megabytes(most)}${compressed ? ' compressed' : ''}`,
    );
  }
}

/** The port speaks the other protocol: http instead of https, or https instead of http. */
export class WrongProtocol extends NetworkError {
  override readonly name = 'WrongProtocol';
}

/** The proxy cannot be used to reach the service. The message contains its address. */
export class ProxyError extends NetworkError {
  override readonly name = 'ProxyError';

  /** @param proxy its host and port. */
  constructor(proxy: string, problem: string, cause?: unknown) {
    super(`the proxy ${proxy} ${problem}`, true, cause);
  }
}

/** The error of a connection that is not ready in time. */
export const connectTimeout = () =>
  Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' });

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'connecting took too long',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network of the host',
  UND_ERR_SOCKET: 'the connection was closed in the middle',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
  UND_ERR_ABORTED: 'the answer was cut short',
  ERR_STREAM_PREMATURE_CLOSE: 'the answer was cut short',
  Z_BUF_ERROR: 'the compressed answer was cut short',
  Z_DATA_ERROR: 'the compressed answer is damaged',
};

/**
 * The problem in plain words: messages of OpenSSL and undici contain memory addresses and file
 * names.
 */
function sentence(error: unknown, code: string): string {
  const known = SENTENCES[code];
  if (known !== undefined) return known;
  if (/^(ERR_SSL_|EPROTO$)/.test(code)) return `the secure connection failed (${code})`;
  if (!(error instanceof Error)) return String(error);
  return error.name === 'HTTPParserError' ? 'the answer is not HTTP' : error.message;
}

function isUntrusted(code: string): boolean {
  return /CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code);
}

const PRIVATE_AUTHORITY =
  'if your network has its own certificate authority,' +
  ' set NODE_EXTRA_CA_CERTS to its certificate file';

/** The error for a certificate that is not trusted, with the code of the reason. */
function untrusted(whose: string, code: string, cause: unknown): CliError {
  return new CliError('unavailable', `the certificate of ${whose} cannot be trusted (${code})`, {
    hint: PRIVATE_AUTHORITY,
    cause,
  });
}

// The error for a port without TLS depends on its first bytes and the version of OpenSSL.
const NOT_TLS =
  /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD_LAYER_FAILURE)$/;

/** A {@link CliError} or {@link NetworkError} for an error of undici, zlib or `send`. */
export function networkError(error: unknown, unsent: boolean): Error {
  if (error instanceof CliError || error instanceof NetworkError) return error;
  const code = codeOf(error);
  if (isUntrusted(code)) return untrusted('the service', code, error);
  if (NOT_TLS.test(code)) return new WrongProtocol('the port does not speak https', unsent, error);
  // `data` has bytes of a malformed answer. Half a secret in them could not be masked.
  const data = error instanceof Error && 'data' in error ? String(error.data) : '';
  if (error instanceof Error && 'data' in error) delete error.data;
  // The first bytes of a TLS alert.
  if (data.startsWith('\u0015\u0003')) {
    return new WrongProtocol('the port does not speak http, but https', unsent, error);
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new CliError('unexpected', (error as Error).message, { cause: error });
  }
  // The same request would get the same head again.
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new TooLarge('the head of the answer is larger than 16 KB');
  return new NetworkError(sentence(error, code), unsent, error);
}

/**
 * A {@link ProxyError}, or a {@link CliError} for a bad certificate. @param proxy its host and
 * port.
 */
export function proxyError(error: unknown, proxy: string): Error {
  if (error instanceof NetworkError) return error;
  const code = codeOf(error);
  if (isUntrusted(code)) return untrusted(`the proxy ${proxy}`, code, error);
  if (NOT_TLS.test(code)) return new ProxyError(proxy, 'does not speak https', error);
  return new ProxyError(proxy, `cannot be used: ${sentence(error, code)}`, error);
}

/** A {@link networkError} of TLS through a proxy. @param proxy the proxy's host and port. */
export function tunnelError(error: unknown, proxy: string): Error {
  const failed = networkError(error, true);
  if (!(failed instanceof NetworkError) || failed instanceof WrongProtocol) return failed;
  return new NetworkError(`${failed.message}, through the proxy ${proxy}`, true, error);
}

/**
 * The code of an error. For a write during the TLS handshake it is EPROTO, with OpenSSL's code in
 * the text.
 */
function codeOf(error: unknown): string {
  const code = errorCode(error) ?? '';
  const isNotTls =
    code === 'EPROTO' && /:0A00010B:|wrong version number/i.test((error as Error).message);
  return isNotTls ? 'ERR_SSL_WRONG_VERSION_NUMBER' : code;
}
