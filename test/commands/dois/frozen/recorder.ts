import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that the service received, and what became of it. */
export interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  body: string;
  /** The status of the answer, or that there was none. */
  answer: string;
  /** The body of the answer. */
  text: string;
}

/** What happens at a request. */
export interface Watch {
  /** Called before the service gets it; false keeps it from the service. */
  readonly asked?: (received: Received) => boolean;
  /**
   * Called when the service has answered, before the client knows; false keeps the answer from it.
   */
  readonly answered?: (received: Received) => boolean;
}

export interface Recorder {
  readonly url: string;
  /** Records the requests from here on in a new list, and returns that. */
  record(watch?: Watch): readonly Received[];
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Starts a server in front of a service. It passes requests and answers on; an answer that is lost
 * stays so.
 */
export async function startRecorder(service: string): Promise<Recorder> {
  let [list, watch]: [Received[], Watch] = [[], {}];
  const server = createServer(async (incoming, outgoing) => {
    const { asked, answered } = watch;
    const { method = '', url: path = '' } = incoming;
    const received: Received = { method, path, body: '', answer: 'no answer', text: '' };
    list.push(received);
    received.body = (await bytesOf(incoming)).toString();
    const mayPass = asked?.(received) ?? true;
    const answer = mayPass ? await answerOf(service, incoming, received.body) : undefined;
    if (answer !== undefined) {
      Object.assign(received, { answer: String(answer.status), text: answer.body.toString() });
    }
    const mayReturn = answered?.(received) ?? true;
    if (answer === undefined || !mayReturn) incoming.socket.resetAndDestroy();
    else outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    record(next = {}) {
      [list, watch] = [[], next];
      return list;
    },
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The answer of the service; undefined where the connection ended before it did. */
function answerOf(
  service: string,
  incoming: IncomingMessage,
  body: string,
): Promise<Answer | undefined> {
  // An answer that is not packed can be read here.
  const { 'accept-encoding': _, ...headers } = incoming.headers;
  return new Promise((resolve) => {
    const lost = () => resolve(undefined);
    // Each request has a connection of its own: a fault that resets it ends no other.
    const options = { method: incoming.method, headers, agent: false };
    request(new URL(incoming.url ?? '', service), options, (message) => {
      const { statusCode: status = 0, headers: sent } = message;
      bytesOf(message).then((bytes) => resolve({ status, headers: sent, body: bytes }), lost);
    })
      .on('error', lost)
      .end(body);
  });
}
