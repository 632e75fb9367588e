import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import { type Answer, answer, serve } from '../helpers/server.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

function key(index: number, attributes: object = {}) {
  const created = '2026-05-01T00:00:00Z';
  const honest = { name: `k${index}`, keyPrefix: `DC.${index}`, created, updated: created };
  return {
    id: `id-${index}`,
    type: 'apiKeys',
    attributes: { ...honest, lastUsedAt: '2026-05-31T00:00:00.5Z', revokedAt: null, ...attributes },
  };
}

const keys = (count: number) => Array.from({ length: count }, (_, index) => key(index));

/** Runs a command against a service that lists the keys in this document. */
async function against(document: object, ...argv: string[]) {
  const { url, asked } = await serve(
    answer(200, document, { 'x-credential-username': 'demo.repo' }),
  );
  const env = {
    DOI_CLI_BASE_URL: url.origin,
    DOI_CLI_REPOSITORY: 'DEMO.REPO',
    DOI_CLI_PASSWORD: 'correct horse',
  };
  return {
    ...(await run(argv, { env, now: () => NOW })),
    methods: asked.map(({ method }) => method),
  };
}

const COMMANDS = [
  ['keys', 'list'],
  ['keys', 'list', '--include-revoked', '--format', 'csv'],
  ['keys', 'list', '--format', 'json', '--quiet'],
  ['keys', 'audit', '--exit-code'],
  ['keys', 'revoke', 'k3', '--yes'],
  ['keys', 'prune', '--name', 'k3', '--keep', 'DC.3', '--yes'],
  ['keys', 'rotate', 'k3', '--yes'],
  ['keys', 'create', '--name', 'new'],
  ['keys', 'identify'],
];

describe('keys create --if-absent', () => {
  it('takes no revoked key for an active one, wherever the service lists it', async () => {
    const create = ['keys', 'create', '--name', 'k1', '--if-absent'];
    const revoked = { data: [key(1, { revokedAt: '2026-05-02T00:00:00Z' })] };
    // The answer holds no new key.
    expect((await against(revoked, ...create)).methods.slice(0, 2)).toEqual(['GET', 'POST']);
    expect(await against({ data: [key(1)] }, ...create)).toMatchObject({
      code: 0,
      methods: ['GET'],
    });
  });
});

describe('a list of keys that is not complete', () => {
  const next = '/credentials/api-keys?page[number]=2';
  it.each([
    ['names more keys', { data: keys(25), meta: { total: 60 } }, /counts 60 keys, but lists 25/],
    [
      'links on',
      { data: keys(25), links: { next } },
      /has 25 keys, and the service links to another page/,
    ],
    [
      'has a key twice',
      { data: [...keys(2), key(1)], meta: { total: 3 } },
      /counts 3 keys, but lists 2/,
    ],
    ['has a key twice, and no total', { data: [...keys(2), key(1)] }, /contains a key twice/],
    [
      'has a key with two names',
      { data: [key(3), key(4), { ...key(4, { name: 'k3' }), id: 'id-3' }], meta: { total: 2 } },
      /contains a key twice/,
    ],
    ['is empty', { data: [], meta: { total: 60 } }, /counts 60 keys, but lists 0/],
    [
      'names errors, too',
      { data: [], errors: [{ title: 'x' }], meta: { total: 0 } },
      /reports errors/,
    ],
    [
      'has a text as total',
      { data: keys(25), meta: { total: '60' } },
      /meta\.total\) is unreadable/,
    ],
  ])('is an error where it %s', async (what, document, message) => {
    // All commands read the list in one way: the first answer is for each of them.
    for (const argv of what === 'names more keys' ? COMMANDS : COMMANDS.slice(0, 1)) {
      const { code, stdout, stderr, methods } = await against(document, ...argv);
      expect([argv, code, stdout]).toEqual([argv, 1, '']);
      expect(stderr).toMatch(message);
      // Nothing is created or revoked on the strength of a part of the list.
      expect(new Set(methods)).toEqual(new Set(['GET']));
    }
  });

  it.each([
    ['names its number', { data: keys(30), meta: { total: 30 } }],
    ['says nothing of it', { data: keys(30) }],
    [
      'has links without a next one',
      { data: keys(30), meta: { total: 30 }, links: { self: 'x', next: null } },
    ],
    ['is empty', { data: [], meta: { total: 0 } }],
  ])('is taken where it %s', async (_, document) => {
    const { code, stdout } = await against(document, 'keys', 'list', '--format', 'ndjson');
    expect([code, stdout.split('\n').length - 1]).toEqual([0, document.data.length]);
  });
});

describe('times of a key that cannot be read', () => {
  it.each([
    ['lastUsedAt', undefined, 'last-use-unreadable'],
    ['lastUsedAt', '', 'last-use-unreadable'],
    ['lastUsedAt', ' ', 'last-use-unreadable'],
    ['lastUsedAt', 'yesterday', 'last-use-unreadable'],
    ['lastUsedAt', 'May 2026', 'last-use-unreadable'],
    ['lastUsedAt', '2026-05-31', 'last-use-unreadable'],
    ['lastUsedAt', '2026-05-41T00:00:00Z', 'last-use-unreadable'],
    ['lastUsedAt', '2999-01-01T00:00:00Z', 'last-use-unreadable'],
    ['created', '', 'age-unreadable'],
    ['created', 'key 7', 'age-unreadable'],
    ['created', '2026-05-31T25:00:00Z', 'age-unreadable'],
    ['created', '2999-01-01T00:00:00Z', 'age-unreadable'],
    ['revokedAt', 'no', 'revocation-unreadable'],
    ['revokedAt', '2999-01-01T00:00:00Z', 'revocation-unreadable'],
  ])('are a finding: %s %j', async (name, value, finding) => {
    const document = { data: [key(0), key(1, { [name]: value })], meta: { total: 2 } };
    const csv = await against(document, 'keys', 'audit', '--exit-code', '--format', 'csv');
    expect([csv.code, csv.stdout.trimEnd().split('\n').length]).toEqual([1, 2]);
    expect(csv.stdout.trimEnd()).toMatch(new RegExp(`,${finding}$`));
    const words = await against(document, 'keys', 'audit', '--exit-code');
    expect([words.code, words.stdout]).toEqual([1, /cannot be read/]);
  });

  it('are shown as unknown, never as a time that the service did not give', async () => {
    const data = [
      key(0, { lastUsedAt: undefined }),
      key(1, { lastUsedAt: '', created: '' }),
      key(2, { lastUsedAt: null }),
    ];
    const { code, stdout } = await against({ data }, 'keys', 'list', '--format', 'csv');
    expect(code).toBe(0);
    const rows = stdout.trimEnd().split('\n').slice(1);
    expect(rows.map((line) => line.split(',').slice(3, 5).join())).toEqual([
      '2026-05-01T00:00:00Z,unknown',
      'unknown,unknown',
      '2026-05-01T00:00:00Z,',
    ]);
  });

  it('cannot drive a terminal', async () => {
    const evil = '\u001b[2J\u202e';
    const document = { data: [key(1, { lastUsedAt: evil, created: evil, revokedAt: evil })] };
    for (const argv of [['list'], ['audit'], ['audit', '--format', 'json']]) {
      const { stdout } = await against(document, 'keys', ...argv);
      expect(stdout).not.toContain('\u001b');
    }
  });

  it('are an error where they are no text', async () => {
    const error = { code: 1, stdout: '', stderr: /^error: / };
    for (const time of [
      { created: undefined },
      { created: 7 },
      { lastUsedAt: 7 },
      { revokedAt: false },
    ])
      expect(await against({ data: [key(1, time)] }, 'keys', 'audit', '--exit-code')).toMatchObject(
        error,
      );
  });
});

const ACCOUNT = { DOI_CLI_REPOSITORY: 'DEMO.REPO', DOI_CLI_PASSWORD: 'correct horse' };
const SECRET = `DC.${'n'.repeat(32)}`;
const fresh = (attributes: object = {}, id = 'new') => ({
  ...key(9, { name: 'new', keyPrefix: SECRET.slice(0, 11), key: SECRET, ...attributes }),
  id,
});
const html: Answer = (response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html>maintenance</html>');

/**
 * A service that answers a POST in this way, and has made a key all the same; `after` lists the
 * keys then.
 */
async function creating(
  post: Answer,
  after: readonly object[] = [key(1), fresh({ key: undefined })],
) {
  let made = false;
  const { url, asked } = await serve((response, exchange) => {
    const listed = exchange.method === 'GET' || exchange.method === 'DELETE';
    made ||= exchange.method === 'POST';
    (listed ? answer(200, { data: made ? after : [key(1)] }) : post)(response, exchange);
  });
  const env = { ...ACCOUNT, DOI_CLI_BASE_URL: url.origin };
  const argv = ['keys', 'create', '--name', 'new', '--key-only'];
  return { ...(await run(argv, { env })), methods: asked.map(({ method }) => method).join(' ') };
}

describe('a key that may have been created', () => {
  it.each<[string, Answer]>([
    ...[303, 408, 500].map((status): [string, Answer] => [
      `${status}`,
      answer(status, '', { location: '/elsewhere' }),
    ]),
    ['HTML', html],
    ['another coding', answer(201, { data: fresh() }, { 'content-encoding': 'br' })],
    ['202 without a key', answer(202, {})],
    ['204', (response) => response.writeHead(204, { 'x-credential-username': 'demo.repo' }).end()],
    ['201 without a body', answer(201, '')],
    ['201 without a secret', answer(201, { data: fresh({ key: undefined }) })],
    ['201 with a secret that is no text', answer(201, { data: fresh({ key: 7 }) })],
  ])('after %s is looked for and named, and not claimed', async (_, post) => {
    const { code, stdout, stderr, methods } = await creating(post);
    expect([code, stdout, methods], stderr).toEqual([5, '', 'GET POST GET']);
    expect(stderr).toMatch(
      /a key named 'new' has appeared \(id new\)[^\n]*\nhint: doi-cli keys revoke new\n/,
    );
    expect(stderr).not.toContain(SECRET);
  });
  it('is printed when the answer is about it', async () => {
    const { code, stdout } = await creating(answer(201, { data: fresh() }));
    expect([code, stdout]).toEqual([0, `${SECRET}\n`]);
  });
});

describe('a revocation that is answered with 204', () => {
  const revoking = async (after: readonly object[], ...argv: string[]) => {
    let isAsked = false;
    const { url } = await serve((response, exchange) => {
      isAsked ||= exchange.method === 'DELETE';
      if (exchange.method === 'DELETE')
        response.writeHead(204, { 'x-credential-username': 'demo.repo' }).end();
      else if (exchange.method === 'POST')
        answer(201, { data: fresh({ name: 'k1' }) })(response, exchange);
      else if (exchange.url.startsWith('/dois'))
        answer(200, { data: [], meta: { total: 0 } })(response, exchange);
      else
        answer(200, { data: isAsked ? after : [key(1), key(2, { name: 'k1' })] })(
          response,
          exchange,
        );
    });
    return run(argv, { env: { ...ACCOUNT, DOI_CLI_BASE_URL: url.origin } });
  };
  const REVOCATIONS = [
    ['keys', 'revoke', 'id-1', '--yes'],
    ['keys', 'prune', '--name', 'k1', '--keep', 'id-2', '--yes'],
    ['keys', 'rotate', 'id-1', '--yes'],
    ['keys', 'revoke', 'id-1', '--yes', '--format', 'json'],
    ['keys', 'rotate', 'id-1', '--yes', '--format', 'json'],
  ];
  it.each(REVOCATIONS)(
    'is not believed where the key is listed as active: %s %s %s',
    async (...argv) => {
      for (const after of [[key(1), key(2)], [key(2)]]) {
        const { code, stdout, stderr } = await revoking(after, ...argv);
        expect(code, stderr).toBe(5);
        expect(stdout + stderr).not.toMatch(/^Revoked|"outcome":"revoked"/m);
        expect(stderr).toMatch(
          /the service answered that it was revoked, but (no longer )?lists it/,
        );
      }
    },
  );
  it('is believed where the list says so', async () => {
    const revokedAt = '2026-06-01T00:00:00Z';
    for (const argv of REVOCATIONS) {
      const { code, stderr } = await revoking([key(1, { revokedAt }), key(2)], ...argv);
      expect(code, stderr).toBe(0);
    }
  });
});
