import { isIPv6, type Socket } from 'node:net';
import { NetworkError, ProxyError } from './network-error.ts';

const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Makes a connection to a proxy a tunnel to a host. @throws {ProxyError}, or an error of the
 * connection.
 */
export async function openTunnel(
  socket: Socket,
  proxy: URL,
  { hostname, port }: { readonly hostname: string; readonly port: number },
): Promise<void> {
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
