import { basic, MEMBER, OTHER } from '../service.ts';
import { type Expectation, get, NOBODY, publish, type Sent, WRONG, write } from './expectations.ts';

const SPEC = 'lupo spec/requests/api_keys_spec.rb';
const AUTH = 'lupo spec/requests/datacite_dois/auth_headers_spec.rb';
const DATAFILE = 'lupo spec/requests/datafile_spec.rb';
const KEYS_PATH = '/credentials/api-keys';
const create = (name: string, as?: string): Sent => ({
  line: `POST ${KEYS_PATH}`,
  body: { data: { type: 'apiKeys', attributes: { name } } },
  ...(as === undefined ? {} : { as }),
});

/** What the service says of the caller. */
const CALLERS: readonly Expectation[] = [
  {
    name: 'the id of the client is its symbol, in capitals',
    source: 'lupo spec/requests/api_keys_spec.rb:49',
    request: create('one'),
    status: 201,
    members: { 'data.relationships.client.data.id': 'DEMO.REPO' },
  },
  {
    name: 'another account may not revoke a key',
    source: 'lupo app/models/ability.rb:176',
    before: [create('one')],
    request: { line: `DELETE ${KEYS_PATH}/{0:data.id}`, as: OTHER },
    status: 403,
  },
  {
    name: 'include_revoked=TRUE in capitals counts',
    source: 'lupo app/controllers/api_keys_controller.rb:12',
    before: [create('one'), { line: `DELETE ${KEYS_PATH}/{0:data.id}` }],
    request: get(`${KEYS_PATH}?include_revoked=TRUE`),
    status: 200,
    members: { 'meta.total': 1 },
  },
  {
    name: 'a wrong password reads without either header',
    source: 'lupo app/controllers/application_controller.rb:46-87',
    request: get('/dois?page[size]=0', WRONG),
    status: 200,
    headers: { 'x-credential-username': null, 'x-anonymous-consumer': null },
  },
  {
    name: 'a key that is refused reads without either header',
    source: 'lupo app/controllers/application_controller.rb:46-87',
    request: get('/dois?page[size]=0', basic('DC.'.padEnd(35, 'a'), '')),
    status: 200,
    headers: { 'x-credential-username': null, 'x-anonymous-consumer': null },
  },
  {
    name: 'a Bearer token that cannot be read is 401',
    source: 'lupo app/controllers/application_controller.rb:84',
    request: get('/dois?page[size]=0', 'Bearer nonsense'),
    status: 401,
  },
  {
    name: 'a create of a DOI with a wrong password is 404, because there is no client',
    source: 'lupo app/controllers/datacite_dois_controller.rb create',
    request: { ...publish({}), as: WRONG },
    status: 404,
  },
];

const KEY = '{0:data.attributes.key}';
const WITH_KEY = {
  'as password': `Basic DEMO.REPO:${KEY}`,
  'as user name': `Basic ${KEY}:`,
  'as user name with any password': `Basic ${KEY}:ignored`,
  'as Bearer': `Bearer ${KEY}`,
};
const FORBIDDEN = { errors: [{ status: '403', title: 'You are not authorized to access this resource.' }] };

/** What a key may do, and what it may not. */
const BY_KEY: readonly Expectation[] = Object.entries(WITH_KEY).flatMap(([how, as]): Expectation[] => [
  {
    name: `a key ${how} is the account`,
    source: `${SPEC}:66-108`,
    before: [create('one'), write('POST /dois', { doi: '10.5072/x' })],
    request: get('/dois/10.5072/x', as),
    status: 200,
    headers: { 'x-credential-username': 'demo.repo' },
  },
  {
    name: `a key ${how} may not list keys`,
    source: `${SPEC}:204`,
    before: [create('one')],
    request: get(KEYS_PATH, as),
    status: 403,
    members: FORBIDDEN,
  },
  {
    name: `a key ${how} may not create keys`,
    source: `${SPEC}:215`,
    before: [create('one')],
    request: create('two', as),
    status: 403,
    members: FORBIDDEN,
  },
  {
    name: `a key ${how} may not revoke itself`,
    source: `${SPEC}:235`,
    before: [create('one')],
    request: { line: `DELETE ${KEYS_PATH}/{0:data.id}`, as },
    status: 403,
    members: FORBIDDEN,
  },
]);

const MORE: readonly Expectation[] = [
  {
    name: 'a revoked key is in the list of all keys',
    source: `${SPEC}:140`,
    before: [create('one'), { line: `DELETE ${KEYS_PATH}/{0:data.id}` }, create('two')],
    request: get(`${KEYS_PATH}?include_revoked=true`),
    status: 200,
    members: { 'data.0.attributes.name': 'two', 'data.1.attributes.revokedAt': /^20/ },
  },
  {
    name: 'a user name with an empty password reads as nobody',
    source: `${AUTH}:62`,
    request: get('/dois?facets=states&page[size]=0', basic('DEMO.REPO', '')),
    status: 200,
    holds: ({ json }) => (json().meta['states'] as unknown[]).length === 1,
  },
  {
    name: 'a member reads all states',
    source: `${AUTH}:79`,
    request: get('/dois?facets=states&page[size]=0', MEMBER),
    status: 200,
    holds: ({ json }) => (json().meta['states'] as unknown[]).length === 3,
  },
  {
    name: 'a member gets the credentials of the data file',
    source: `${DATAFILE}:170`,
    request: get('/credentials/datafile', MEMBER),
    status: 200,
  },
  {
    name: 'Accept: text/plain gives the credentials of the data file as a profile',
    source: `${DATAFILE}:128`,
    request: get('/credentials/datafile', undefined, { accept: 'text/plain' }),
    status: 200,
    headers: { 'content-type': /^text\/plain/ },
    holds: ({ text }) =>
      /^\[datacite-datafile\]\naws_access_key_id=.*\naws_secret_access_key=.*\naws_session_token=.*\n$/.test(
        text,
      ),
  },
  {
    name: 'the data file tells nobody to sign in',
    source: `${DATAFILE}:93`,
    request: get('/credentials/datafile', NOBODY),
    status: 401,
    members: { errors: [{ status: '401', title: 'Bad credentials.' }] },
  },
  {
    name: 'an API key is no password for a token',
    source: `${SPEC}:262`,
    request: { line: 'POST /token', body: 'grant_type=password&username=DEMO.REPO&password=DC.x' },
    status: 400,
    differs: 'there are no tokens: `/token` is 404',
  },
];

export const KEYS: readonly Expectation[] = [
  {
    name: 'a key is created with its text, which begins with its prefix',
    source: 'lupo app/models/api_key.rb',
    request: create('one'),
    status: 201,
    members: {
      'data.type': 'apiKeys',
      'data.attributes.name': 'one',
      'data.attributes.key': /^DC\.[A-Za-z0-9]{32}$/,
      'data.attributes.keyPrefix': /^DC\..{8}$/,
      'data.attributes.revokedAt': null,
    },
  },
  {
    name: 'a blank name is refused',
    source: 'lupo spec/requests/api_keys_spec.rb',
    request: create(' '),
    status: 422,
    members: { errors: [{ status: '422', title: "Name can't be blank" }] },
  },
  {
    name: 'a body without data is refused',
    source: 'lupo app/controllers/application_controller.rb',
    request: { line: `POST ${KEYS_PATH}`, body: {} },
    status: 422,
  },
  {
    name: 'the list is not paginated and counts itself',
    source: 'lupo app/controllers/api_keys_controller.rb',
    before: [create('one'), create('two')],
    request: get(KEYS_PATH),
    status: 200,
    members: { 'meta.total': 2, 'data.0.attributes.name': 'two', 'data.1.attributes.name': 'one' },
  },
  {
    name: 'the list holds no text of a key',
    source: 'lupo app/serializers/api_key_serializer.rb',
    before: [create('one')],
    request: get(KEYS_PATH),
    status: 200,
    members: { 'data.0.attributes.key': undefined },
  },
  {
    name: 'a list with a wrong password is 401',
    source: 'lupo spec/requests/api_keys_spec.rb',
    request: get(KEYS_PATH, WRONG),
    status: 401,
  },
  {
    name: 'a list without credentials is 401',
    source: 'lupo spec/requests/api_keys_spec.rb',
    request: get(KEYS_PATH, NOBODY),
    status: 401,
  },
  {
    name: 'a create with a wrong password is 404',
    source: 'lupo app/controllers/api_keys_controller.rb',
    request: create('one', WRONG),
    status: 404,
  },
  {
    name: 'a member may not list keys',
    source: 'lupo spec/requests/api_keys_spec.rb',
    request: get(KEYS_PATH, MEMBER),
    status: 403,
  },
  {
    name: 'a member that creates a key gets 404',
    source: 'lupo app/controllers/api_keys_controller.rb',
    request: create('one', MEMBER),
    status: 404,
  },
  {
    name: 'revoking an unknown key is 404',
    source: 'lupo app/controllers/api_keys_controller.rb',
    request: { line: `DELETE ${KEYS_PATH}/none` },
    status: 404,
  },
  {
    name: 'a list of one account does not hold the keys of another',
    source: 'lupo app/controllers/api_keys_controller.rb',
    before: [create('one')],
    request: get(KEYS_PATH, OTHER),
    status: 200,
    members: { 'meta.total': 0 },
  },
  {
    name: 'the data file needs credentials',
    source: 'lupo app/controllers/datafile_controller.rb',
    request: get('/credentials/datafile', NOBODY),
    status: 401,
  },
  {
    name: 'the credentials of the data file are temporary',
    source: 'lupo app/controllers/datafile_controller.rb',
    request: get('/credentials/datafile'),
    status: 200,
    members: { bucket: 'monthly-datafile.datacite.org', expires_in: 3600, access_key_id: /^\w+$/ },
  },
  {
    name: 'the credentials of the data file are a profile as text',
    source: 'lupo app/controllers/datafile_controller.rb',
    request: get('/credentials/datafile?format=text'),
    status: 200,
    headers: { 'content-type': /^text\/plain/ },
    holds: ({ text }) => /^\[.*\]\naws_access_key_id/.test(text),
  },
  {
    name: 'the heartbeat is text',
    source: 'lupo app/controllers/heartbeat_controller.rb',
    request: get('/heartbeat', NOBODY),
    status: 200,
    text: 'OK',
  },
  {
    name: 'accepted credentials are named in lower case',
    source: 'lupo app/controllers/application_controller.rb:46',
    request: get('/dois?page[size]=0', basic('demo.REPO', 'one')),
    status: 200,
    headers: { 'x-credential-username': 'demo.repo', 'x-anonymous-consumer': null },
  },
  {
    name: 'a request without credentials is anonymous',
    source: 'lupo app/controllers/application_controller.rb:46',
    request: get('/dois?page[size]=0', NOBODY),
    status: 200,
    headers: { 'x-credential-username': null, 'x-anonymous-consumer': 'true' },
  },
  ...CALLERS,
  ...BY_KEY,
  ...MORE,
];
