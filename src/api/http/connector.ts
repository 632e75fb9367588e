import { connect as connectPlain, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { buildConnector } from 'undici';
import {
  connectTimeout,
  NetworkError,
  ProxyError,
  proxyError,
  tunnelError,
} from './network-error.ts';

interface ConnectorOptions {
  /** The time limit until a request can be sent, in milliseconds. */
  readonly timeoutMs: number;
  readonly proxy: URL | undefined;
  /** Resolves names instead of `dns.lookup`; unused with a proxy, which resolves them itself. */
  readonly lookup: LookupFunction | undefined;
}

interface Endpoint {
  readonly hostname: string;
  readonly port: number;
  readonly isSecure: boolean;
}

const MAX_HEAD_BYTES = 16 * 1024;
const KEEP_ALIVE_MS = 60_000;

/**
 * Opens undici's connections, directly or through a proxy, each within one time limit. Undici's own
 * ProxyAgent retries forever when a proxy closes the connection (nodejs/undici#3897), and waits
 * without limit for a silent proxy (nodejs/undici#3944).
 */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #opening = new Set<AbortController>();

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  readonly connect: buildConnector.connector = ({ hostname, port, protocol }, done) => {
    const isSecure = protocol === 'https:';
    this.#open({ hostname, port: Number(port) || (isSecure ? 443 : 80), isSecure }).then(
      (socket) => done(null, socket),
      (error: Error) => done(error, null),
    );
  };

  /** Aborts the connections that are still opening. */
  destroy(): void {
    for (const stop of this.#opening) stop.abort(connectTimeout());
  }

  async #open(endpoint: Endpoint): Promise<Socket> {
    const { timeoutMs, proxy, lookup } = this.#options;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(connectTimeout()), timeoutMs);
    this.#opening.add(stop);
    try {
      if (proxy === undefined) return await openSocket(endpoint, stop.signal, { lookup });
      const socket = await connectThroughProxy(proxy, endpoint, stop.signal).catch(
        (error: unknown) => {
          throw proxyError(error, proxy.host);
        },
      );
      if (!endpoint.isSecure) return socket;
      return await openSocket(endpoint, stop.signal, { socket }).catch((error: unknown) => {
        throw tunnelError(error, proxy.host);
      });
    } catch (error) {
      // Closes any socket that is already open.
      stop.abort(error);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#opening.delete(stop);
    }
  }
}

function openSocket(
  { hostname: host, port, isSecure }: Endpoint,
  signal: AbortSignal,
  { lookup, socket: over }: { lookup?: LookupFunction | undefined; socket?: Socket } = {},
): Promise<Socket> {
  const lookupOption = lookup === undefined ? {} : { lookup };
  const lasting = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  // Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0.
  const verified = { rejectUnauthorized: true, servername: isIP(host) === 0 ? host : '' };
  const options = { host, port, ...lasting, ...lookupOption };
  const socket = isSecure
    ? connectSecure({
        ...options,
        ...verified,
        ...(over && { socket: over }),
        ALPNProtocols: ['http/1.1'],
      })
    : connectPlain(options);
  return new Promise((resolve, reject) => {
    const stop = () => socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    // The listener stays, because an error without one would end the process.
    socket.on('error', reject).once(isSecure ? 'secureConnect' : 'connect', () => resolve(socket));
    if (signal.aborted) stop();
  });
}

/**
 * Opens a tunnel through the proxy to an endpoint. @throws {ProxyError}, or an error of the
 * connection.
 */
async function connectThroughProxy(
  proxy: URL,
  { hostname, port }: Endpoint,
  signal: AbortSignal,
): Promise<Socket> {
  const isSecure = proxy.protocol === 'https:';
  const proxyPort = Number(proxy.port) || (isSecure ? 443 : 80);
  const endpoint = { hostname: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxyPort, isSecure };
  const socket = await openSocket(endpoint, signal);
  const target = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
  const account = [proxy.username, proxy.password].map(decodeURIComponent).join(':');
  const authorization = `proxy-authorization: Basic ${Buffer.from(account).toString('base64')}\r\n`;
  socket.write(
    `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${account === ':' ? '' : authorization}\r\n`,
  );
  const status = await tunnelStatus(socket, proxy.host);
  const problem = `refused to connect (HTTP ${status})`;
  // The proxy reports a failure of the host.
  if (status >= 500) throw new NetworkError(`the proxy ${proxy.host} ${problem}`, true, undefined);
  if (status > 299) throw new ProxyError(proxy.host, problem);
  return socket;
}

/** Reads the status of the answer to CONNECT. Bytes after its head stay in the socket. */
function tunnelStatus(socket: Socket, proxy: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const read = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        received = Buffer.concat([received, chunk as Buffer]);
      }
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        const status = Number(
          /^HTTP\/1\.[01] (\d{3})\b/.exec(received.toString('latin1', 0, end))?.[1],
        );
        received = received.subarray(end + 4);
        // Interim answers (1xx) precede the final one.
        if (status < 200) continue;
        socket.off('readable', read).off('end', closed).off('close', closed);
        if (received.length > 0) socket.unshift(received);
        return Number.isNaN(status) ? reject(noProxy) : resolve(status);
      }
      const isHttp = 'HTTP/'.startsWith(received.toString('latin1', 0, 5));
      if (received.length > MAX_HEAD_BYTES || !isHttp) reject(noProxy);
    };
    const noProxy = new ProxyError(proxy, 'does not answer as an HTTP proxy');
    const closed = () => reject(new ProxyError(proxy, 'closed the connection'));
    socket.on('readable', read).once('end', closed).once('close', closed).on('error', reject);
  });
}
