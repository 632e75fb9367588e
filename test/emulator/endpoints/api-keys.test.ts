import { describe, expect, it } from 'vitest';
import { basic, DEMO, MEMBER, OTHER, type Reply, type Service, serviceWith } from '../service.ts';

const KEYS = '/credentials/api-keys';

interface KeyAttributes {
  readonly name: string;
  readonly keyPrefix: string;
  readonly created: string;
  readonly updated: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly key?: string;
}

interface Key {
  readonly id: string;
  readonly type: string;
  readonly attributes: KeyAttributes;
  readonly relationships: unknown;
}

const body = (name: unknown) => ({ data: { type: 'apiKeys', attributes: { name } } });

function errors(reply: Reply): unknown {
  return JSON.parse(reply.text);
}

async function create(service: Service, name: unknown = 'ci', authorization = DEMO): Promise<Key> {
  const reply = await service.send('POST', KEYS, body(name), authorization);
  expect(reply.status).toBe(201);
  return (JSON.parse(reply.text) as { data: Key }).data;
}

async function keys(service: Service, query = '', authorization = DEMO): Promise<Key[]> {
  const reply = await service.get(KEYS + query, authorization);
  expect(reply.status).toBe(200);
  const { data, meta } = JSON.parse(reply.text) as { data: Key[]; meta: { total: number } };
  expect(meta.total).toBe(data.length);
  return data;
}

const revoke = (service: Service, id: string, authorization = DEMO) =>
  service.send('DELETE', `${KEYS}/${id}`, undefined, authorization);

const works = async (service: Service, authorization: string) =>
  (await service.get('/dois?page[size]=0', authorization)).headers.has('x-credential-username');

describe('creating', () => {
  it('answers with the key, once', async () => {
    const service = await serviceWith();
    const { id, type, attributes, relationships } = await create(service, 'ci');
    expect(type).toBe('apiKeys');
    expect(Object.keys(attributes)).toEqual(
      'name keyPrefix created updated lastUsedAt revokedAt key'.split(' '),
    );
    expect(attributes.key).toMatch(/^DC\.[A-Za-z0-9]{32}$/);
    expect(attributes).toMatchObject({
      name: 'ci',
      keyPrefix: attributes.key?.slice(0, 11),
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(attributes.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    // The symbol of the account, in capitals (service.md, K1).
    expect(relationships).toEqual({ client: { data: { id: 'DEMO.REPO', type: 'clients' } } });
    const [listed] = await keys(service);
    expect(listed?.id).toBe(id);
    expect(listed?.attributes).not.toHaveProperty('key');
  });

  it.each([
    ['', "Name can't be blank"],
    ['  ', "Name can't be blank"],
    [null, "Name can't be blank"],
    [['ci'], "Name can't be blank"],
    [undefined, 'param is missing or the value is empty or invalid: attributes'],
  ])('refuses the name %j', async (name, title) => {
    const service = await serviceWith();
    const reply = await service.send('POST', KEYS, body(name), DEMO);
    expect(reply.status).toBe(422);
    expect(errors(reply)).toEqual({ errors: [{ status: '422', title }] });
  });

  it('fails for a name that the column does not hold (service.md, K6)', async () => {
    const service = await serviceWith();
    expect((await service.send('POST', KEYS, body('x'.repeat(192)), DEMO)).status).toBe(500);
    await create(service, 'é'.repeat(191));
  });
});

describe('listing', () => {
  it('lists active keys, newest first, then revoked ones with `true` in any case', async () => {
    const service = await serviceWith();
    const [a, b, c, d] = [
      await create(service, 'a'),
      await create(service, 'b'),
      await create(service, 'c'),
      await create(service, 'd'),
    ];
    await revoke(service, c.id);
    await service.control('clock', { advanceMs: 1000 });
    await revoke(service, a.id);
    const names = async (query: string) =>
      (await keys(service, query)).map(({ attributes }) => attributes.name);
    expect(await names('')).toEqual([d, b].map(({ attributes }) => attributes.name));
    // The service reads the value in lower case (service.md, K9).
    for (const yes of ['true', 'TRUE', 'True']) {
      expect(await names(`?include_revoked=${yes}`)).toEqual(['d', 'b', 'a', 'c']);
    }
    for (const other of ['1', 'yes', 'false', '']) {
      expect(await names(`?include_revoked=${other}`)).toEqual(['d', 'b']);
    }
  });
});

describe('revoking', () => {
  it('is final, and done again overwrites the time', async () => {
    const service = await serviceWith();
    const { id, attributes } = await create(service);
    const key = basic(attributes.key ?? '', '');
    expect(await works(service, key)).toBe(true);
    const first = await revoke(service, id);
    expect([first.status, first.text]).toEqual([204, '']);
    expect(await works(service, key)).toBe(false);
    const [before] = await keys(service, '?include_revoked=true');
    await service.control('clock', { advanceMs: 60_000 });
    expect((await revoke(service, id)).status).toBe(204);
    const [after] = await keys(service, '?include_revoked=true');
    expect(
      Date.parse(after?.attributes.revokedAt ?? '') -
        Date.parse(before?.attributes.revokedAt ?? ''),
    ).toBeGreaterThan(59_000);
    expect(await works(service, key)).toBe(false);
  });

  it('is also open to the member of the repository (service.md, K12)', async () => {
    const service = await serviceWith();
    const { id } = await create(service);
    expect((await revoke(service, id, OTHER)).status).toBe(403);
    expect((await revoke(service, id, MEMBER)).status).toBe(204);
    expect(await keys(service)).toEqual([]);
  });
});

describe('a key', () => {
  it('signs in as username, as password next to its own account, and as Bearer token', async () => {
    const service = await serviceWith();
    const key = (await create(service)).attributes.key ?? '';
    for (const good of [
      basic(key, ''),
      basic(key, 'x:y'),
      basic('DEMO.repo', key),
      `Bearer ${key}`,
      `bearer ${key}`,
    ]) {
      expect(await works(service, good), good).toBe(true);
    }
    for (const bad of [
      basic('OTHER.REPO', key),
      basic('DEMO', key),
      basic(`${key}x`, ''),
      `Bearer ${key}x`,
    ]) {
      expect(await works(service, bad), bad).toBe(false);
    }
  });

  // Only a revocation, and an inactive or deleted account, make a key invalid (service.md, K19).
  it('survives a new password and an inactive account, but not a deleted one', async () => {
    const service = await serviceWith();
    const key = basic((await create(service)).attributes.key ?? '', '');
    await service.control('accounts/demo.repo/password', { password: 'new' });
    expect(await works(service, DEMO)).toBe(false);
    expect(await works(service, key)).toBe(true);
    await service.control('accounts/demo.repo/deactivate');
    expect(await works(service, key)).toBe(false);
    await service.control('accounts/demo.repo/activate');
    expect(await works(service, key)).toBe(true);
    await service.send('DELETE', '/_emulator/accounts/DEMO.REPO');
    await service.control('accounts', { id: 'DEMO.REPO', password: 'one' });
    expect(await works(service, DEMO)).toBe(true);
    expect(await works(service, key)).toBe(false);
    expect(await keys(service, '?include_revoked=true')).toEqual([]);
  });

  it('moves lastUsedAt at most once in 15 minutes', async () => {
    const service = await serviceWith();
    const key = basic((await create(service)).attributes.key ?? '', '');
    const lastUsed = async () => (await keys(service))[0]?.attributes.lastUsedAt ?? '';
    expect(await lastUsed()).toBe('');
    // A refused request also counts as a use.
    expect((await service.get(KEYS, key)).status).toBe(403);
    const first = await lastUsed();
    expect(first).toMatch(/\.\d{3}Z$/);
    await service.control('clock', { advanceMs: 14 * 60_000 });
    await works(service, key);
    expect(await lastUsed()).toBe(first);
    await service.control('clock', { advanceMs: 2 * 60_000 });
    await works(service, key);
    expect(Date.parse(await lastUsed()) - Date.parse(first)).toBeGreaterThanOrEqual(16 * 60_000);
  });
});
