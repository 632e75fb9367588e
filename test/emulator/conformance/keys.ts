import { basic, MEMBER, OTHER, type Reply } from '../service.ts';
import {
  type Expectation,
  FORBIDDEN,
  get,
  memberAt,
  NOBODY,
  named,
  type Sent,
  write,
} from './expectations.ts';

const SPEC = 'lupo spec/requests/api_keys_spec.rb';
const AUTH = 'lupo spec/requests/datacite_dois/auth_headers_spec.rb';
const DATAFILE = 'lupo spec/requests/datafile_spec.rb';
const KEYS_PATH = '/credentials/api-keys';
const create = (name: string, as?: string): Sent => ({
  line: `POST ${KEYS_PATH}`,
  body: { data: { type: 'apiKeys', attributes: { name } } },
  ...(as === undefined ? {} : { as }),
});

const revoke = (place: number, as?: string): Sent => ({
  line: `DELETE ${KEYS_PATH}/{${place}:data.id}`,
  ...(as === undefined ? {} : { as }),
});
const later = (minutes: number): Sent => ({
  line: 'POST /_emulator/clock',
  body: { advanceMs: minutes * 60_000 },
});
const timeOf = (name: string, { text }: Reply) =>
  Date.parse(String(memberAt(text, `data.0.attributes.${name}`)));
const inMinutes = (minutes: number) => Date.now() + minutes * 60_000;
const namesOf = ({ json }: Reply) =>
  json()
    .data.map(({ attributes }) => attributes['name'])
    .join('');

/** What the service reports about the caller. */
const CALLERS: readonly Expectation[] = [
  {
    name: 'another account may not revoke a key',
    source: 'lupo app/models/ability.rb:176',
    before: [create('one')],
    request: revoke(0, OTHER),
    status: 403,
  },
  {
    name: 'the member of a repository may revoke its keys (service.md, K12)',
    source: 'lupo app/models/ability.rb',
    before: [create('one')],
    request: revoke(0, MEMBER),
    status: 204,
  },
];

const KEY = '{0:data.attributes.key}';
const WITH_KEY = {
  'as password': `Basic DEMO.REPO:${KEY}`,
  'as user name': `Basic ${KEY}:`,
  'as user name with any password': `Basic ${KEY}:ignored`,
  'as Bearer': `Bearer ${KEY}`,
};

/** What a key may do, and what it may not. */
const BY_KEY: readonly Expectation[] = Object.entries(WITH_KEY).flatMap(
  ([how, as]): Expectation[] => [
    {
      name: `a key ${how} is the account`,
      source: `${SPEC}:66-108`,
      before: [create('one'), write('POST /dois', { doi: '10.5072/x' })],
      request: get('/dois/10.5072/x', as),
      headers: { 'x-credential-username': 'demo.repo' },
    },
    ...[get(KEYS_PATH, as), create('two', as), revoke(0, as)].map(
      (request): Expectation => ({
        name: `a key ${how} may not manage keys: ${request.line}`,
        source: `${SPEC}:204-235`,
        before: [create('one')],
        request,
        status: 403,
        members: FORBIDDEN,
      }),
    ),
  ],
);

/** What a key is from its creation to its revocation. */
const LIVES: readonly Expectation[] = [
  ...named({
    'a new key is told with all its members (service.md, K1)': {
      source: SPEC,
      request: create('ci'),
      status: 201,
      members: {
        'data.type': 'apiKeys',
        'data.attributes.key': /^DC\.[A-Za-z0-9]{32}$/,
        'data.attributes.keyPrefix': /^DC\..{8}$/,
        'data.attributes.created': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
        'data.attributes.lastUsedAt': null,
        'data.attributes.revokedAt': null,
        'data.relationships': { client: { data: { id: 'DEMO.REPO', type: 'clients' } } },
      },
      holds: ({ text }) =>
        String(memberAt(text, 'data.attributes.key')).startsWith(
          String(memberAt(text, 'data.attributes.keyPrefix')),
        ),
    },
    'a list tells no key': {
      source: SPEC,
      before: [create('ci')],
      request: get(KEYS_PATH),
      members: { 'meta.total': 1, 'data.0.id': /./, 'data.0.attributes.key': undefined },
    },
    'revoked again is revoked later': {
      source: 'lupo app/controllers/api_keys_controller.rb destroy',
      before: [create('one'), revoke(0), later(10), revoke(0)],
      request: get(`${KEYS_PATH}?include_revoked=true`),
      holds: (reply) => timeOf('revokedAt', reply) > inMinutes(9),
    },
  }),
  // The service reads the value in lower case (service.md, K9).
  ...['TRUE', '1'].map(
    (value): Expectation => ({
      name: `include_revoked=${value}: the newest first, then the last revoked`,
      source: 'lupo app/controllers/api_keys_controller.rb index',
      before: [...'abcd'].map((name) => create(name)).concat(revoke(2), later(1), revoke(0)),
      request: get(`${KEYS_PATH}?include_revoked=${value}`),
      holds: (reply) => namesOf(reply) === (value === '1' ? 'db' : 'dbac'),
    }),
  ),
  // Any request is a use, and is written down once in a quarter of an hour.
  ...[14, 16].map(
    (minutes): Expectation => ({
      name: `a use after ${minutes} minutes`,
      source: 'lupo app/models/api_key.rb',
      before: [create('one'), get(KEYS_PATH, `Basic ${KEY}:`), later(minutes)].concat(
        get('/dois?page[size]=0', `Basic ${KEY}:`),
      ),
      request: get(KEYS_PATH),
      members: { 'data.0.attributes.lastUsedAt': /\.\d{3}Z$/ },
      holds: (reply) => timeOf('lastUsedAt', reply) > inMinutes(9) === minutes > 15,
    }),
  ),
  ...[191, 192].map(
    (length): Expectation => ({
      name: `a name of ${length} characters (service.md, K6)`,
      source: 'lupo db/schema.rb api_keys',
      request: create('é'.repeat(length)),
      status: length > 191 ? 500 : 201,
    }),
  ),
];

const MORE: readonly Expectation[] = [
  ...named({
    'a user name with an empty password reads as nobody': {
      source: `${AUTH}:62`,
      request: get('/dois?disable-facets=false&facets=states&page[size]=0', basic('DEMO.REPO', '')),
      holds: ({ json }) => (json().meta['states'] as unknown[]).length === 1,
    },
    'a member reads all states': {
      source: `${AUTH}:79`,
      request: get('/dois?disable-facets=false&facets=states&page[size]=0', MEMBER),
      holds: ({ json }) => (json().meta['states'] as unknown[]).length === 3,
    },
    'the data file tells nobody to sign in': {
      source: `${DATAFILE}:93`,
      request: get('/credentials/datafile', NOBODY),
      status: 401,
      members: { errors: [{ status: '401', title: 'Bad credentials.' }] },
    },
  }),
  ...[
    get('/credentials/datafile', undefined, { accept: 'text/plain' }),
    get('/credentials/datafile?format=text'),
  ].map(
    (request): Expectation => ({
      name: `the credentials of the data file as a profile: ${request.line}`,
      source: `${DATAFILE}:128`,
      request,
      headers: { 'content-type': /^text\/plain/ },
      holds: ({ text }) =>
        /^\[datacite-datafile\]\naws_access_key_id=.*\naws_secret_access_key=.*\naws_session_token=.*\n$/.test(
          text,
        ),
    }),
  ),
];

export const KEYS: readonly Expectation[] = [
  ...named({
    'revoking an unknown key is 404': {
      source: 'lupo app/controllers/api_keys_controller.rb',
      request: { line: `DELETE ${KEYS_PATH}/none` },
      status: 404,
    },
    'a list of one account does not hold the keys of another': {
      source: 'lupo app/controllers/api_keys_controller.rb',
      before: [create('one')],
      request: get(KEYS_PATH, OTHER),
      members: { 'meta.total': 0 },
    },
    'the credentials of the data file are temporary': {
      source: 'lupo app/controllers/datafile_controller.rb',
      request: get('/credentials/datafile'),
      members: {
        bucket: 'monthly-datafile.datacite.org',
        expires_in: 3600,
        access_key_id: /^\w+$/,
      },
    },
    'the heartbeat is text': {
      source: 'lupo app/controllers/heartbeat_controller.rb',
      request: get('/heartbeat', NOBODY),
      text: 'OK',
    },
  }),
  ...(
    [
      ['empty attributes', { attributes: {} }, 422, /: attributes$/],
      ['a text as attributes', { attributes: 'x' }, 400, /undefined method/],
      ['a blank name', { attributes: { name: '  ' } }, 422, "Name can't be blank"],
      ['no name', { attributes: { name: null } }, 422, "Name can't be blank"],
      ['a list of names', { attributes: { name: ['x'] } }, 422, "Name can't be blank"],
    ] as const
  ).map(
    ([name, data, status, title]): Expectation => ({
      name: `a key with ${name} is ${status}`,
      source: 'lupo app/controllers/api_keys_controller.rb safe_params',
      request: { line: `POST ${KEYS_PATH}`, body: { data } },
      status,
      members: { 'errors.0.title': title },
    }),
  ),
  ...CALLERS,
  ...BY_KEY,
  ...LIVES,
  ...MORE,
];
