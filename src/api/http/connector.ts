import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { buildConnector } from 'undici';
import { connectTimeout, proxyError, tunnelError } from './network-error.ts';
import { openTunnel } from './proxy-tunnel.ts';

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

/** Connects to an endpoint through a proxy. @throws {ProxyError}, or an error of the connection. */
async function connectThroughProxy(
  proxy: URL,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<Socket> {
  const isSecure = proxy.protocol === 'https:';
  const port = Number(proxy.port) || (isSecure ? 443 : 80);
  const hostname = proxy.hostname.replace(/^\[|\]$/g, '');
  const socket = await openSocket({ hostname, port, isSecure }, signal);
  await openTunnel(socket, proxy, endpoint);
  return socket;
}
