import { type Expectation, get, memberAt, NOBODY, publish, write } from './expectations.ts';

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
  ...FORMATS_OF.flatMap(([type, holds]): Expectation[] => [
    {
      name: `${type} by Accept`,
      source: SPEC,
      before: [RECORD],
      request: get('/dois/10.5072/x', NOBODY, { accept: type }),
      status: 200,
      headers: { 'content-type': new RegExp(`^${type.replaceAll(/[.+]/g, '\\$&')}`) },
      holds: ({ text }) => holds(text),
    },
    {
      name: `${type} by path`,
      source: SPEC,
      before: [RECORD],
      request: get(`/dois/${type}/10.5072/x`, NOBODY),
      status: 200,
      holds: ({ text }) => holds(text),
    },
  ]),
  {
    name: 'style=ieee',
    source: `${SPEC}:359`,
    before: [RECORD],
    request: get('/dois/text/x-bibliography/10.5072/x?style=ieee', NOBODY),
    status: 200,
    holds: ({ text }) => text.startsWith('B. Ollomo'),
  },
  {
    name: 'style=vancouver with a locale',
    source: `${SPEC}:379`,
    before: [RECORD],
    request: get('/dois/10.5072/x?style=vancouver&locale=de', NOBODY, { accept: 'text/x-bibliography' }),
    status: 200,
    holds: ({ text }) => text.startsWith('Ollomo B'),
  },
  {
    name: 'an unknown style is APA',
    source: 'lupo config/initializers/mime_types.rb',
    before: [RECORD],
    request: get('/dois/text/x-bibliography/10.5072/x?style=nonsense', NOBODY),
    status: 200,
    holds: ({ text }) => text.startsWith('Ollomo, B.'),
  },
  {
    name: 'style=chicago-author-date',
    source: 'lupo app/models/concerns/crosscitable.rb style',
    before: [RECORD],
    request: get('/dois/text/x-bibliography/10.5072/x?style=chicago-author-date', NOBODY),
    status: 200,
    holds: ({ text }) => text.startsWith('Ollomo, Benjamin'),
    differs: 'citations are written in the styles `apa`, `ieee` and `vancouver`; any other style gives APA',
  },
  {
    name: 'an unknown format is 406',
    source: `${SPEC}:398`,
    before: [RECORD],
    request: get('/dois/10.5072/x', NOBODY, { accept: 'application/vnd.ms-excel' }),
    status: 406,
    members: { errors: [{ status: '406', title: 'The content type is not recognized.' }] },
  },
  {
    name: 'without Accept it is JSON',
    source: `${SPEC}:407`,
    before: [RECORD],
    request: get('/dois/10.5072/x', NOBODY),
    status: 200,
    members: { 'data.attributes.doi': '10.5072/x' },
  },
  {
    name: 'another format of a Draft is 404 to nobody',
    source: `${SPEC}:40`,
    before: [write('POST /dois', { doi: '10.5072/x' })],
    request: get('/dois/10.5072/x', NOBODY, { accept: 'application/vnd.jats+xml' }),
    status: 404,
    members: { errors: [{ status: '404', title: "The resource you are looking for doesn't exist." }] },
  },
];
