import { expect, it } from 'vitest';
import { basic, DEMO, MEMBER, type Service, serviceWith } from '../service.ts';

const KEYS = '/credentials/api-keys';
const attributes = { titles: [{ title: 'T' }] };
const record = (doi: string) => ({ data: { type: 'dois', attributes: { ...attributes, doi } } });
const MINE = '10.5072/mine';
const NONE = '10.5072/none';

const newKey = async (service: Service): Promise<string> => {
  const body = { data: { type: 'apiKeys', attributes: { name: 'ci' } } };
  const { text } = await service.send('POST', KEYS, body, DEMO);
  return (JSON.parse(text) as { data: { attributes: { key: string } } }).data.attributes.key;
};

/** The credentials of a row, after what it does to the account or key. */
type Who = (service: Service) => Promise<string>;

const revoked: Who = async (service) => {
  const key = await newKey(service);
  const { text } = await service.get(KEYS, DEMO);
  const [{ id } = { id: '' }] = (JSON.parse(text) as { data: { id: string }[] }).data;
  await service.send('DELETE', `${KEYS}/${id}`, undefined, DEMO);
  return key;
};
const keyOf =
  (change: (service: Service) => Promise<unknown>): Who =>
  async (service) => {
    const key = await newKey(service);
    await change(service);
    return basic(key, '');
  };
const deactivate = (service: Service) => service.control('accounts/DEMO.REPO/deactivate');
const remove = (service: Service) => service.send('DELETE', '/_emulator/accounts/DEMO.REPO');

// The columns of the table; a read names who the answer is for.
const REQUESTS: readonly (readonly [name: string, method: string, path: string, body?: unknown])[] =
  [
    ['list', 'GET', '/dois?page[size]=0'],
    ['draft', 'GET', `/dois/${MINE}`],
    ['datafile', 'GET', '/credentials/datafile'],
    ['keys', 'GET', KEYS],
    ['new key', 'POST', KEYS, { data: { type: 'apiKeys', attributes: { name: 'x' } } }],
    ['POST', 'POST', '/dois', record('10.5072/new')],
    ['PUT none', 'PUT', `/dois/${NONE}`, record(NONE)],
    ['PUT mine', 'PUT', `/dois/${MINE}`, record(MINE)],
    ['DELETE none', 'DELETE', '/dois/10.5072/none-either'],
    ['DELETE mine', 'DELETE', `/dois/${MINE}`],
  ];
const REFUSED = '200 404 401 401 404 404 404 401 404 401';
const BY_KEY = '200 200 200 403 403 201 201 200 404 204';
const UNREADABLE = '401 401 401 401 401 401 401 401 401 401';

// (service.md, A9, A14, K14, K15, K16)
const ROWS: readonly (readonly [
  who: string,
  header: string,
  statuses: string,
  credentials: Who,
])[] = [
  ['no credentials', 'anonymous', '200 404 401 401 404 401 404 401 404 401', async () => ''],
  ['an empty scheme', 'anonymous', '200 404 401 401 404 401 404 401 404 401', async () => 'Basic'],
  ['the account', 'demo.repo', '200 200 200 200 201 201 201 200 404 204', async () => DEMO],
  ['its key', 'demo.repo', BY_KEY, keyOf(async () => undefined)],
  [
    'its key, after a new password',
    'demo.repo',
    BY_KEY,
    keyOf((service) => service.control('accounts/demo.repo/password', { password: 'new' })),
  ],
  [
    'its key as the password of another account',
    'none',
    REFUSED,
    async (service) => basic('OTHER.REPO', await newKey(service)),
  ],
  ['a wrong password', 'none', REFUSED, async () => basic('DEMO.REPO', 'wrong')],
  ['an unknown account', 'none', REFUSED, async () => basic('NO.SUCH', 'one')],
  ['a revoked key', 'none', REFUSED, async (service) => basic(await revoked(service), '')],
  [
    'a revoked key as password',
    'none',
    REFUSED,
    async (service) => basic('DEMO.REPO', await revoked(service)),
  ],
  ['the key of a deactivated account', 'none', REFUSED, keyOf(deactivate)],
  ['the key of a deleted account', 'none', REFUSED, keyOf(remove)],
  ['a deleted account', 'none', REFUSED, async (service) => remove(service).then(() => DEMO)],
  [
    'a deactivated account',
    'none',
    '200 404 401 200 403 403 403 403 404 403',
    async (service) => deactivate(service).then(() => DEMO),
  ],
  ['a member', 'demo', '200 200 200 403 404 404 404 403 404 403', async () => MEMBER],
  ['a token', 'unreadable', UNREADABLE, async () => 'Bearer a.b.c'],
  [
    'a revoked key',
    'unreadable',
    UNREADABLE,
    async (service) => `Bearer ${await revoked(service)}`,
  ],
  ['another scheme', 'unreadable', UNREADABLE, async () => 'Digest x'],
];

it.each(ROWS)('answers %s as %s with %s', async (_, header, statuses, credentials) => {
  const service = await serviceWith({ records: 50 });
  expect((await service.send('POST', '/dois', record(MINE), DEMO)).status).toBe(201);
  const authorization = await credentials(service);
  const found: number[] = [];
  for (const [name, method, path, body] of REQUESTS) {
    const reply = await service.send(method, path, body, authorization);
    found.push(reply.status);
    const named = reply.headers.get('x-credential-username');
    const anonymous = reply.headers.get('x-anonymous-consumer');
    // An answer made of an exception has neither header (service.md, A6).
    const isList = name === 'list' && reply.status === 200;
    expect(anonymous, name).toBe(isList && header === 'anonymous' ? 'true' : null);
    if (isList) expect(named, name).toBe(header.startsWith('demo') ? header : null);
    if (reply.status >= 400) expect(named, name).toBeNull();
  }
  expect(found.join(' ')).toBe(statuses);
});
