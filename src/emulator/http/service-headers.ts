import { createHash, randomUUID } from 'node:crypto';
import type { Answer, Request } from './answer.ts';

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';
const ACCEPTED_HEADERS =
  'Accept,Access-Control-Allow-Origin,Access-Control-Expose-Headers,Access-Control-Allow-Methods,' +
  'Access-Control-Allow-Headers,Authorization,Cache-Control,Content-Type,DNT,If-Modified-Since,' +
  'Keep-Alive,Origin,User-Agent,X-Mx-ReqToken,X-Requested-With';

/** The answer of the REST API to any OPTIONS request (service.md, E13). */
export const PREFLIGHT: Answer = {
  status: 204,
  contentType: 'text/plain charset=UTF-8',
  headers: { 'access-control-max-age': '1728000' },
};

/**
 * An answer of the REST API with the headers that the application and the front server add to every
 * answer (service.md, E13); 304 if the client has it.
 */
export function withServiceHeaders(answer: Answer, { headers, method }: Request): Answer {
  const { origin } = headers;
  const added = {
    ...(origin === undefined ? {} : { 'access-control-allow-origin': origin }),
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': ACCEPTED_HEADERS,
    'access-control-expose-headers': 'Authorization',
    'x-lupoversion': 'emulator',
    'x-request-id':
      headers['x-request-id']
        ?.toString()
        .replaceAll(/[^\w@-]/g, '')
        .slice(0, 255) || randomUUID(),
    'x-runtime': '0.01',
    'x-content-type-options': 'nosniff',
  };
  if (method === 'OPTIONS') return { ...answer, headers: { ...answer.headers, ...added } };
  const etag = etagOf(answer, headers['accept-encoding']);
  const cached = {
    'cache-control': etag === undefined ? 'no-cache' : 'max-age=0, private, must-revalidate',
    ...(etag === undefined ? {} : { etag }),
    ...(namesType(headers.accept) ? { vary: 'Accept,Accept-Encoding' } : {}),
  };
  const sent = { ...answer.headers, ...added, ...cached };
  const isKnown = answer.status === 200 && method === 'GET' && etag !== undefined;
  if (isKnown && headers['if-none-match'] === etag) return { status: 304, headers: sent };
  return { ...answer, headers: sent };
}

/** Undefined for a compressed answer, so that pages of a harvest are not hashed. */
function etagOf({ status, body }: Answer, encoding: string | string[] | undefined) {
  if (/gzip|\*/.test(String(encoding)) || body === undefined) return undefined;
  if (status !== 200 && status !== 201) return undefined;
  return `W/"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
}

/** Whether the Accept header has chosen the format. */
function namesType(accept = ''): boolean {
  return accept !== '' && !/^(?:text\/html|\*\/\*)|,\s*\*\/\*|\*\/\*\s*,/.test(accept);
}
