import { describe, expect, it } from 'vitest';
import { Http } from '../../src/api/http/http.ts';
import type { ApiKey } from '../../src/api/keys.ts';
import { createKeySafely, describeKey, revokeKeySafely } from '../../src/core/key-changes.ts';
import { CliError } from '../../src/errors.ts';
import { type Answer, answer, reset, serve } from '../helpers/server.ts';

const PREFIX = 'DC.Abcdefgh';
const NEW = {
  id: 'new',
  type: 'apiKeys',
  attributes: {
    name: 'ci',
    keyPrefix: PREFIX,
    created: '2026-01-01T00:00:00Z',
    updated: '2026-01-01T00:00:00Z',
    lastUsedAt: null,
    revokedAt: null,
  },
} as const;
const keyOf = (attributes: Partial<ApiKey['attributes']> = {}, id = 'new'): ApiKey => ({
  ...NEW,
  id,
  attributes: { ...NEW.attributes, ...attributes },
});
const REVOKED = keyOf({ revokedAt: '2026-01-02T00:00:00Z' });
const OLD = keyOf({ name: 'old' }, 'old');
const created = (attributes: Partial<ApiKey['attributes']> = {}, id?: string) =>
  answer(201, { data: keyOf({ key: `${PREFIX}x`, ...attributes }, id) });
const listed = (...keys: readonly ApiKey[]) =>
  answer(200, { data: keys, meta: { total: keys.length } });
const suggest = (...words: readonly string[]) => words.join(' ');

async function httpOf(...answers: readonly Answer[]) {
  const { url, asked } = await serve(...answers);
  const http = new Http({
    baseUrl: url,
    authorization: undefined,
    userAgent: 'doi-cli/test',
    mask: (text) => text,
    timeoutMs: 5000,
    retries: 0,
    signal: new AbortController().signal,
    now: Date.now,
    random: () => 0,
    sleep: async () => undefined,
    onRetry: () => undefined,
  });
  return { http, requests: () => asked.map(({ method }) => method) };
}

async function create(...answers: readonly Answer[]) {
  const { http, requests } = await httpOf(...answers);
  const key = createKeySafely(http, 'ci', [OLD], suggest);
  const result = await key.catch((error: unknown) => error);
  return { result, requests: requests() };
}

describe('the creation of a key', () => {
  it.each([
    ['is named otherwise', created({ name: 'other' }), /is named 'other'/],
    ['is revoked', created({ revokedAt: '2026-01-02T00:00:00Z' }), /is revoked/],
    ['has the id of an older one', created({}, 'old'), /has the id of an older key, old/],
    ['has another prefix', created({ key: 'DC.Zzzzzzzzx' }), /does not begin with its prefix/],
  ])('is in doubt when the key of the answer %s', async (_, wrong, message) => {
    const { result, requests } = await create(wrong, listed(OLD));
    expect(result).toBeInstanceOf(CliError);
    expect(result).toMatchObject({ kind: 'unavailable', message, hint: 'try again' });
    expect(requests).toEqual(['POST', 'GET']);
  });

  const named = (id: string, name = 'ci') => keyOf({ name }, id);
  it.each<[string, readonly Answer[], object]>([
    [
      'is unknown when looking for the key fails too',
      [reset, answer(401, { errors: [{ title: 'Bad credentials.' }] })],
      { message: /a key named 'ci' may exist.*Bad credentials/, hint: 'keys list' },
    ],
    [
      'names every key that it could be, and claims none',
      [answer(500, ''), listed(named('a'), named('b'), named('c', 'x'), OLD)],
      { message: /'ci' has appeared \(id a, b\): if nobody else made it/, hint: 'keys revoke a' },
    ],
    [
      'was refused with a 404',
      [answer(404, { errors: [{ title: 'not found' }] })],
      { kind: 'credentials', message: /does not let this account create keys/ },
    ],
  ])('%s', async (_, answers, expected) => {
    expect((await create(...answers)).result).toMatchObject({ kind: 'unavailable', ...expected });
  });
});

describe('the revocation of a key', () => {
  async function revoke(...answers: readonly Answer[]) {
    const { http, requests } = await httpOf(...answers);
    const result = await revokeKeySafely(http, keyOf()).catch((error: unknown) => error);
    return { result, requests: requests() };
  }
  it('keeps the first error when the list proves nothing', async () => {
    const { result } = await revoke(answer(404, {}), listed(OLD, keyOf()));
    expect(result).toMatchObject({ kind: 'not-found', status: 404 });
  });
  it.each([404, 503])('is believed where the list shows it, after HTTP %i', async (status) => {
    expect((await revoke(answer(status, {}), listed(OLD, REVOKED))).result).toEqual(REVOKED);
  });
  it('is in doubt when the list cannot be read', async () => {
    const { result } = await revoke(answer(204, undefined), answer(500, ''));
    expect(result).toMatchObject({
      kind: 'unavailable',
      message: /it was revoked, but the list of keys cannot be read: /,
    });
  });
  it('that is refused reads no list', async () => {
    const { result, requests } = await revoke(answer(401, {}));
    expect(result).toMatchObject({ kind: 'credentials', status: 401 });
    expect(requests).toEqual(['DELETE']);
  });
});

describe('a key in a message', () => {
  const NOW = Date.parse('2026-01-04T00:00:00Z');
  it.each([
    [keyOf(), undefined, `new 'ci' (${PREFIX}, never used)`],
    [
      keyOf({ lastUsedAt: '2026-01-01T00:00:00Z' }),
      undefined,
      `new 'ci' (${PREFIX}, last used 2026-01-01T00:00:00Z)`,
    ],
    [
      keyOf({ lastUsedAt: '2026-01-01T00:00:00Z' }),
      NOW,
      `new 'ci' (${PREFIX}, last used 3 days ago)`,
    ],
    [keyOf({ lastUsedAt: ' ' }), NOW, `new 'ci' (${PREFIX}, last used unknown)`],
    [REVOKED, NOW, `new 'ci' (${PREFIX}, revoked 2 days ago)`],
    [keyOf({ name: 'a\nb' }), NOW, `new 'a\\x0ab' (${PREFIX}, never used)`],
  ])('%# has its id, name, prefix and use', (key, now, text) => {
    expect(describeKey(key, now)).toBe(text);
  });
});
