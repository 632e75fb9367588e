import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * What to do with a request: let it through, or keep its client waiting for ever, before or after
 * it is carried out.
 */
export type Verdict = 'pass' | 'hold' | 'carry out and hold';

/**
 * A server between the program and the emulator, which decides about every request.
 * @param decide is asked with the method and the path; what it has to do at that moment it does
 *   itself.
 */
export async function interposed(
  target: string,
  decide: (method: string, path: string) => Verdict | Promise<Verdict>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const body = await bodyOf(request);
    const verdict = await decide(method, url);
    if (verdict === 'hold') return;
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: { authorization, 'content-type': type },
      ...(body.length > 0 ? { body } : {}),
    });
    const content = Buffer.from(await answer.arrayBuffer());
    if (verdict === 'carry out and hold') return;
    const headers = [...answer.headers].filter(([name]) => /^(x-|content-type)/.test(name));
    response.writeHead(answer.status, Object.fromEntries(headers)).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
