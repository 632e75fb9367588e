import {
  base64,
  COMPLETE,
  type Expectation,
  FORBIDDEN,
  get,
  KERNEL_4,
  memberAt,
  named,
  problem,
  publish,
  type Sent,
  write,
  xml,
} from './expectations.ts';

const SPEC = 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb';
const PATCH = 'lupo spec/requests/datacite_dois/patch_spec.rb';
const POST = 'lupo spec/requests/datacite_dois/post_spec.rb';
const DOI = 'lupo app/models/doi.rb';
const A = 'data.attributes';

const FULL = publish({
  subjects: [{ subject: 'a' }],
  identifiers: [{ identifier: 'pk-1234', identifierType: 'publisher ID' }],
  descriptions: [{ description: 'd', descriptionType: 'Abstract' }],
});
const PK = { identifiers: [{ identifier: 'pk-1234', identifierType: 'publisher ID' }] };
const patch = (attributes: object, query = ''): Sent =>
  write(`PATCH /dois/10.5072/x${query}`, attributes);
const inXml = (text: string): string =>
  Buffer.from(String(memberAt(text, `${A}.xml`)), 'base64').toString();
const after = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([path, value]) => [`${A}.${path}`, value]));

type Change = [
  source: string,
  sent: object,
  members: Record<string, unknown>,
  more?: Partial<Expectation>,
];
/** What a full record holds after an update. */
const changed = (name: string, ...[source, sent, members, more]: Change): Expectation => ({
  name,
  source,
  before: [FULL],
  request: patch(sent),
  members: after(members),
  ...more,
});

/** The service's errors for a refused write. */
const wrong = (
  name: string,
  source: string,
  request: Sent,
  errors: readonly object[],
): Expectation => ({
  name,
  source,
  request,
  status: 422,
  members: { errors },
});

const WITH_XML = { xml: base64(xml()), url: 'http://www.bl.uk/pdf/pat.pdf' };
const NO_URL = [problem('url', "Can't be blank")];

const LATER = { line: 'POST /_emulator/clock', body: { advanceMs: 60_000 } };
const timeOf = (text: string, name: string) => Date.parse(String(memberAt(text, `${A}.${name}`)));

const AS_SENT = {
  sizes: ['100 samples', '56 pages'],
  formats: ['application/json'],
  dates: [{ date: ':tba', dateType: 'Issued' }],
  contentUrl: ['s3://b/a', 'gs://b/c'],
  subjects: [
    {
      subject: 's',
      schemeUri: 'http://a.b',
      subjectScheme: 'FOR',
      lang: 'en',
      classificationCode: '001',
    },
  ],
};

/** What a full record holds after each update. */
const CHANGES: Readonly<Record<string, Change>> = {
  'empty lists take values away': [
    `${PATCH}:804`,
    { subjects: [], identifiers: [] },
    { subjects: [], identifiers: [], alternateIdentifiers: [] },
  ],
  'what was taken away is not in the XML': [
    `${PATCH}:804`,
    { subjects: [], identifiers: [] },
    {},
    {
      holds: ({ text }) => !/<subjects|<alternateIdentifiers/.test(inXml(text)),
    },
  ],
  'null takes values away': [`${PATCH}:834`, { subjects: null }, { subjects: [], ...PK }],
  'null for alternateIdentifiers takes identifiers away': [
    `${PATCH}:861`,
    { alternateIdentifiers: null },
    { identifiers: [], alternateIdentifiers: [] },
  ],
  'no alternateIdentifiers take identifiers away': [
    `${PATCH}:889`,
    { alternateIdentifiers: [] },
    { identifiers: [], alternateIdentifiers: [] },
  ],
  'new alternateIdentifiers become identifiers': [
    `${PATCH}:926`,
    { alternateIdentifiers: [{ alternateIdentifier: 'i', alternateIdentifierType: 't' }] },
    {
      identifiers: [{ identifier: 'i', identifierType: 't' }],
      alternateIdentifiers: [{ alternateIdentifier: 'i', alternateIdentifierType: 't' }],
    },
    {
      holds: ({ text }) => /<alternateIdentifier alternateIdentifierType="t">i</.test(inXml(text)),
    },
  ],
  'an empty list wins over the XML sent with it': [
    `${PATCH}:424`,
    { ...WITH_XML, descriptions: [] },
    { descriptions: [], url: WITH_XML.url, state: 'findable' },
  ],
  'XML updates a record': [
    `${PATCH}:35`,
    WITH_XML,
    {
      titles: COMPLETE.titles,
      url: WITH_XML.url,
    },
  ],
  'read-only attributes are ignored': [
    `${PATCH}:51`,
    { ...WITH_XML, container: {}, published: null, viewsOverTime: {}, citationCount: 7 },
    { titles: COMPLETE.titles, citationCount: 0, container: {} },
  ],
  'values that are kept as they are': [`${PATCH}:105,128,341; ${POST}:2035,2066`, AS_SENT, AS_SENT],
  'people change': [
    `${PATCH}:575`,
    { ...WITH_XML, creators: [{ name: 'Ollomi, Benjamin' }] },
    {
      creators: [{ name: 'Ollomi, Benjamin', affiliation: [], nameIdentifiers: [] }],
      state: 'findable',
    },
  ],
  'nameIdentifiers as one object are a list': [
    `${SPEC}:1179`,
    {
      creators: [
        {
          name: 'J',
          nameIdentifiers: { nameIdentifier: 'http://viaf.org/1', nameIdentifierScheme: 'VIAF' },
        },
      ],
    },
    {
      'creators.0.nameIdentifiers': [
        { nameIdentifier: 'http://viaf.org/1', nameIdentifierScheme: 'VIAF' },
      ],
    },
  ],
  'null for the publisher': [`${DOI}:155`, { publisher: null }, { publisher: 'DataCite' }],
  'null for the source': [`${DOI}:2564`, { source: null }, { source: 'api' }],
  'a text for contentUrl': [
    `${DOI}:1873`,
    { contentUrl: 's3://b/a' },
    { contentUrl: ['s3://b/a'] },
  ],
  'no xml in a Findable record': [`${DOI}:135`, { xml: null }, {}, { status: 422 }],
  'a publisher as text': [`${SPEC}:1520`, { publisher: 'New' }, { publisher: 'New' }],
  'XML with a series has a container': [
    `${POST}:2189`,
    {
      xml: base64(
        xml('', {
          more:
            '<descriptions><description descriptionType="SeriesInformation">Keck Institute' +
            '</description></descriptions>',
        }),
      ),
    },
    { container: { title: 'Keck Institute', type: 'Series' } },
  ],
  'an object in a list of texts loses the list': [
    'lupo app/lib/params_sanitizer.rb:49 (sizes: [] takes scalars only)',
    { sizes: ['a', { size: 'b' }] },
    { sizes: [] },
  ],
};

const KEPT: readonly Expectation[] = [
  ...named({
    'several affiliations are in the XML': {
      source: `${POST}:2087`,
      before: [FULL],
      request: patch(
        {
          creators: [
            {
              name: 'Ollomi, Benjamin',
              affiliation: [{ name: 'Cambridge' }, { name: 'EMBL-EBI' }],
            },
          ],
        },
        '?affiliation=true',
      ),
      members: after({
        creators: [
          {
            name: 'Ollomi, Benjamin',
            affiliation: [{ name: 'Cambridge' }, { name: 'EMBL-EBI' }],
            nameIdentifiers: [],
          },
        ],
      }),
      holds: ({ text }) =>
        /<creator>\s*<creatorName>Ollomi, Benjamin<\/creatorName>\s*<affiliation>Cambridge<\/affiliation>\s*<affiliation>EMBL-EBI<\/affiliation>\s*<\/creator>/.test(
          inXml(text),
        ),
    },
    'XML without a series takes the container away': {
      source: `${POST}:2196`,
      before: [
        FULL,
        patch({
          descriptions: [{ description: 'Keck Institute', descriptionType: 'SeriesInformation' }],
        }),
      ],
      request: patch({ xml: base64(xml()) }),
      members: after({ container: {}, subjects: [], language: null }),
    },
    'XML with a related item has a container': {
      source: 'bolognese lib/bolognese/utils.rb generate_container',
      request: write('POST /dois', {
        doi: '10.5072/x',
        xml: base64(
          xml('', {
            more:
              '<relatedItems><relatedItem relatedItemType="Journal" relationType="IsPublishedIn">' +
              '<titles><title>Physics letters</title></titles><volume>776</volume>' +
              '<firstPage>249</firstPage></relatedItem></relatedItems>',
          }),
        ),
      }),
      status: 201,
      members: after({
        container: { type: 'Series', title: 'Physics letters', volume: '776', firstPage: '249' },
      }),
    },
  }),
  {
    name: 'an update moves the time of update, and sets the version of the schema',
    source: 'lupo app/models/doi.rb before_save',
    before: [publish({ schemaVersion: undefined }), LATER],
    request: write('PUT /dois/10.5072/X', { titles: [{ title: 'New' }] }),
    members: after({ metadataVersion: 1, schemaVersion: KERNEL_4, viewCount: 0 }),
    holds: ({ text }) =>
      /<title>New</.test(inXml(text)) &&
      timeOf(text, 'updated') >= timeOf(text, 'created') + 60_000,
  },
  {
    name: 'an updated record is found by its time of update',
    source: `${DOI} query`,
    before: [FULL, LATER, patch({ titles: [{ title: 'New' }] })],
    request: get('/dois?query=updated:[{2:data.attributes.updated} TO *]'),
    members: { 'meta.total': 1, 'data.0.id': '10.5072/x' },
  },
  {
    ...changed(
      'a publisher as text with publisher=true',
      `${SPEC}:1536`,
      {},
      { publisher: { name: 'New' } },
    ),
    request: patch({ publisher: 'New' }, '?publisher=true'),
  },
  {
    ...changed(
      'an address of FTP',
      `${POST}:1317`,
      {},
      { url: 'ftp://ftp.library.noaa.gov/a.pdf', state: 'findable' },
    ),
    request: publish({ doi: '10.5072/y', url: 'ftp://ftp.library.noaa.gov/a.pdf' }),
    status: 201,
  },
  ...['register', 'publish'].map(
    (event): Expectation => ({
      name: `PATCH of a new DOI with XML and ${event}`,
      source: `${SPEC}:${event === 'register' ? 1346 : 1392}`,
      request: patch({ ...WITH_XML, event }),
      status: 201,
      members: after({
        state: event === 'register' ? 'registered' : 'findable',
        isActive: event === 'publish',
      }),
    }),
  ),
];

const REFUSED: readonly Expectation[] = [
  ...named({
    'a contributor without a type in a Draft': {
      source: `${DOI}:2249 check_contributors`,
      request: write('POST /dois', {
        doi: '10.5072/x',
        contributors: [{ name: 'K' }],
        schemaVersion: KERNEL_4,
      }),
      status: 422,
      members: {
        'errors.0.source': 'contributors',
        'errors.0.title':
          /^Contributor '\{.*\}' is missing a required element: contributor type\.$/,
      },
    },
    'a contributor without a name in a Draft is taken': {
      source: `${DOI}:2249 check_contributors`,
      request: write('POST /dois', {
        doi: '10.5072/x',
        contributors: [{ contributorType: 'Editor' }],
      }),
      status: 201,
    },
    'a language of another form is dropped from a Draft': {
      source: `${DOI} update_language`,
      request: write('POST /dois', { doi: '10.5072/x', language: 'no such language' }),
      status: 201,
      members: after({ language: null }),
    },
    'an update without data is a bad request': {
      source: `${PATCH}:88`,
      before: [FULL],
      request: { line: 'PATCH /dois/10.5072/x', body: WITH_XML },
      status: 400,
      members: {
        errors: [
          { status: '400', title: 'You need to provide a payload following the JSONAPI spec' },
        ],
      },
    },
    'a DOI without a slash is forbidden': {
      source: `${POST}:1518`,
      request: write('POST /dois', { doi: '10.aaaa03', url: COMPLETE.url }),
      status: 403,
      members: FORBIDDEN,
    },
    'undo takes back the last change': {
      source: `${PATCH}:564`,
      before: [FULL, patch({ titles: [{ title: 'New' }] })],
      request: write('POST /dois/undo', { doi: '10.5072/x' }),
      differs: '`/dois/undo` and new media at `/dois/{doi}/media` are missing',
    },
    'media by the REST API': {
      source: 'lupo spec/requests/media_spec.rb:100',
      before: [FULL],
      request: {
        line: 'POST /dois/10.5072/x/media',
        body: { data: { type: 'media', attributes: { mediaType: 'a/b', url: 'https://a.b/' } } },
      },
      status: 201,
      differs: '`/dois/undo` and new media at `/dois/{doi}/media` are missing',
    },
  }),
  ...['register', 'publish'].map((event) =>
    wrong(
      `${event} without an address`,
      `${SPEC}:1370`,
      patch({ xml: WITH_XML.xml, event }),
      NO_URL,
    ),
  ),
  wrong('a landing page as text', `${POST}:2251`, publish({ landingPage: 'http://example.com' }), [
    problem(
      'landing_page',
      "Landing page 'http://example.com' should be an object instead of a string.",
    ),
  ]),
  wrong(
    'types as text',
    `${DOI} check_types`,
    publish({ types: 'Dataset', schemaVersion: undefined }),
    [problem('types', "Types 'Dataset' should be an object instead of a string.")],
  ),
];

export const UPDATES: readonly Expectation[] = [
  ...Object.entries(CHANGES).map(([name, row]) => changed(name, ...row)),
  ...KEPT,
  ...REFUSED,
];
