import { lookup } from 'node:dns/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connectError } from './transport.ts';

/** Where a connection goes: the service, or the proxy in front of it. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

export function endpointOf({ protocol, hostname, port }: URL): Endpoint {
  const secure = protocol === 'https:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80), secure };
}

/** How long a step may take, and what stops it. */
interface Bounds {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * The addresses of a name.
 * @throws {CliError} kind `unavailable` when there are none in time; the signal's reason when stopped.
 */
export async function addressesOf(
  { host }: Endpoint,
  { limitMs, signal }: Bounds,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  let stop = () => {};
  // A look-up itself cannot be stopped.
  const stopped = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer came in time')), limitMs);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
  });
  try {
    return (await Promise.race([lookup(host, { all: true }), stopped])).map(({ address }) => address);
  } catch (error) {
    throw signal.aborted ? signal.reason : connectError(host, error);
  } finally {
    stop();
  }
}

/**
 * Connects and hangs up, without sending anything but the greeting of TLS.
 * @returns until when the certificate is valid, as it says; undefined without TLS.
 * @throws {CliError} kind `unavailable`; the signal's reason when stopped.
 */
export function tryToConnect(
  { host, port, secure }: Endpoint,
  { limitMs, signal }: Bounds,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const done = (validUntil?: string) => {
      resolve(validUntil);
      socket.destroy();
    };
    const open = (): Socket => {
      if (!secure) return connectTcp({ host, port }, () => done());
      // Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0.
      const options = { host, port, rejectUnauthorized: true, ...nameOf(host) };
      const tls = connectTls(options, () => done(tls.getPeerCertificate().valid_to));
      return tls;
    };
    const socket = open();
    const onAbort = () => socket.destroy(new Error('stopped'));
    signal.addEventListener('abort', onAbort);
    socket.setTimeout(limitMs, () => socket.destroy(new Error('connecting took too long')));
    socket.once('error', (error) => {
      reject(signal.aborted ? signal.reason : connectError(`${host}:${port}`, error));
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      // A connection that ends without an error and before it is made.
      reject(connectError(`${host}:${port}`, new Error('the connection was closed')));
    });
  });
}

/** A server is asked for by name only: an address is none. */
function nameOf(host: string): { servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}
