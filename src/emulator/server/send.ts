import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Answer } from '../http/answer.ts';

/** A fault of the connection, not of the content. */
export type TransportFault =
  | { readonly kind: 'reset' | 'truncate' | 'truncate-gzip' | 'stall' }
  | { readonly kind: 'slow'; readonly durationMs: number };

const SMALLEST_COMPRESSED = 1024;
const SLOW_PIECES = 20;

const compress = promisify(gzip);

/** Compresses an answer if the client accepts that, and sends it, possibly damaged by a fault. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  fault?: TransportFault,
): Promise<void> {
  if (fault?.kind === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  const plain =
    typeof answer.body === 'string' ? Buffer.from(answer.body) : (answer.body ?? Buffer.alloc(0));
  const zipped =
    plain.length >= SMALLEST_COMPRESSED && acceptsGzip(request.headers['accept-encoding']);
  // The lowest level: benchmarks measure the client, so the emulator compresses as fast as it can.
  const body = zipped ? await compress(plain, { level: constants.Z_BEST_SPEED }) : plain;
  if (response.destroyed) return;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.contentType !== undefined) response.setHeader('content-type', answer.contentType);
  if (!response.hasHeader('vary')) response.setHeader('vary', 'Accept-Encoding');
  if (zipped) response.setHeader('content-encoding', 'gzip');
  const half = body.subarray(0, Math.ceil(body.length / 2));
  const sent = fault?.kind === 'truncate-gzip' ? half : body;
  if (answer.status !== 204 && answer.status !== 304)
    response.setHeader('content-length', sent.length);
  switch (fault?.kind) {
    case 'truncate':
      response.write(half, () => response.destroy());
      return;
    case 'stall':
      response.write(half);
      return;
    case 'slow':
      await trickle(response, body, fault.durationMs);
      return;
    default:
      response.end(sent);
  }
}

async function trickle(response: ServerResponse, body: Buffer, durationMs: number): Promise<void> {
  const size = Math.max(1, Math.ceil(body.length / SLOW_PIECES));
  for (let at = 0; at < body.length; at += size) {
    response.write(body.subarray(at, at + size));
    if (!(await pause(response, durationMs / SLOW_PIECES))) return;
  }
  response.end();
}

/**
 * Waits until the time is over or the client disconnects. Returns whether the client is still
 * connected.
 */
export async function pause(response: ServerResponse, milliseconds: number): Promise<boolean> {
  if (response.destroyed) return false;
  return await new Promise((resolve) => {
    const onClose = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      response.off('close', onClose);
      resolve(true);
    }, milliseconds);
    response.once('close', onClose);
  });
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  const offers = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .toLowerCase()
    .split(',');
  return offers.some((offer) => /^\s*(gzip|x-gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/.test(offer));
}
