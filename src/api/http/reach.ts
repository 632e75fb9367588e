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

/**
 * The addresses of a name.
 * @throws {CliError} kind `unavailable` when there are none within `limitMs`.
 */
export async function addressesOf({ host }: Endpoint, limitMs: number): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  // A look-up cannot be stopped.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer came in time')), limitMs);
  });
  try {
    return (await Promise.race([lookup(host, { all: true }), late])).map(({ address }) => address);
  } catch (error) {
    throw connectError(host, error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Connects and hangs up, without sending anything but the greeting of TLS.
 * @returns until when the certificate is valid, as it says; undefined without TLS.
 * @throws {CliError} kind `unavailable`.
 */
export function tryToConnect({ host, port, secure }: Endpoint, limitMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const done = (validUntil?: string) => {
      socket.destroy();
      resolve(validUntil);
    };
    const open = (): Socket => {
      if (!secure) return connectTcp({ host, port }, () => done());
      // Certificates are verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0.
      const options = { host, port, rejectUnauthorized: true, ...nameOf(host) };
      const tls = connectTls(options, () => done(tls.getPeerCertificate().valid_to));
      return tls;
    };
    const socket = open();
    socket.setTimeout(limitMs, () => socket.destroy(new Error('connecting took too long')));
    socket.once('error', (error) => reject(connectError(`${host}:${port}`, error)));
  });
}

/** A server is asked for by name only: an address is none. */
function nameOf(host: string): { servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}
