import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync, inflateSync } from 'node:zlib';
import { type Answer, htmlPage, problem, Refusal, type Request } from '../http/answer.ts';
import { withServiceHeaders } from '../http/service-headers.ts';
import { type FaultRule, isContentFault } from '../state/faults.ts';
import { type Identity, identify } from '../state/identity.ts';
import { CONTROL_PREFIX, control } from './control.ts';
import { route, topicOf } from './router.ts';
import { pause, send, type TransportFault } from './send.ts';
import type { Service } from './service.ts';

/** The largest request body that the front server accepts, in bytes (service.md, E12). */
const MAX_BODY = 10 * 1024 * 1024;

/** Answers one HTTP request. Never rejects: an internal error becomes a 500. */
export async function serve(
  service: Service,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    response.setHeader('date', new Date(service.world.clock.now()).toUTCString());
    const request = await readRequest(incoming);
    if (request.path.startsWith(CONTROL_PREFIX))
      await send(incoming, response, control(service, request));
    else if (request.path === '/heartbeat')
      await send(incoming, response, answerTo(service, request, { kind: 'anonymous' }));
    else await serveApi(service, request, incoming, response);
  } catch (error) {
    if (incoming.destroyed && !incoming.complete) return;
    const answer = error instanceof Refusal ? error.answer : problem(500, describe(error));
    if (response.headersSent) response.destroy();
    else await send(incoming, response, answer);
  }
}

async function serveApi(
  service: Service,
  request: Request,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { world, latencyMs } = service;
  const started = performance.now();
  const fault = world.faults.next(topicOf(request));
  const identity = identify(request.headers.authorization, world.accounts, world.keys);
  const target = request.query === '' ? request.path : `${request.path}?${request.query}`;
  const entry = world.log.add(
    world.clock.now(),
    request.method,
    target,
    request.headers,
    identity,
    fault?.spec,
  );
  response.once('close', () => {
    entry.durationMs = Math.round((performance.now() - started) * 1000) / 1000;
    entry.status = response.headersSent ? response.statusCode : null;
  });
  const tooMany = world.rateLimit?.refuse(incoming.socket.remoteAddress ?? '');
  const answer =
    tooMany === undefined ? faulty(service, request, identity, fault) : throttled(tooMany);
  if (latencyMs > 0 && !(await pause(response, latencyMs))) return;
  await send(incoming, response, answer, fault && transportFault(fault, answer));
}

/**
 * The answer, or the fault that replaces it. Some faults strike before the request is carried out,
 * some after.
 */
function faulty(
  service: Service,
  request: Request,
  identity: Identity,
  fault: FaultRule | undefined,
): Answer {
  switch (fault?.kind) {
    case '500':
      return htmlPage(500);
    case '502':
      return htmlPage(502);
    case '403':
      return htmlPage(403);
    case '429':
      return throttled(Number(fault.parameter));
    case '504':
      answerTo(service, request, identity);
      return htmlPage(504);
    default:
      service.world.catalogue.indexDelay =
        fault?.kind === 'late-index' ? Number(fault.parameter) : 0;
      return answerTo(
        service,
        request,
        identity,
        fault && isContentFault(fault.kind) ? fault : undefined,
      );
  }
}

function answerTo(
  { world }: Service,
  request: Request,
  identity: Identity,
  fault?: FaultRule,
): Answer {
  try {
    if (identity.kind === 'api-key') world.keys.touch(identity.key);
    const answer = route(world, request, identity, fault);
    return answer === 'poisoned' ? htmlPage(504) : withServiceHeaders(answer, request);
  } catch (error) {
    if (error instanceof Refusal) return withServiceHeaders(error.answer, request);
    throw error;
  }
}

function throttled(seconds: number): Answer {
  return problem(429, 'You have exceeded the number of requests allowed.', {
    'retry-after': String(seconds),
  });
}

function transportFault(
  { kind, parameter }: FaultRule,
  { status }: Answer,
): TransportFault | undefined {
  if (kind === 'lost-answer') return status < 300 ? { kind: 'reset' } : undefined;
  if (kind === 'slow') return { kind, durationMs: Number(parameter) };
  return kind === 'reset' || kind === 'truncate' || kind === 'truncate-gzip' || kind === 'stall'
    ? { kind }
    : undefined;
}

async function readRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Keep the connection when the loop ends early, so that the refusal can be sent.
  const pieces: AsyncIterable<Buffer> = incoming.iterator({ destroyOnReturn: false });
  for await (const chunk of pieces) {
    length += chunk.length;
    if (length > MAX_BODY && !incoming.url?.startsWith(CONTROL_PREFIX))
      throw new Refusal({ ...htmlPage(413), headers: { connection: 'close' } });
    chunks.push(chunk);
  }
  const host = incoming.headers.host ?? '';
  // Refuse foreign host names: a web page could make its own name resolve to this address (DNS
  // rebinding).
  if (!/^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i.test(host)) {
    throw new Refusal(problem(403, 'The emulator answers to loopback addresses only.'));
  }
  const target = incoming.url ?? '/';
  const { 'content-encoding': encoding = '', ...headers } = incoming.headers;
  const isZipped = /^(?:gzip|deflate)$/.test(encoding) && /POST|PUT/.test(incoming.method ?? '');
  const body = Buffer.concat(chunks);
  const mark = target.indexOf('?');
  return {
    // HEAD is answered like GET; node leaves the body out.
    method: incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? 'GET'),
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    // The service reads every compressed body as JSON.
    headers: isZipped
      ? { ...headers, 'content-type': 'application/vnd.api+json' }
      : incoming.headers,
    body: (isZipped ? unzipped(body, encoding) : body).toString(),
    origin: `http://${host}`,
  };
}

function unzipped(body: Buffer, encoding: string): Buffer {
  try {
    return encoding === 'gzip' ? gunzipSync(body) : inflateSync(body);
  } catch (error) {
    throw new Refusal(problem(400, describe(error)));
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
