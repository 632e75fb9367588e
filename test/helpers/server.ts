import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { PASSWORD, REPOSITORY } from './emulator.ts';

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, exchange: Exchange) => void;

/**
 * Starts a server that gives the answers in turn, repeats the last one, and records the requests.
 * It closes when the test ends.
 */
export async function serve(
  ...answers: readonly Answer[]
): Promise<{ url: URL; asked: Exchange[] }> {
  const asked: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const exchange = { method, url, headers, body: Buffer.concat(chunks).toString() };
    const answer = answers[Math.min(asked.push(exchange), answers.length) - 1];
    try {
      if (answer === undefined) response.writeHead(418).end(`unexpected ${method} ${url}`);
      else answer(response, exchange);
    } catch (error) {
      // The test fails by it, and the client does not wait for an answer that never comes.
      response.destroy();
      throw error;
    }
  });
  // A busy machine may take longer between two requests than Node keeps a connection.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), asked };
}

/**
 * Answers with a body: an object as JSON, text as HTML. A success names the account of the
 * credentials, as the service does (service.md, A6).
 */
export function answer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const type = typeof body === 'string' ? 'text/html' : 'application/json; charset=utf-8';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response, exchange) => {
    const named = status < 300 ? namesCaller(exchange) : {};
    response.writeHead(status, { 'content-type': type, ...named, ...headers }).end(text);
  };
}

/**
 * The header that names the account of the credentials in a request; all API keys belong to
 * DEMO.REPO.
 */
export function namesCaller({ headers: { authorization } }: Exchange): Record<string, string> {
  if (!authorization?.startsWith('Basic ')) return {};
  const [name = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64')
    .toString()
    .split(':');
  return { 'x-credential-username': name.startsWith('DC.') ? 'demo.repo' : name.toLowerCase() };
}

/** The environment of a user who works as DEMO.REPO with a server. */
export const accountAt = (url: URL, password = PASSWORD): Record<string, string> => ({
  DOI_CLI_BASE_URL: url.origin,
  DOI_CLI_REPOSITORY: REPOSITORY,
  DOI_CLI_PASSWORD: password,
});

/** Resets the connection before any byte of an answer. */
export const reset: Answer = (response) => response.socket?.resetAndDestroy();

/** Answers with a body that ends too early. */
export const truncated: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":[');
  setTimeout(() => response.destroy(), 5);
};

/** Sends headers and the beginning of a body, and then nothing. */
export const stalled: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"data":[');
};

/** Sends nothing. */
export const silent: Answer = () => undefined;

/** An address of this machine that refuses connections. */
export async function closedPort(): Promise<URL> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return new URL(`http://127.0.0.1:${port}`);
}
