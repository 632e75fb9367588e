import {
  type Expectation,
  get,
  memberAt,
  NOBODY,
  NOT_FOUND,
  named,
  publish,
  write,
} from './expectations.ts';

const SPEC = 'lupo spec/requests/datacite_dois/content_negotiation_spec.rb';

const RECORD = publish({
  doi: '10.5072/X',
  types: { resourceTypeGeneral: 'Dataset' },
  creators: [
    { name: 'Ollomo, Benjamin', givenName: 'Benjamin', familyName: 'Ollomo' },
    { name: 'Leroy, Eric', givenName: 'Eric', familyName: 'Leroy' },
  ],
  titles: [{ title: 'A new malaria agent' }],
  publisher: 'Dryad',
  publicationYear: 2011,
  subjects: [{ subject: 'Malaria' }],
  container: { title: 'Physics letters', volume: '776', firstPage: '249', lastPage: '264' },
  rightsList: [{ rightsIdentifier: 'cc0-1.0' }],
});

const MIME_TYPES = 'lupo config/initializers/mime_types.rb';

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

type Holds = (text: string) => boolean;

const FORMATS_OF: readonly (readonly [type: string, holds: Holds])[] = [
  [
    'application/vnd.datacite.datacite+json',
    (text) => memberAt(text, 'doi') === '10.5072/X' && memberAt(text, 'publicationYear') === 2011,
  ],
  [
    'application/vnd.crosscite.crosscite+json',
    (text) => memberAt(text, 'doi') === '10.5072/X' && memberAt(text, 'publication_year') === 2011,
  ],
  ['application/vnd.schemaorg.ld+json', (text) => memberAt(text, '@type') === 'Dataset'],
  ['application/ld+json', (text) => memberAt(text, '@type') === 'Dataset'],
  [
    'application/vnd.citationstyles.csl+json',
    (text) =>
      memberAt(text, 'type') === 'dataset' &&
      memberAt(text, 'DOI') === '10.5072/X' &&
      memberAt(text, 'page') === '249-264' &&
      memberAt(text, 'author.0.family') === 'Ollomo' &&
      memberAt(text, 'copyright') === 'Creative Commons Zero v1.0 Universal',
  ],
  ['application/vnd.codemeta.ld+json', (text) => memberAt(text, 'name') === 'A new malaria agent'],
  [
    'application/vnd.jats+xml',
    (text) =>
      /<element-citation publication-type="data">/.test(text) &&
      /<data-title>A new malaria agent</.test(text),
  ],
  ['application/vnd.datacite.datacite+xml', (text) => /<resource [^>]*kernel-4"/.test(text)],
  ['application/x-research-info-systems', (text) => text.startsWith('TY  - DATA')],
  ['application/x-bibtex', (text) => text.startsWith('@misc{https://doi.org/10.5072/x')],
  ['text/csv', (text) => /^doi,url,registered,state,.*\n10\.5072\/X,/.test(text)],
  ['text/x-bibliography', (text) => text.startsWith('Ollomo, B.')],
];

export const FORMATS: readonly Expectation[] = [
  ...named({
    'style=ieee': {
      source: `${SPEC}:359`,
      before: [RECORD],
      request: get('/dois/text/x-bibliography/10.5072/x?style=ieee', NOBODY),
      holds: ({ text }) => text.startsWith('B. Ollomo'),
    },
    'style=vancouver with a locale': {
      source: `${SPEC}:379`,
      before: [RECORD],
      request: get('/dois/10.5072/x?style=vancouver&locale=de', NOBODY, {
        accept: 'text/x-bibliography',
      }),
      holds: ({ text }) => text.startsWith('Ollomo B'),
    },
    'an unknown style is APA': {
      source: 'lupo config/initializers/mime_types.rb',
      before: [RECORD],
      request: get('/dois/text/x-bibliography/10.5072/x?style=nonsense', NOBODY),
      holds: ({ text }) => text.startsWith('Ollomo, B.'),
    },
    'style=chicago-author-date': {
      source: 'lupo app/models/concerns/crosscitable.rb style',
      before: [RECORD],
      request: get('/dois/text/x-bibliography/10.5072/x?style=chicago-author-date', NOBODY),
      holds: ({ text }) => text.startsWith('Ollomo, Benjamin'),
      differs:
        'citations are written in the styles `apa`, `ieee` and `vancouver`; ' +
        'any other style gives APA',
    },
    'an unknown format is 406': {
      source: `${SPEC}:398`,
      before: [RECORD],
      request: get('/dois/10.5072/x', NOBODY, { accept: 'application/vnd.ms-excel' }),
      status: 406,
      members: { errors: [{ status: '406', title: 'The content type is not recognized.' }] },
    },
    'without Accept it is JSON': {
      source: `${SPEC}:407`,
      before: [RECORD],
      request: get('/dois/10.5072/x', NOBODY),
      members: { 'data.attributes.doi': '10.5072/x' },
    },
    'another format of a Draft is 404 to nobody': {
      source: `${SPEC}:40`,
      before: [write('POST /dois', { doi: '10.5072/x' })],
      request: get('/dois/10.5072/x', NOBODY, { accept: 'application/vnd.jats+xml' }),
      status: 404,
      members: NOT_FOUND,
    },
    'a style in the header counts at the root only': {
      source: 'lupo app/controllers/datacite_dois_controller.rb show (params[:style])',
      before: [RECORD],
      request: get('/dois/10.5072/x', NOBODY, { accept: 'text/x-bibliography; style=ieee' }),
      holds: ({ text }) => text.startsWith('Ollomo, B.'),
    },
    'another format of no DOI is 404 in JSON': {
      source: `${SPEC}:155`,
      request: get('/dois/xxx', undefined, { accept: 'application/vnd.datacite.datacite+xml' }),
      status: 404,
      members: NOT_FOUND,
    },
    'citeproc JSON has all members': {
      source: `${SPEC}:232`,
      before: [RECORD],
      request: get('/dois/application/vnd.citationstyles.csl+json/10.5072/x', NOBODY),
      members: {
        id: 'https://doi.org/10.5072/x',
        categories: ['Malaria'],
        issued: { 'date-parts': [[2011]] },
        'container-title': 'Physics letters',
        volume: '776',
        'page-first': '249',
        publisher: 'Dryad',
        URL: 'https://example.org/x',
      },
    },
  }),
  ...FORMATS_OF.flatMap(([type, holds]): Expectation[] => [
    {
      name: `${type} by Accept`,
      source: SPEC,
      before: [RECORD],
      request: get('/dois/10.5072/x', NOBODY, { accept: type }),
      headers: { 'content-type': new RegExp(`^${type.replaceAll(/[.+]/g, '\\$&')}`) },
      holds: ({ text }) => holds(text),
    },
    {
      name: `${type} by path`,
      source: SPEC,
      before: [RECORD],
      request: get(`/dois/${type}/10.5072/x`, NOBODY),
      holds: ({ text }) => holds(text),
    },
  ]),
  ...[
    ['application/vnd.datacite.datacite+xml', '<title>Engines &lt;i&gt;&amp; notes</title>'],
    ['text/x-bibliography', 'Lovelace, A., &amp; Babbage, C. (2016). <i>'],
  ].map(
    ([type = '', text = '']): Expectation => ({
      name: `${type} escapes special characters`,
      source: SPEC,
      before: [
        publish({
          titles: [{ title: 'Engines <i>& notes' }],
          creators: [{ name: 'Lovelace, Ada' }, { name: 'Babbage, Charles' }],
        }),
      ],
      request: get('/dois/10.5072/x', NOBODY, { accept: type }),
      holds: (reply) => reply.text.includes(text),
    }),
  ),
  ...['application/x-datacite+xml', 'application/citeproc+json'].map(
    (type): Expectation => ({
      name: `${type} is another name`,
      source: MIME_TYPES,
      before: [RECORD],
      request: get('/dois/10.5072/x', NOBODY, { accept: type }),
      holds: ({ text }) => text.includes('A new malaria agent'),
    }),
  ),
  ...['application/json', 'text/x-json', '*/*', 'text/html', BROWSER].map(
    (type): Expectation => ({
      name: `Accept: ${type} is JSON:API`,
      source: MIME_TYPES,
      before: [RECORD],
      request: get('/dois/10.5072/x', NOBODY, { accept: type }),
      members: { 'data.id': '10.5072/x' },
    }),
  ),
  ...['application/vnd.crossref.unixref+xml', 'text/plain'].map(
    (type): Expectation => ({
      name: `${type} is no format of a DOI`,
      source: 'lupo app/controllers/datacite_dois_controller.rb show (format.any)',
      before: [RECORD],
      request: get('/dois/10.5072/x', NOBODY, { accept: type }),
      status: 406,
    }),
  ),
  ...['GET /10.5072/x', 'GET /text/x-bibliography/10.5072/x'].map(
    (line): Expectation => ({
      name: `${line} at the root`,
      source: `lupo spec/requests/index_spec.rb:${line.includes('text') ? 300 : 333}`,
      before: [RECORD],
      request: { line, as: NOBODY },
      status: line.includes('text') ? 200 : 303,
    }),
  ),
];
