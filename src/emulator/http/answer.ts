import type { IncomingHttpHeaders } from 'node:http';

/** A request after its body has been read. */
export interface Request {
  readonly method: string;
  /** Path without query, still percent-encoded. */
  readonly path: string;
  /** Query without `?`, still percent-encoded. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Scheme and host as the client addressed them, e.g. `http://127.0.0.1:4000`. */
  readonly origin: string;
}

/** A response before it is compressed and sent. */
export interface Answer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON:API documents have the plain type (service.md, E1). */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * A request that cannot be carried out. Code below the router throws it; the router sends its
 * answer.
 */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body: JSON.stringify(value), contentType: JSON_TYPE, headers };
}

/** The common error body: `{"errors":[{"status":"404","title":"…"}]}`. */
export function problem(
  status: number,
  title: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { errors: [{ status: String(status), title }] }, headers);
}

export const BAD_CREDENTIALS = problem(401, 'Bad credentials.');
export const FORBIDDEN = problem(403, 'You are not authorized to access this resource.');
export const NOT_FOUND = problem(404, "The resource you are looking for doesn't exist.");

const TITLES: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  413: 'Request Entity Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  504: 'Gateway Time-out',
};

/** The error pages of the proxies in front of the service: HTML, not JSON. */
export function htmlPage(status: 403 | 413 | 500 | 502 | 504): Answer {
  const title = `${status} ${TITLES[status]}`;
  const body = [
    '<html>',
    `<head><title>${title}</title></head>`,
    '<body>',
    `<center><h1>${title}</h1></center>`,
    '</body>',
    '</html>',
    '',
  ].join('\r\n');
  return { status, body, contentType: 'text/html' };
}
