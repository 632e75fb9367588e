import { DEMO, OTHER } from '../service.ts';
import {
  COMPLETE,
  type Expectation,
  get,
  memberAt,
  NOBODY,
  NOT_FOUND,
  named,
  publish,
  write,
} from './expectations.ts';

const SPEC = 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb';
const CONTROLLER = 'lupo app/controllers/datacite_dois_controller.rb';
const SERIALIZER = 'lupo app/serializers/datacite_doi_serializer.rb';
const ACTIVITIES = 'lupo spec/requests/activities_spec.rb';
const A = 'data.attributes';

const LANDING_PAGE = { checked: '2026-01-01T00:00:00Z', status: 200, url: 'https://example.org/x' };
const RELATED = {
  version: 'testtag',
  publisher: {
    name: 'Zebra',
    publisherIdentifier: 'https://ror.org/04wxnsj81',
    publisherIdentifierScheme: 'ROR',
  },
  relatedItems: [
    {
      relatedItemType: 'Journal',
      relationType: 'IsPublishedIn',
      relationTypeInformation: 'Relates this DOI to the journal.',
      titles: [{ title: 'Physics letters' }],
    },
  ],
  relatedIdentifiers: [
    {
      relatedIdentifier: '10.5072/y',
      relatedIdentifierType: 'DOI',
      relationType: 'HasPart',
      relationTypeInformation: 'Relates this DOI to the dataset.',
    },
  ],
};

/** A query that finds the record `10.5072/x` alone. */
const finds = (query: string, line: number): Expectation => ({
  name: `query=${query}`,
  source: `${SPEC}:${line}`,
  before: [publish(RELATED)],
  request: get(`/dois?query=${encodeURIComponent(query)}`),
  members: { 'meta.total': 1, 'data.0.id': '10.5072/x' },
});

/** One record with some attributes, as it is read. */
const read = (
  name: string,
  source: string,
  given: object,
  path: string,
  members: Readonly<Record<string, unknown>>,
  as = DEMO,
): Expectation => ({
  name,
  source,
  before: [publish(given)],
  request: get(path, as),
  status: 200,
  members,
});

const SINGLE: readonly Expectation[] = [
  ...named({
    'include= adds the repository': {
      source: `${SPEC}:1017`,
      request: get('/dois?include=client&page[size]=1'),
      members: { 'included.0.type': 'clients' },
      differs: '`include` adds nothing',
    },
    'OPTIONS is 204': {
      source: 'lupo config/routes.rb:9',
      request: { line: 'OPTIONS /dois', as: NOBODY },
      status: 204,
    },
  }),
  read(
    'the agency on request',
    `${SPEC}:663`,
    {},
    '/dois/10.5072/x?include_other_registration_agencies=true',
    { [`${A}.agency`]: 'datacite' },
  ),
  read(
    'the agency in a list, on request',
    `${SPEC}:686`,
    {},
    '/dois?include_other_registration_agencies=true&ids=10.5072/x',
    { 'data.0.attributes.agency': 'datacite' },
  ),
  read(
    'a sparse fieldset of one record is ignored',
    `${CONTROLLER} show (without fields)`,
    {},
    '/dois/10.5072/x?fields[dois]=url',
    { [`${A}.titles`]: COMPLETE.titles },
  ),
  ...Object.entries({ nobody: NOBODY, 'another repository': OTHER, 'the repository': DEMO }).map(
    ([name, as]) =>
      read(
        `the landing page that ${name} sees`,
        `${SPEC}:1730,1754; lupo spec/requests/datacite_dois/post_spec.rb:2248`,
        { landingPage: LANDING_PAGE },
        '/dois/10.5072/x',
        { [`${A}.landingPage`]: as === DEMO ? LANDING_PAGE : undefined },
        as,
      ),
  ),
  read(
    'publisher=true makes the publisher of one record an object',
    `${SPEC}:637`,
    RELATED,
    '/dois/10.5072/x?publisher=true',
    { [`${A}.publisher`]: RELATED.publisher },
  ),
  read(
    'one record as its repository reads it, without the agency',
    `${SERIALIZER}:295; ${SPEC}:670`,
    {},
    '/dois/10.5072/x',
    {
      [`${A}.agency`]: undefined,
      [`${A}.landingPage`]: null,
      'data.relationships.client.data.id': 'demo.repo',
      'data.relationships.provider.data.id': 'demo',
      'data.relationships.references.data': [],
      'data.relationships.media.data': { id: '10.5072/x', type: 'media' },
    },
  ),
  ...['/dois/10.5256/xxxx', '/dois/10.5072/none/get-url', '/nonsense/at/all'].map(
    (path): Expectation => ({
      name: `${path} is 404`,
      source: `${SPEC}:1131; ${CONTROLLER} get_url; lupo index_controller.rb routing_error`,
      request: get(path),
      status: 404,
      members: NOT_FOUND,
    }),
  ),
  ...['/dois/10.5072/x', '/dois?page[size]=1', '/heartbeat'].map(
    (path): Expectation => ({
      name: `HEAD ${path}`,
      source: 'lupo config/routes.rb (HEAD is GET)',
      before: [publish({})],
      request: { line: `HEAD ${path}`, as: NOBODY },
      text: '',
    }),
  ),
];

const LISTED: readonly Expectation[] = [
  ...named({
    'fields[dois]=id leaves no attribute and no relation': {
      source: `${SPEC}:272`,
      request: get('/dois?fields[dois]=id&page[size]=1'),
      members: { 'data.0.attributes': {}, 'data.0.relationships': {} },
    },
    'fields[dois]=id,subjects leaves subjects alone': {
      source: `${SPEC}:287`,
      before: [publish({ subjects: [{ subject: 'b' }] })],
      request: get('/dois?fields[dois]=id,subjects&ids=10.5072/x'),
      members: {
        'data.0.attributes': { subjects: [{ subject: 'b' }] },
        'data.0.relationships': {},
      },
    },
    'fields of several members stay in the link, escaped': {
      source: `${SPEC}:316`,
      request: get('/dois?fields[dois]=id,subjects&page[size]=2&page[number]=1'),
      holds: ({ json }) =>
        /^[^?]*\/dois\?(?=.*fields%5Bdois%5D=id%2Csubjects)(?!.*disable-facets)/.test(
          json().links.next ?? '',
        ),
    },
    'a page of a scroll that is short has no next one': {
      source: `${SPEC}:82`,
      request: get('/dois?page[scroll]=1m&page[size]=1000&ids=10.5072/demo-0000000'),
      holds: ({ json }) =>
        json().links.next === undefined && json().meta['scroll-id'] !== undefined,
    },
    'id= gives one record': {
      source: `${CONTROLLER} index (find_by_id)`,
      before: [publish({})],
      request: get('/dois?id=10.5072/X'),
      members: { 'meta.total': 1, 'data.0.id': '10.5072/x' },
    },
    'a sample of each repository': {
      source: `${CONTROLLER} sample_group`,
      request: get('/dois?sample=1&sample-group=client'),
      holds: ({ json }) => {
        const clients = json().data.map(({ relationships }) => relationships.client?.data.id);
        return (
          clients.length > 1 &&
          new Set(clients).size === clients.length &&
          json().meta.total === clients.length
        );
      },
      differs: '`sample-group` is ignored',
    },
  }),
  finds('version:testtag AND doi:"10.5072/x"', 242),
  finds('relatedItems.relationTypeInformation:"Relates this DOI to the journal*"', 2341),
  finds('relatedIdentifiers.relationTypeInformation:"Relates this DOI to the dataset*"', 2349),
  ...['composite=true', 'callback=f'].map(
    (parameter): Expectation => ({
      name: parameter,
      source: parameter.startsWith('callback')
        ? 'lupo app/controllers/application_controller.rb set_jsonp_format'
        : `${SERIALIZER} (composite)`,
      request: get(`/dois?page[size]=1&${parameter}`),
      holds: ({ text }) =>
        parameter.startsWith('callback')
          ? text.startsWith('f({')
          : memberAt(text, 'data.0.attributes.subjects') === undefined,
      differs: '`composite` and `callback` are ignored',
    }),
  ),
];

const PARTS: readonly Expectation[] = [
  ...named({
    'get-url of a Draft tells its address': {
      source: `${SPEC}:1848`,
      before: [write('POST /dois', { doi: '10.5072/x', url: COMPLETE.url })],
      request: get('/dois/10.5072/x/get-url'),
      members: { url: COMPLETE.url },
    },
    'get-dois lists the DOIs of the account in capitals': {
      source: `${SPEC}:1873`,
      before: [publish({})],
      request: get('/dois/get-dois'),
      holds: ({ text }) => (memberAt(text, 'dois') as string[]).includes('10.5072/X'),
    },
    'get-dois needs credentials': {
      source: `${SPEC}:1887`,
      request: get('/dois/get-dois', NOBODY),
      status: 401,
      members: { errors: [{ status: '401', title: 'Bad credentials.' }] },
    },
    'random gives as many DOIs as asked for': {
      source: `${CONTROLLER} random`,
      request: get('/dois/random?prefix=10.5072&size=3'),
      holds: ({ text }) => new Set(memberAt(text, 'dois') as string[]).size === 3,
    },
    'a create is one activity': {
      source: `${ACTIVITIES}:50`,
      before: [write('POST /dois', { doi: '10.5072/x' })],
      request: get('/dois/10.5072/x/activities'),
      members: {
        'meta.total': 1,
        'data.0.attributes.action': 'create',
        'data.0.attributes.changes.aasm_state': 'draft',
        'data.0.attributes.prov:wasDerivedFrom': 'https://doi.org/10.5072/x',
      },
    },
    'activities of all DOIs': {
      source: `${ACTIVITIES}:140`,
      before: [publish({})],
      request: get('/activities?datacite-doi-id=10.5072/x'),
      members: { 'meta.total': 1 },
      differs: '`/activities` without a DOI is 404',
    },
  }),
  ...['', '?publisher=true'].map(
    (query): Expectation => ({
      name: `the publisher of an activity${query}`,
      source: `${ACTIVITIES}:${query === '' ? 190 : 215}`,
      before: [publish(RELATED)],
      request: get(`/dois/10.5072/x/activities${query}`),
      members: {
        'data.0.attributes.changes.publisher': query === '' ? 'Zebra' : RELATED.publisher,
      },
    }),
  ),
];

/** One record, as GET and the answer to a write show it. */
const TIMES: Expectation[] = [
  get('/dois/10.5072/x'),
  write('PUT /dois/10.5072/x', { version: '2' }),
].map((request) => ({
  name: `plain JSON, and times with milliseconds: ${request.line}`,
  source: 'lupo config/initializers/mime_types.rb; spec/fixtures/files/transfer.json',
  before: [publish({})],
  request,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  members: Object.fromEntries(
    ['created', 'registered', 'updated'].map((name) => [
      `data.attributes.${name}`,
      /T..:..:..\.000Z$/,
    ]),
  ),
}));

const ROUTES = 'lupo config/routes.rb';
const CONF = 'lupo vendor/docker/webapp.conf.template';
const plain = { 'accept-encoding': 'identity' };
const member = (path: string, members: Expectation['members'] = {}): Expectation => ({
  name: `GET ${path}`,
  source: ROUTES,
  request: get(path, NOBODY),
  members,
});

/** What programs read besides records (service.md, O10). */
const OTHERS: readonly Expectation[] = [
  ...named({
    'media of a record': {
      source: 'lupo app/controllers/media_controller.rb',
      before: [publish({})],
      request: get('/dois/10.5072/x/media', NOBODY),
      members: { data: [], 'meta.total': 0 },
    },
  }),
  member('/clients?query=zenodo', { 'data.0.id': 'cern.zenodo', 'meta.total': 1 }),
  member('/repositories?client-id=none.none', { data: [], 'meta.totalPages': 0 }),
  member('/repositories?page[size]=1&page[number]=2', { 'meta.page': 2, 'links.next': /=3$/ }),
  member('/providers?id=cern', {
    'data.0.relationships.clients.data': [{ id: 'cern.zenodo', type: 'clients' }],
  }),
  member('/providers/cern', { 'data.attributes.symbol': 'CERN' }),
  member('/client-prefixes?client-id=cern.zenodo', {
    'data.0.relationships.prefix.data': { id: '10.5281', type: 'prefixes' },
  }),
  member('/provider-prefixes?provider-id=cern', {
    'data.0.relationships.provider.data': { id: 'cern', type: 'providers' },
  }),
  member('/events?doi=10.5072/x', { data: [], 'meta.total': 0, 'meta.total-pages': 0 }),
  // Removed (service.md, O9), or not there for this verb.
  ...['GET /works', 'GET /members', 'GET /data-centers', 'PUT /dois', 'POST /heartbeat'].map(
    (line): Expectation => ({
      name: line,
      source: ROUTES,
      request: { line },
      status: 404,
      members: { 'errors.0.title': "The resource you are looking for doesn't exist." },
    }),
  ),
];

/** Headers (service.md, E13). */
const HEADERS: readonly Expectation[] = [
  ...named({
    'an answer has an ETag, unless it is compressed': {
      source: 'lupo config/application.rb Rack::Deflater',
      request: get('/dois?page[size]=0', NOBODY, { ...plain, accept: 'application/vnd.api+json' }),
      headers: {
        etag: /^W\/"[\da-f]{32}"$/,
        'cache-control': 'max-age=0, private, must-revalidate',
        'x-request-id': /^[\da-f-]{36}$/,
        'x-lupoversion': /./,
        vary: 'Accept,Accept-Encoding',
      },
    },
    'a compressed answer has no ETag': {
      source: 'lupo config/application.rb Rack::Deflater',
      request: get('/dois', NOBODY, { 'accept-encoding': 'gzip' }),
      headers: { etag: null, 'cache-control': 'no-cache', vary: 'Accept-Encoding' },
    },
    'a web page may read it': {
      source: CONF,
      request: get('/dois?page[size]=0', NOBODY, { origin: 'https://example.org' }),
      headers: { 'access-control-allow-origin': 'https://example.org' },
    },
    'OPTIONS before the request of a web page': {
      source: CONF,
      request: { line: 'OPTIONS /dois/10.5072/x', headers: { origin: 'https://example.org' } },
      status: 204,
      headers: { 'access-control-allow-methods': /PATCH/, 'access-control-max-age': '1728000' },
    },
  }),
  ...[
    write('POST /dois', { doi: '10.5072/+' }),
    publish({ publisher: '' }),
    { line: 'DELETE /dois/10.5072/y' },
  ].map((request, place): Expectation => {
    const status = place === 2 ? 405 : 422;
    return {
      name: `${status} names the account: ${place}`,
      source: 'lupo app/controllers/application_controller.rb after_action',
      before: [publish({ doi: '10.5072/y' })],
      request,
      status,
      headers: { 'x-credential-username': 'demo.repo' },
    };
  }),
  ...['lastyear', '2019,x', '2020-01', '2017, 2019'].map(
    (years): Expectation => ({
      name: `created=${years} is no list of years`,
      source: 'lupo app/models/doi.rb:1185',
      request: get(`/dois?created=${years}`),
      status: 400,
      members: { 'errors.title': /^failed to parse date field/ },
    }),
  ),
];

export const READS: readonly Expectation[] = [
  ...[...TIMES, ...SINGLE, ...LISTED, ...PARTS],
  ...[...OTHERS, ...HEADERS],
];
