import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createProxy, type Server } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * A key and a certificate for `localhost` that nobody trusts yet, in a folder; needs the program
 * openssl.
 */
export function makeCertificate(folder: string): { key: Buffer; cert: Buffer; file: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...`req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2
      -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout`.split(/\s+/),
      key,
      '-out',
      cert,
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  return { key: readFileSync(key), cert: readFileSync(cert), file: cert };
}

/** The emulator behind TLS; what it is asked is counted. */
export async function behindTls(
  target: string,
  { key, cert }: { key: Buffer; cert: Buffer },
): Promise<{ baseUrl: string; asked: () => number }> {
  let asked = 0;
  const server = createServer({ key, cert }, async (request, response) => {
    asked += 1;
    const { authorization = '' } = request.headers;
    const answer = await fetch(`${target}${request.url}`, { headers: { authorization } });
    const headers = [...answer.headers].filter(([name]) => /^(x-|content-type)/.test(name));
    response
      .writeHead(answer.status, Object.fromEntries(headers))
      .end(Buffer.from(await answer.arrayBuffer()));
  });
  return { baseUrl: `https://localhost:${await listening(server)}`, asked: () => asked };
}

/**
 * A proxy that connects to where it is told, or refuses with a status; it keeps what it was asked.
 */
export async function startProxy(
  refusal?: number,
): Promise<{ url: string; connects: string[]; headers: string[] }> {
  const connects: string[] = [];
  const headers: string[] = [];
  const proxy = createProxy((_request, response) => response.writeHead(500).end());
  proxy.on('connect', (request, socket) => {
    connects.push(request.url ?? '');
    headers.push(JSON.stringify(request.headers));
    socket.on('error', () => undefined);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} Refused\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(Number((request.url ?? '').split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
  return { url: `http://127.0.0.1:${await listening(proxy)}`, connects, headers };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
