import { MEMBER, type Reply } from '../service.ts';
import {
  COMPLETE,
  type Expectation,
  get,
  memberAt,
  NOBODY,
  named,
  publish,
  write,
} from './expectations.ts';

const SPEC = 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb';
const CONTROLLER = 'lupo app/controllers/datacite_dois_controller.rb';

const rows = ({ text }: Reply) =>
  memberAt(text, 'data') as { id: string; attributes: Record<string, unknown> }[];
const facetsOf = ({ text }: Reply) =>
  Object.keys(memberAt(text, 'meta') as object).filter(
    (name) => !['total', 'totalPages', 'page'].includes(name),
  );
const next = (reply: Reply) => String(memberAt(reply.text, 'links.next'));
const total = (reply: Reply) => Number(memberAt(reply.text, 'meta.total'));
const narrows = (reply: Reply) => total(reply) > 0 && total(reply) < 1000;
const ORCID = '0000-0003-1419-2405';
const NONE = { 'meta.total': 0, data: [] };
const EMPTY = { 'links.next': undefined };

const DEFAULT_FACETS =
  `states resourceTypes created published registered providers clients affiliations prefixes certificates licenses
  schemaVersions linkChecksStatus subjects fieldsOfScience citations views downloads`.split(/\s+/);

export const LISTS: readonly Expectation[] = [
  ...named({
    'cursor pages say no number, and count pages over the whole total': {
      source: `${SPEC}:200`,
      request: get('/dois?page[cursor]=1&page[size]=100'),
      members: { meta: { total: 1000, totalPages: 10 } },
    },
    'links.next loses state and sort, and keeps what is unknown, sorted': {
      source: CONTROLLER,
      request: get(
        '/dois?sort=created&unknown=1&page[size]=2&state=findable&detail=1&created=2011,2020',
      ),
      holds: (reply) =>
        next(reply).endsWith(
          '/dois?created=2011%2C2020&detail=1&page%5Bnumber%5D=2&page%5Bsize%5D=2',
        ),
    },
    'a new record is in the list that its filters name': {
      source: CONTROLLER,
      before: [publish({})],
      request: get(
        `/dois?published=2016&client-id=demo.repo&resource-type-id=text&created=${new Date().getUTCFullYear()}&query=doi:10.5072/x`,
      ),
      members: { 'meta.total': 1, 'data.0.id': '10.5072/x' },
    },
    'an enriched list has no other format': {
      source: CONTROLLER,
      request: get('/dois?page[size]=5&enriched=True', NOBODY, { accept: 'application/x-bibtex' }),
      holds: ({ text }) => text.trim() === '',
    },
    'numbered pages say which one they are': {
      source: `${SPEC}:110`,
      request: get('/dois?page[number]=2&page[size]=4'),
      members: { 'meta.page': 2, 'meta.total': 1000, 'meta.totalPages': 250 },
      holds: (reply) =>
        rows(reply).length === 4 &&
        /page%5Bnumber%5D=3&page%5Bsize%5D=4/.test(next(reply)) &&
        !/disable/.test(next(reply)),
    },
    'the last numbered page has no next one': {
      source: `${SPEC}:143`,
      request: get('/dois?page[number]=2&page[size]=500'),
      members: EMPTY,
    },
    'a page behind the last one is empty': {
      source: `${SPEC}:164`,
      request: get('/dois?page[number]=6&page[size]=500'),
      members: { data: [], 'meta.totalPages': 2, 'meta.page': 6, ...EMPTY },
    },
    'pages end at the 10,000th record (service.md, P3)': {
      source: 'lupo app/controllers/concerns/paginatable.rb',
      records: 12_000,
      request: get('/dois?page[size]=1000&page[number]=99&fields[dois]=doi'),
      members: { 'meta.page': 10, 'meta.totalPages': 10, ...EMPTY },
    },
    'the last page of an odd size links to itself (service.md, P4)': {
      source: 'lupo app/controllers/concerns/paginatable.rb',
      records: 12_000,
      request: get('/dois?page[size]=300&page[number]=34&fields[dois]=doi'),
      members: { 'meta.page': 33, 'meta.totalPages': 34, 'links.next': /page%5Bnumber%5D=34/ },
    },
    'totalPages are those within reach, not those of the total': {
      source: CONTROLLER,
      records: 18_666_188,
      request: get('/dois?page[size]=5'),
      members: { meta: { total: 18_666_188, totalPages: 2000, page: 1 } },
    },
    'the counts of a facet add up': {
      source: 'lupo app/models/doi.rb DOI_AGGREGATION_DEFINITIONS',
      request: get('/dois?page[size]=0&disable-facets=false&facets=states,resourceTypes'),
      holds: ({ text }) =>
        ['states', 'resourceTypes'].every((name) => {
          const counts = memberAt(text, `meta.${name}`) as { count: number }[];
          return counts.reduce((sum, { count }) => sum + count, 0) === 1000;
        }),
    },
    'sizes above 1000 count as 1000': {
      source: 'lupo app/controllers/concerns/paginatable.rb',
      request: get('/dois?page[size]=5000'),
      holds: (reply) => rows(reply).length === 1000,
    },
    'size 0 counts only': {
      source: CONTROLLER,
      request: get('/dois?page[size]=0'),
      members: { data: [], 'meta.total': 1000, 'meta.totalPages': 0, ...EMPTY },
    },
    'the default order is the last update, latest first': {
      source: `${CONTROLLER} sort`,
      before: [publish({}), write('PUT /dois/10.5072/x', { version: '2' })],
      request: get('/dois?page[size]=200'),
      members: { 'data.0.id': '10.5072/x' },
      holds: (reply) => {
        const updated = rows(reply).map(({ attributes }) => String(attributes['updated']));
        return updated.every((time, place) => place === 0 || time <= String(updated[place - 1]));
      },
    },
    'an unknown order counts as the default': {
      source: `${CONTROLLER} sort`,
      before: [publish({})],
      request: get('/dois?page[size]=2&sort=nonsense'),
      members: { 'data.0.id': '10.5072/x' },
    },
    'an empty cursor is a cursor, which is milliseconds and a DOI (service.md, P7)': {
      source: `${SPEC}:174`,
      request: get('/dois?page[cursor]&page[size]=4'),
      members: { 'meta.page': undefined, 'meta.totalPages': 250 },
      holds: (reply) => {
        const cursor = new URL(next(reply)).searchParams.get('page[cursor]') ?? '';
        const last = rows(reply)[3];
        const position = `${Date.parse(String(last?.attributes['created']))},${last?.id}`;
        return Buffer.from(cursor, 'base64url').toString() === position;
      },
    },
    'cursor order is creation time': {
      source: 'lupo app/models/doi.rb query',
      request: get('/dois?page[cursor]=1&page[size]=100&sort=-created'),
      holds: (reply) => {
        const created = rows(reply).map(({ attributes }) => String(attributes['created']));
        return created.join() === [...created].sort().join();
      },
    },
    'a walk that fits on one full page has no next one': {
      source: CONTROLLER,
      request: get('/dois?page[cursor]=1&page[size]=1000'),
      members: EMPTY,
    },
    'a cursor and random exclude each other': {
      source: `${SPEC}:206`,
      request: get('/dois?page[cursor]=1&page[size]=4&random=true'),
      status: 400,
      members: {
        'errors.0.title':
          'Cursor-based pagination and random sampling are mutually exclusive, ' +
          'please choose one or the other.',
      },
    },
    'random is ignored when it is not true': {
      source: `${SPEC}:228`,
      request: get('/dois?page[cursor]=1&page[size]=4&random=false'),
    },
    'random alone gives a page': {
      source: 'lupo app/models/doi.rb query',
      request: get('/dois?random=true&page[size]=20'),
      holds: (reply) => new Set(rows(reply).map(({ id }) => id)).size === 20,
    },
    'a scroll has an id and no page': {
      source: `${SPEC}:82`,
      request: get('/dois?page[scroll]=1m&page[size]=4'),
      members: {
        'meta.scroll-id': /./,
        'meta.page': undefined,
        'meta.states': undefined,
        'meta.total': 1000,
      },
      holds: (reply) => /scroll-id=/.test(next(reply)) && /page%5Bscroll%5D=1m/.test(next(reply)),
    },
    'a scroll id that is not known is 404': {
      source: `${CONTROLLER} scroll`,
      request: get('/dois?page[scroll]=1m&scroll-id=none'),
      status: 404,
    },
    'disable-facets=false gives the 18 default facets and stays in the link': {
      source: `${SPEC}:327`,
      request: get('/dois?disable-facets=false'),
      holds: (reply) =>
        facetsOf(reply).sort().join() === [...DEFAULT_FACETS].sort().join() &&
        /disable-facets=false/.test(next(reply)),
    },
    'facets= gives none': {
      source: `${SPEC}:379`,
      request: get('/dois?disable-facets=false&facets='),
      holds: (reply) => facetsOf(reply).length === 0,
    },
    'facets=states gives that one alone': {
      source: `${SPEC}:391`,
      request: get('/dois?disable-facets=false&facets=states'),
      holds: (reply) => facetsOf(reply).join() === 'states',
    },
    'facets may be named in any spelling, and unknown ones are ignored': {
      source: `${SPEC}:391`,
      request: get(
        '/dois?disable-facets=false&facets=client_types,registrationAgencies, clients,languages,' +
          'creators_and_contributors,made_up_facet',
      ),
      holds: (reply) =>
        facetsOf(reply).sort().join() ===
        'clientTypes,clients,creatorsAndContributors,languages,registrationAgencies',
    },
    'no facets without a match': {
      source: `${SPEC}:408`,
      request: get('/dois?prefix=10.0000&disable-facets=false'),
      members: NONE,
      holds: (reply) => facetsOf(reply).length === 0,
    },
    'facets by year begin with the latest, and there are ten': {
      source: 'lupo app/models/doi.rb DOI_AGGREGATION_DEFINITIONS',
      request: get('/dois?disable-facets=false&facets=created&page[size]=0'),
      holds: ({ text }) => {
        const years = (memberAt(text, 'meta.created') as { id: string }[]).map(({ id }) => id);
        return years.length === 10 && years.join() === [...years].sort().reverse().join();
      },
    },
    'counts and sums are facets, too': {
      source: `${SPEC}:2176`,
      request: get(
        '/dois?disable-facets=false&facets=citation_count,view_count,download_count&page[size]=0',
      ),
      holds: (reply) => facetsOf(reply).length === 3,
    },
    'links.next keeps affiliation-country': {
      source: `${CONTROLLER}:352`,
      request: get('/dois?affiliation-country=us&page[size]=2'),
      holds: (reply) => narrows(reply) && /affiliation-country=us/.test(next(reply)),
    },
    'a sparse fieldset keeps id and type': {
      source: `${SPEC}:272`,
      request: get('/dois?fields[dois]=titles&page[size]=1'),
      holds: (reply) =>
        Object.keys(rows(reply)[0]?.attributes ?? {}).join() === 'titles' &&
        rows(reply)[0]?.id !== '',
    },
    'a record of a list has no xml, no time of publication, and times of whole seconds': {
      source: `${SPEC}:71; lupo app/models/doi.rb as_indexed_json`,
      request: get('/dois?page[size]=1'),
      members: {
        'data.0.attributes.xml': undefined,
        'data.0.attributes.prefix': undefined,
        'data.0.attributes.published': null,
        'data.0.attributes.created': /T..:..:..Z$/,
        'data.0.attributes.updated': /T..:..:..Z$/,
      },
    },
    'detail adds what a single record has': {
      source: `${SPEC}:252`,
      before: [publish({ identifiers: [{ identifier: '1', identifierType: 'own' }] })],
      request: get('/dois?detail=true&page[size]=1'),
      members: {
        'data.0.attributes.prefix': '10.5072',
        'data.0.attributes.suffix': 'x',
        'data.0.attributes.alternateIdentifiers': [
          { alternateIdentifier: '1', alternateIdentifierType: 'own' },
        ],
        'data.0.attributes.xml': /^PD94bWw/,
        'data.0.relationships.provider.data.id': 'demo',
        'data.0.relationships.media': undefined,
      },
    },
    'detail acts on any value, even false': {
      source: CONTROLLER,
      request: get('/dois?detail=false&page[size]=1'),
      holds: (reply) => Array.isArray(rows(reply)[0]?.attributes['viewsOverTime']),
    },
    'affiliations are names with any value but true': {
      source: `${SPEC}:1049`,
      before: [publish({ creators: [{ name: 'X', affiliation: [{ name: 'CERN' }] }] })],
      request: get('/dois?page[size]=1&affiliation=True'),
      members: { 'data.0.attributes.creators.0.affiliation': ['CERN'] },
    },
    'nobody sees more than Findable records': {
      source: CONTROLLER,
      request: get('/dois?state=draft,registered', NOBODY),
      holds: (reply) => rows(reply).every(({ attributes }) => attributes['state'] === 'findable'),
    },
    'an account sees the records of all repositories': {
      source: CONTROLLER,
      request: get('/dois?state=draft&page[size]=100'),
      holds: ({ text }) => /"id":"cern\.zenodo"/.test(text),
    },
    'a member finds its records by provider-id': {
      source: 'lupo app/models/doi.rb query',
      request: get('/dois?provider-id=DEMO&page[size]=0', MEMBER),
      holds: narrows,
    },
    'client-id does not find those of a member': {
      source: 'lupo app/models/doi.rb query',
      request: get('/dois?client-id=demo&page[size]=0', MEMBER),
      members: { 'meta.total': 0 },
    },
    'years mean the range from the smallest to the largest': {
      source: 'lupo app/models/doi.rb query',
      request: get('/dois?created=2019,2012&page[size]=1000'),
      holds: (reply) =>
        rows(reply).some(({ attributes }) => String(attributes['created']).startsWith('2015')) &&
        narrows(reply),
    },
    'ids narrows': {
      source: `${CONTROLLER}:75`,
      before: [publish({}), publish({ doi: '10.5072/y' })],
      request: get('/dois?ids=10.5072/X,10.5072/y,10.5072/none'),
      members: { 'meta.total': 2 },
    },
    'ids leaves out all other filters, and the state that an anonymous list has': {
      source: `${CONTROLLER} index`,
      before: [write('POST /dois', { doi: '10.5072/x' })],
      request: get('/dois?ids=10.5072/x&query=nothing&client-id=demo.other'),
      members: { 'meta.total': 1, 'data.0.attributes.state': 'draft' },
    },
    'client-type=repository finds all': {
      source: `${SPEC}:715`,
      request: get('/dois?client-type=repository&page[size]=0'),
      members: { 'meta.total': 1000 },
    },
    'another client-type narrows': {
      source: `${SPEC}:731`,
      request: get('/dois?client-type=raidRegistry'),
      members: NONE,
    },
    'has-citations=5 narrows': {
      source: 'lupo app/models/doi.rb:1195',
      request: get('/dois?has-citations=5&page[size]=1000'),
      holds: (reply) =>
        narrows(reply) &&
        rows(reply).every(({ attributes }) => Number(attributes['citationCount']) >= 5),
    },
    'affiliation-id and client-id widen each other': {
      source: 'lupo app/models/doi.rb query',
      request: get('/dois?affiliation-id=none&client-id=demo.repo&page[size]=0'),
      holds: narrows,
    },
    'an unknown resource-type-id matches nothing': {
      source: `${SPEC}:1298`,
      request: get('/dois?resource-type-id=fake'),
      members: NONE,
    },
    'resource-type-id takes both spellings': {
      source: 'lupo app/models/doi.rb query',
      request: get('/dois?resource-type-id=PhysicalObject,image&page[size]=0'),
      holds: narrows,
    },
    'a list in another format': {
      source: `${CONTROLLER} format.any`,
      request: get('/dois?page[size]=2', '', { accept: 'application/x-bibtex' }),
      headers: { 'content-type': 'application/x-bibtex; charset=utf-8' },
      holds: ({ text }) => text.startsWith('@') && text.split('\n@').length === 2,
    },
    'a list in a format of JSON is an array': {
      source: 'lupo config/initializers/mime_types.rb Renderers',
      request: get('/dois?page[size]=2', '', { accept: 'application/vnd.citationstyles.csl+json' }),
      members: { '0.DOI': /^10\./, '1.DOI': /^10\./, 2: undefined },
    },
    'a list as CSV has one head': {
      source: 'lupo config/routes.rb content negotiation for collections',
      request: get('/dois/text/csv?page[size]=2'),
      holds: ({ text }) =>
        text.split('\n').filter((line) => line.startsWith('doi,url,')).length === 1,
    },
    'a list in an unknown format is refused': {
      source: `${CONTROLLER} respond_to`,
      request: get('/dois?page[size]=1', '', { accept: 'image/png' }),
      status: 406,
    },
    'records below their repository are those of it': {
      source: 'lupo config/routes.rb resources :clients',
      request: get('/clients/demo.repo/dois?page[size]=0'),
      holds: narrows,
    },
    'records below their provider are those of it': {
      source: 'lupo config/routes.rb resources :providers',
      request: get('/providers/demo/dois?page[size]=0'),
      holds: narrows,
    },
    'records below /repositories are all records': {
      source: `${CONTROLLER} index, which reads no repository_id`,
      request: get('/repositories/demo.repo/dois?page[size]=0'),
      members: { 'meta.total': 1000 },
    },
    'a repository as a client has its prefixes': {
      source: 'lupo app/serializers/client_serializer.rb',
      request: get('/clients/demo.repo', NOBODY),
      members: { 'data.type': 'clients', 'data.relationships.prefixes.data.0.id': '10.5072' },
    },
    'prefixes of a repository': {
      source: 'lupo app/controllers/prefixes_controller.rb index',
      request: get('/prefixes?client-id=demo.repo', NOBODY),
      members: {
        'meta.total': 2,
        'data.0.id': '10.5072',
        'data.0.type': 'prefixes',
        'data.0.relationships.clients.data.0': { id: 'demo.repo', type: 'clients' },
      },
    },
    'one prefix': {
      source: 'lupo spec/requests/prefixes_spec.rb:49',
      request: get('/prefixes/10.5072', NOBODY),
      members: { 'data.id': '10.5072', 'data.relationships.providers.data.0.id': 'demo' },
    },
    'an unknown prefix is not found': {
      source: 'lupo spec/requests/prefixes_spec.rb:58',
      request: get('/prefixes/10.1234', NOBODY),
      status: 404,
    },
    'the status of DOIs is not implemented': {
      source: `${CONTROLLER} status`,
      request: { line: 'POST /dois/status' },
      status: 501,
      members: { message: 'Not Implemented.' },
    },
    'random DOIs have a prefix': {
      source: `${SPEC}:1776`,
      request: get('/dois/random?prefix=10.5072'),
      members: { 'dois.0': /^10\.5072\/[0-9a-z]{4}-[0-9a-z]{4}$/ },
    },
    'random with a number is predictable': {
      source: `${SPEC}:1784`,
      request: get('/dois/random?prefix=10.5072&number=122149076'),
      members: { dois: ['10.5072/3mfp-6m52'] },
    },
    'random below what is no prefix fails': {
      source: `${CONTROLLER} random`,
      request: get('/dois/random?prefix=10.5'),
      status: 500,
    },
    'random without a prefix is refused': {
      source: `${CONTROLLER} random`,
      request: get('/dois/random'),
      status: 422,
      members: { errors: [{ status: '422', title: 'Parameter prefix is required' }] },
    },
    'get-url tells the registered address': {
      source: `${SPEC}:1803`,
      before: [publish({})],
      request: get('/dois/10.5072/x/get-url'),
      members: { url: COMPLETE.url },
    },
    'get-url of a Draft without an address has no content': {
      source: `${CONTROLLER} get_url`,
      before: [write('POST /dois', { doi: '10.5072/x' })],
      request: get('/dois/10.5072/x/get-url'),
      status: 204,
    },
    'get-url of a foreign DOI is forbidden': {
      source: 'lupo app/models/ability.rb',
      request: get('/dois/10.5281/zenodo.1000000003/get-url'),
      status: 403,
    },
    'activities tell what was written': {
      source: 'lupo app/serializers/activity_serializer.rb',
      before: [publish({}), write('PUT /dois/10.5072/x', { version: '2' })],
      request: get('/dois/10.5072/x/activities'),
      members: {
        'meta.total': 2,
        'data.0.type': 'activities',
        'data.0.attributes.action': 'update',
        'data.0.attributes.changes': { version_info: [null, '2'] },
        'data.1.attributes.action': 'create',
        'data.1.attributes.prov:wasAttributedTo': /repositories\/demo\.repo$/,
      },
    },
    'activities are sorted and paged, and told to everybody as to anonymous readers': {
      source: 'lupo app/controllers/activities_controller.rb (no authenticate_user!)',
      before: [
        write('POST /dois', { doi: '10.5072/x' }),
        write('PUT /dois/10.5072/x', { version: '2' }),
      ],
      request: get('/dois/10.5072/x/activities?sort=created&page[size]=1&page[number]=2'),
      headers: { 'x-anonymous-consumer': 'true', 'x-credential-username': null },
      members: {
        'meta.total': 2,
        'meta.page': 2,
        'data.0.attributes.action': 'update',
        'data.1': undefined,
        'links.next': /\/activities\?page%5Bnumber%5D=3&page%5Bsize%5D=1$/,
      },
    },
    'activities of an unknown DOI are none': {
      source: 'lupo app/models/concerns/indexable.rb query',
      request: get('/dois/10.5072/none/activities', NOBODY),
      members: { 'meta.total': 0, data: [] },
    },
  }),
  ...['2', '!!!', 'Z2FyYmFnZQ', 'MTI5Mzg0'].map(
    (cursor): Expectation => ({
      name: `the cursor ${cursor} begins at the first record (service.md, P8)`,
      source: CONTROLLER,
      request: get(`/dois?page[cursor]=${cursor}&page[size]=2`),
      members: { 'data.0.id': '10.5072/demo-0000000' },
    }),
  ),
  ...['', '?facets=created'].map(
    (query): Expectation => ({
      name: `no facets by default: /dois${query}`,
      source: `${CONTROLLER}:63`,
      request: get(`/dois${query}`),
      holds: (reply) => facetsOf(reply).length === 0 && !/disable-facets/.test(next(reply)),
    }),
  ),
  ...['true', 'TRUE', '1'].map(
    (value): Expectation => ({
      name: `disable-facets=${value} gives none`,
      source: `${CONTROLLER}:63`,
      request: get(`/dois?disable-facets=${value}`),
      holds: (reply) => facetsOf(reply).length === 0 && /disable-facets=true/.test(next(reply)),
    }),
  ),
  ...['open_licenses', 'person_to_work_types_multilevel', 'content_url_count'].map(
    (facet): Expectation => ({
      name: `the facet ${facet}`,
      source: `${SPEC}:2219`,
      request: get(`/dois?disable-facets=false&facets=${facet}&page[size]=0`),
      holds: (reply) => facetsOf(reply).length > 0,
      differs:
        'the facets `open_licenses`, `open_licenses_count`, `content_url_count`, `pid_entities` ' +
        'and `person_to_work_types_multilevel` are left out',
    }),
  ),
  ...['', 'orcid.org/', 'https://orcid.org/']
    .map((resolver) => `${resolver}${ORCID}`)
    .map(
      (id): Expectation => ({
        name: `user-id=${id} narrows`,
        source: `${SPEC}:945`,
        before: [
          publish({
            creators: [
              {
                name: 'Fenner, Martin',
                nameIdentifiers: [
                  { nameIdentifier: `https://orcid.org/${ORCID}`, nameIdentifierScheme: 'ORCID' },
                ],
              },
            ],
          }),
        ],
        request: get(`/dois?user-id=${id}`),
        members: { 'meta.total': 1, 'data.0.id': '10.5072/x' },
      }),
    ),
  ...['has-citations', 'has-views', 'has-downloads', 'has-parts'].map(
    (name): Expectation => ({
      name: `${name}=true counts as 0 and matches everything`,
      source: 'lupo app/models/doi.rb:1195 (to_i)',
      request: get(`/dois?${name}=true&page[size]=0`),
      members: { 'meta.total': 1000 },
    }),
  ),
  ...['true', 'false'].map(
    (value): Expectation => ({
      name: `has-affiliation=${value} means those with a ROR id`,
      source: 'lupo app/models/doi.rb; datacite/datacite#2451',
      request: get(`/dois?has-affiliation=${value}&affiliation=true&page[size]=1000`),
      holds: (reply) =>
        narrows(reply) &&
        rows(reply).every(({ attributes }) => /ror\.org/.test(JSON.stringify(attributes))),
    }),
  ),
  ...'has-person=1 has-funder=1 license=cc0-1.0 license=CC0-1.0 schema-version=4 source=mds has-versions=1'
    .split(' ')
    .map(
      (filter): Expectation => ({
        name: `${filter} narrows`,
        source: 'lupo app/models/doi.rb query',
        request: get(`/dois?${filter}&page[size]=0`),
        holds: narrows,
      }),
    ),
  {
    name: 'funded-by finds records of a funder by its ROR id',
    source: `${SPEC}:803`,
    request: get('/dois?funded-by=https://ror.org/00k4n6c32&page[size]=0'),
    holds: narrows,
  },
  ...['501100000780', '10.13039/501100000780', 'https://doi.org/10.13039/501100000780'].map(
    (id): Expectation => ({
      name: `funder-id=${id} finds records of a funder`,
      source: `${SPEC}:969`,
      request: get(`/dois?funder-id=${id}&page[size]=0`),
      holds: narrows,
    }),
  ),
  ...['05dxps055', 'ror.org/05dxps055', 'https://ror.org/05dxps055'].map(
    (id): Expectation => ({
      name: `affiliation-id=${id} finds records of an organisation`,
      source: `${SPEC}:993`,
      request: get(`/dois?affiliation-id=${id}&page[size]=0`),
      holds: narrows,
    }),
  ),
];
