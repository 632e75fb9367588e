import { describe, expect, it } from 'vitest';
import { isTransient, responseError } from '../../../src/api/http/error-response.ts';

const refusal = (status: number, body: unknown) => ({
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfterMs: undefined,
  mask: (words: string) => words.replaceAll('a secret', '***'),
});
const html = '<html><head><title>Forbidden</title></head></html>';

describe('responseError', () => {
  const errors = (...all: unknown[]) => ({ errors: all });
  it.each([
    [
      'an entry with a status',
      404,
      errors({ status: '404', title: 'Gone.' }),
      'Gone.',
      'not-found',
    ],
    [
      'entries with a source',
      422,
      errors({ source: 'creators', title: "can't be blank" }, { source: 'url', title: 'is wrong' }),
      "creators: can't be blank; url: is wrong",
      'rejected',
    ],
    ['an object', 400, { errors: { title: 'Failed to parse' } }, 'Failed to parse', 'rejected'],
    ['a title', 500, { status: 500, title: 'A timeout' }, 'A timeout', 'unavailable'],
    ['strings', 400, errors('one', 'two'), 'one; two', 'rejected'],
    ['a message', 405, { message: 'Method not allowed' }, 'Method not allowed', 'rejected'],
    ['a JSON 403', 403, errors({ title: 'You are not authorized' }), 'You are not', 'credentials'],
    ['a 401 without words', 401, {}, 'the credentials were refused', 'credentials'],
    ['an HTML 403', 403, html, 'the service limits the rate of requests', 'throttled'],
    ['a 429', 429, '', 'the service limits the rate of requests', 'throttled'],
    ['an HTML 502', 502, html, 'the proxy in front of the service cannot', 'unavailable'],
    ['an unknown 5xx', 599, html, 'the service failed', 'unavailable'],
    ['an unknown 4xx', 418, html, 'the service refused', 'rejected'],
  ])('%s', (_, status, body, words, kind) => {
    const error = responseError(refusal(status, body));
    expect(error.message).toContain(words);
    expect(error.message).toContain(`(HTTP ${status})`);
    expect(error.message).not.toContain('<');
    const exitCode = { credentials: 4, throttled: 5, unavailable: 5 }[kind] ?? 1;
    expect([error.kind, error.exitCode, error.status]).toEqual([kind, exitCode, status]);
  });
});

it('keeps what the service lists apart', () => {
  const body = {
    errors: [{ source: 'url', title: 'is\nwrong' }, { title: 'and more' }, 'words', 7, {}],
  };
  expect(responseError(refusal(422, body)).problems).toEqual([
    { path: 'url', message: 'is wrong' },
    { path: null, message: 'and more' },
    { path: null, message: 'words' },
  ]);
  expect(responseError(refusal(502, html)).problems).toEqual([]);
});

describe('isTransient', () => {
  it('tells throttling by the load balancer from a missing permission', () => {
    expect(isTransient(refusal(403, html))).toBe(true);
    expect(isTransient(refusal(403, ''))).toBe(true);
    expect(isTransient(refusal(403, { errors: [] }))).toBe(false);
    expect([408, 429, 500, 503].every((status) => isTransient(refusal(status, '')))).toBe(true);
    expect([400, 401, 404, 422].some((status) => isTransient(refusal(status, '')))).toBe(false);
  });
});
