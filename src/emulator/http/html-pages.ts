import type { Answer } from './answer.ts';

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
