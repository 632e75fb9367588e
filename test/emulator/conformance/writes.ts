import { MEMBER } from '../service.ts';
import {
  base64,
  COMPLETE,
  type Expectation,
  get,
  KERNEL_4,
  memberAt,
  named,
  publish,
  write,
  xml,
} from './expectations.ts';

const POST = 'lupo spec/requests/datacite_dois/post_spec.rb';
const PATCH = 'lupo spec/requests/datacite_dois/patch_spec.rb';
const GEO = 'lupo spec/requests/datacite_dois/post_geo_spec.rb';
const SPEC = 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb';
const SANITIZER = 'lupo app/lib/params_sanitizer.rb';
const A = 'data.attributes';

/** What a Findable record with a value looks like in the answer. */
const kept = (
  name: string,
  source: string,
  given: object,
  members: Record<string, unknown>,
): Expectation => ({
  name,
  source,
  request: publish(given),
  status: 201,
  members: Object.fromEntries(
    Object.entries(members).map(([path, value]) => [`${A}.${path}`, value]),
  ),
});

const state = (event: string | undefined, after: string, first?: string): Expectation => ({
  name: `event ${event} makes ${first ?? 'a new record'} ${after}`,
  source: 'lupo app/models/doi.rb aasm',
  before: [publish({ event: first })],
  request: write(first === undefined ? 'POST /dois' : 'PUT /dois/10.5072/x', {
    ...COMPLETE,
    doi: first === undefined ? '10.5072/y' : '10.5072/x',
    event,
  }),
  status: first === undefined ? 201 : 200,
  members: {
    [`${A}.state`]: after,
    [`${A}.isActive`]: after === 'findable',
    [`${A}.registered`]: after === 'draft' ? null : /^\d{4}-/,
  },
});

const RIGHTS = {
  rights: 'Creative Commons Zero v1.0 Universal',
  rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode',
  rightsIdentifier: 'cc0-1.0',
  rightsIdentifierScheme: 'SPDX',
  schemeUri: 'https://spdx.org/licenses/',
};
const NAMED = { rights: RIGHTS.rights };
const CC0 = 'http://creativecommons.org/publicdomain/zero/1.0';
/** Nothing is added to subjects, and schema 4.7 has words about other relations. */
const AS_SENT = {
  source: 'test',
  container: { type: 'Series', title: 'S' },
  rightsList: [{ rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/' }],
  subjects: [{ subject: 'Physical sciences' }],
  descriptions: [{ description: 'd' }],
  dates: ['2004-06~', '199?', '../2004', ':tba', 'some time'].map((date) => ({
    date,
    dateType: 'Other',
  })),
  relatedIdentifiers: [
    {
      relatedIdentifier: 'swh:1:rev:1',
      relatedIdentifierType: 'SWHID',
      relationType: 'Other',
      relationTypeInformation: 'about',
    },
  ],
};

/** What records hold after a creation. */
const KEPT_AS: Readonly<
  Record<string, readonly [source: string, given: object, members: Record<string, unknown>]>
> = {
  'values that are kept as they are': [
    `${POST}:53,2015,2499; ${SANITIZER}; lupo app/models/doi.rb check_dates; bolognese datacite_utils.rb`,
    AS_SENT,
    AS_SENT,
  ],
  'a Preprint has the names for anything': [
    `${POST}:775`,
    { types: { resourceTypeGeneral: 'Preprint' } },
    {
      types: {
        resourceTypeGeneral: 'Preprint',
        schemaOrg: 'CreativeWork',
        citeproc: 'article',
        bibtex: 'misc',
        ris: 'GEN',
      },
    },
  ],
  'the own type of a dissertation decides': [
    `${POST}:888`,
    { types: { resourceTypeGeneral: 'Text', resourceType: 'Dissertation' } },
    {
      'types.schemaOrg': 'Thesis',
      'types.citeproc': 'thesis',
      'types.bibtex': 'phdthesis',
      'types.ris': 'THES',
    },
  ],
  'contributors gain lists': [
    `${GEO}:80`,
    { contributors: [{ name: 'K', contributorType: 'DataManager' }] },
    {
      contributors: [
        { name: 'K', contributorType: 'DataManager', affiliation: [], nameIdentifiers: [] },
      ],
    },
  ],
  'alternateIdentifiers become identifiers': [
    `${POST}:378`,
    {
      alternateIdentifiers: [
        { alternateIdentifier: '123', alternateIdentifierType: 'Repository ID' },
      ],
    },
    {
      identifiers: [{ identifier: '123', identifierType: 'Repository ID' }],
      alternateIdentifiers: [
        { alternateIdentifier: '123', alternateIdentifierType: 'Repository ID' },
      ],
    },
  ],
  'identifiers win over alternateIdentifiers': [
    'lupo app/controllers/datacite_dois_controller.rb safe_params',
    {
      identifiers: [{ identifier: '1', identifierType: 'a' }],
      alternateIdentifiers: [{ alternateIdentifier: '2', alternateIdentifierType: 'b' }],
    },
    { identifiers: [{ identifier: '1', identifierType: 'a' }] },
  ],
  'identifiers of type DOI are dropped': [
    'lupo app/models/doi.rb update_identifiers',
    { identifiers: [{ identifier: '10.5072/y', identifierType: 'DOI' }] },
    { identifiers: [] },
  ],
  'affiliations that are texts are dropped': [
    `${SANITIZER}; lupo#764`,
    { creators: [{ name: 'X', affiliation: ['CERN'] }] },
    { 'creators.0.affiliation': [] },
  ],
  'unknown members are dropped': [
    'lupo config/application.rb:156',
    { nonsuch: 1, titles: [{ title: 't', nonsuch: 'x' }] },
    { nonsuch: undefined, titles: [{ title: 't' }] },
  ],
  'the creators of a related item lose affiliations and identifiers': [
    SANITIZER,
    {
      relatedItems: [
        {
          relatedItemType: 'Book',
          relationType: 'IsPublishedIn',
          titles: [{ title: 't', lang: 'en' }],
          creators: [
            {
              name: 'X',
              affiliation: [{ name: 'CERN' }],
              nameIdentifiers: [{ nameIdentifier: 'y' }],
            },
          ],
        },
      ],
    },
    { 'relatedItems.0.creators': [{ name: 'X' }], 'relatedItems.0.titles': [{ title: 't' }] },
  ],
  'texts in a list of objects are dropped': [
    SANITIZER,
    { subjects: ['a', { subject: 'b' }] },
    { subjects: [{ subject: 'b' }] },
  ],
  'one object becomes a list': [
    `${SPEC}:1160`,
    { creators: { name: 'X' }, titles: { title: 't' } },
    { titles: [{ title: 't' }], creators: [{ name: 'X', affiliation: [], nameIdentifiers: [] }] },
  ],
  'degrees as texts become numbers': [
    `${GEO}:180`,
    { geoLocations: [{ geoLocationPoint: { pointLatitude: '49.5', pointLongitude: '-123' } }] },
    { 'geoLocations.0.geoLocationPoint': { pointLatitude: 49.5, pointLongitude: -123 } },
  ],
  'rights are completed by their identifier': [
    `${POST}:1985`,
    { rightsList: [{ rightsIdentifier: 'CC0-1.0' }] },
    { rightsList: [RIGHTS] },
  ],
  'rights are completed by their name': [
    'bolognese utils.rb hsh_to_spdx',
    { rightsList: [{ rights: RIGHTS.rights }] },
    { rightsList: [RIGHTS] },
  ],
  'nulls in lists are dropped': [
    'rails deep munge (no_nil)',
    { sizes: [null, '1 MB'], titles: [null, { title: 'x' }] },
    { sizes: ['1 MB'], titles: [{ title: 'x' }] },
  ],
  'a number as the version becomes a text with all its digits': [
    'lupo db/schema.rb version_info',
    { version: 1.5, reason: 2 },
    { version: '1.5', reason: '2' },
  ],
  'true as a text': [
    'rails abstract_mysql_adapter.rb',
    { version: true, reason: false },
    { version: '1', reason: '0' },
  ],
  'a single point of a polygon becomes a list': [
    'lupo app/models/doi.rb update_geoLocationPolygon',
    {
      geoLocations: [
        { geoLocationPolygon: { inPolygonPoint: { pointLatitude: '1', pointLongitude: 2 } } },
      ],
      event: null,
    },
    {
      'geoLocations.0.geoLocationPolygon': [
        { inPolygonPoint: { pointLatitude: 1, pointLongitude: 2 } },
      ],
    },
  ],
  'the publisher may be an object, and is a name in the answer': [
    `${SPEC}:1550`,
    { publisher: { name: 'P', lang: 'en' } },
    { publisher: 'P' },
  ],
  'what the service counts itself is ignored': [
    SANITIZER,
    { viewCount: 9, state: 'draft', created: '1999' },
    { viewCount: 0, state: 'findable' },
  ],
};

export const WRITES: readonly Expectation[] = [
  ...named({
    'a create answers with the whole record and its address': {
      source: `${POST}:41-58; controller create (location)`,
      request: publish({ doi: '10.5072/X' }),
      status: 201,
      headers: { location: /\/dois\/10\.5072\/x$/ },
      members: {
        'data.id': '10.5072/x',
        'data.type': 'dois',
        [`${A}.state`]: 'findable',
        [`${A}.prefix`]: '10.5072',
        [`${A}.schemaVersion`]: KERNEL_4,
        [`${A}.creators`]: [{ ...COMPLETE.creators[0], affiliation: [], nameIdentifiers: [] }],
        [`${A}.types`]: {
          ...COMPLETE.types,
          schemaOrg: 'ScholarlyArticle',
          citeproc: 'article-journal',
          bibtex: 'article',
          ris: 'RPRT',
        },
        'data.relationships.client.data.id': 'demo.repo',
      },
      holds: ({ text }) => {
        const written = Buffer.from(String(memberAt(text, `${A}.xml`)), 'base64').toString();
        return /<identifier identifierType="DOI">10\.5072\/X<.*Eating your own/s.test(written);
      },
    },
    'the year of a Draft is a number': {
      source: 'lupo db/schema.rb publication_year',
      request: write('POST /dois', { doi: '10.5072/x', publicationYear: '0054' }),
      status: 201,
      members: { [`${A}.publicationYear`]: 54 },
    },
    'a client that is a text fails': {
      source: `${SANITIZER} (:client); lupo app/models/doi.rb belongs_to :client`,
      request: write('POST /dois', { doi: '10.5072/x', client: 'demo.repo' }),
      status: 500,
    },
    'XML alone makes a record': {
      source: `${POST}:41`,
      request: write('POST /dois', {
        doi: '10.5072/x',
        url: COMPLETE.url,
        xml: base64(xml()),
        event: 'publish',
      }),
      status: 201,
      members: {
        [`${A}.state`]: 'findable',
        [`${A}.titles`]: [{ title: 'Eating your own Dog Food' }],
        [`${A}.schemaVersion`]: KERNEL_4,
        [`${A}.publicationYear`]: 2016,
      },
    },
    'an attribute wins over the XML sent with it': {
      source: `${SANITIZER} add_xml_attributes`,
      request: write('POST /dois', {
        doi: '10.5072/x',
        xml: base64(xml()),
        titles: [{ title: 'T' }],
      }),
      status: 201,
      members: { [`${A}.titles`]: [{ title: 'T' }], [`${A}.publisher`]: 'DataCite' },
    },
    'a null takes nothing away from the XML sent with it': {
      source: `${SANITIZER} add_xml_attributes`,
      request: write('POST /dois', { doi: '10.5072/x', xml: base64(xml()), titles: null }),
      status: 201,
      members: { [`${A}.titles`]: [{ title: 'Eating your own Dog Food' }] },
    },
    'XML with a mistake makes a Draft': {
      source: `${POST}:1531`,
      request: write('POST /dois', { doi: '10.5072/x', xml: base64(xml('', { creators: '' })) }),
      status: 201,
      members: { [`${A}.creators`]: [] },
    },
    'a prefix alone gets a random suffix': {
      source: `${SANITIZER} add_random_id`,
      request: write('POST /dois', { prefix: '10.5072' }),
      status: 201,
      members: { 'data.id': /^10\.5072\/[0-9a-z]{4}-[0-9a-z]{4}$/ },
    },
    'PATCH updates like PUT': {
      source: `${PATCH}:20`,
      before: [publish({})],
      request: write('PATCH /dois/10.5072/x', { titles: [{ title: 'New' }] }),
      members: { [`${A}.titles`]: [{ title: 'New' }], [`${A}.publisher`]: 'DataCite' },
    },
    'hiding keeps a reason': {
      source: `${SPEC}:1467`,
      before: [publish({})],
      request: write('PATCH /dois/10.5072/x', { event: 'hide', reason: 'withdrawn by author' }),
      members: { [`${A}.reason`]: 'withdrawn by author', [`${A}.state`]: 'registered' },
    },
    'a record is the same when it is read': {
      source: `${SPEC}:1117`,
      before: [
        publish({ identifiers: [{ identifier: 'pk-1234', identifierType: 'publisher ID' }] }),
      ],
      request: get('/dois/10.5072/X'),
      members: {
        [`${A}.doi`]: '10.5072/x',
        [`${A}.identifiers`]: [{ identifier: 'pk-1234', identifierType: 'publisher ID' }],
        [`${A}.alternateIdentifiers`]: [
          { alternateIdentifier: 'pk-1234', alternateIdentifierType: 'publisher ID' },
        ],
      },
    },
    'a generated record has XML': {
      source: 'lupo app/serializers/datacite_doi_serializer.rb',
      request: get('/dois/10.5072/demo-0000000'),
      members: { [`${A}.xml`]: /^PD94bWw/ },
    },
    'a member reads the Drafts of its repositories': {
      source: `${SPEC}:1143`,
      before: [write('POST /dois', { doi: '10.5072/x' })],
      request: get('/dois/10.5072/x', MEMBER),
    },
    'names and dates of XML stay as they are': {
      source: 'lupo c001cbd0: spec/concerns/crosscitable_spec.rb:217',
      request: write('POST /dois', {
        doi: '10.5072/x',
        xml: base64(
          xml('', {
            creators:
              '<creator><creatorName>J. Fenner - Doe</creatorName><givenName>Martin</givenName>' +
              '<familyName>Fenner</familyName></creator>' +
              '<creator><creatorName>Ollomo, Benjamin</creatorName></creator>',
          }),
        ),
      }),
      status: 201,
      members: {
        [`${A}.creators`]: [
          {
            ...{ name: 'J. Fenner - Doe', givenName: 'Martin', familyName: 'Fenner' },
            ...{ affiliation: [], nameIdentifiers: [] },
          },
          { name: 'Ollomo, Benjamin', affiliation: [], nameIdentifiers: [] },
        ],
        [`${A}.dates`]: [],
      },
    },
  }),
  ...Object.entries(KEPT_AS).map(([name, row]) => kept(name, ...row)),
  ...(
    [
      ['the name wins over an unknown identifier', [{ ...NAMED, rightsIdentifier: 'x' }], RIGHTS],
      ['the first license in the list wins', [{ ...NAMED, rightsIdentifier: '0BSD' }], '0bsd'],
      ['an address as the text', [{ rights: `${CC0}/` }], RIGHTS],
      ['an address with http and legalcode', [{ rights: `${CC0}/legalcode` }], RIGHTS],
      ['a text instead of a list', 'CC0-1.0', RIGHTS],
      [
        'old identifiers first',
        [{ rights: 'GNU General Public License v3.0 or later' }],
        'gpl-3.0+',
      ],
      ['an old identifier stays', [{ rightsIdentifier: 'GPL-3.0+' }], 'gpl-3.0+'],
      ['an unknown identifier in lower case', [{ rightsIdentifier: 'AGPL-3.0+' }], 'agpl-3.0+'],
      ['a rare license', [{ rightsIdentifier: 'ZPL-2.1' }], 'zpl-2.1'],
      ['empty rights are dropped', [{}, { rightsIdentifier: 'CC0-1.0' }], RIGHTS],
    ] as const
  ).map(([name, rightsList, stored]) =>
    kept(
      `rights: ${name}`,
      'bolognese utils.rb hsh_to_spdx',
      { rightsList },
      typeof stored === 'string'
        ? { 'rightsList.0.rightsIdentifier': stored }
        : { rightsList: [stored] },
    ),
  ),
  ...(
    [
      ['English', 'en'],
      ['german', 'de'],
      ['eng', 'en'],
      ['en-US', 'en'],
      ['xx', 'xx'],
    ] as const
  ).map(([language, code]) =>
    kept(
      `language ${language} becomes ${code}`,
      'lupo app/models/doi.rb:2601',
      { language },
      { language: code },
    ),
  ),
  ...['Poster', 'Presentation'].map((general) =>
    kept(
      `${general} is a type (schema 4.7)`,
      `${POST}:2424`,
      { types: { resourceTypeGeneral: general } },
      { 'types.resourceTypeGeneral': general },
    ),
  ),
  state(undefined, 'draft'),
  state('register', 'registered'),
  state('publish', 'findable'),
  state('hide', 'draft'),
  state('show', 'draft'),
  state('nonsense', 'draft'),
  // An event that there is not makes a Draft.
  ...[
    [undefined, 'draft'],
    ['register', 'registered'],
    ['publish', 'findable'],
    ['hide', 'draft'],
  ].map(([event, after = '']) => state(event, after, 'nonsense')),
  state('publish', 'findable', 'register'),
  state('show', 'findable', 'register'),
  state('hide', 'registered', 'publish'),
  state('register', 'findable', 'publish'),
];
