import { DEMO, OTHER, type Reply } from '../service.ts';
import {
  base64,
  COMPLETE,
  type Expectation,
  FORBIDDEN,
  get,
  KERNEL_4,
  memberAt,
  NOBODY,
  NOT_FOUND,
  named,
  problem,
  publish,
  write,
  xml,
} from './expectations.ts';

const POST = 'lupo spec/requests/datacite_dois/post_spec.rb';
const SPEC = 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb';
const DOI = 'lupo app/models/doi.rb';
const XSD = 'bolognese kernel-4 metadata.xsd';
const SANITIZER = 'lupo app/lib/params_sanitizer.rb';
const PUBLISHER = 'lupo app/models/schemas/doi/publisher.json';
const VALIDATOR = 'lupo app/validators/xml_schema_validator.rb';
const SAFE_PARAMS = 'lupo app/controllers/datacite_dois_controller.rb safe_params';

/** A create of a Findable record that is refused with exactly one error. */
const refused = (
  name: string,
  source: string,
  given: object,
  place: string,
  title: unknown,
): Expectation => ({
  name,
  source,
  request: publish(given),
  status: 422,
  members: { 'errors.0.source': place, 'errors.0.title': title, 'errors.1': undefined },
});

const NO_CREATORS =
  'DOI 10.5072/x: Missing child element(s). ' +
  'Expected is ( {http://datacite.org/schema/kernel-4}creator ). at line 4, column 0';
const related = {
  relatedIdentifier: '10.5072/y',
  relatedIdentifierType: 'DOI',
  relationType: 'Cites',
};
const { schemaVersion: _, ...UNVERSIONED } = COMPLETE;

/** What makes a creation fail, and the one error about it. */
const REFUSED: Readonly<
  Record<string, readonly [source: string, given: object, place: string, title: unknown]>
> = {
  'no address': [`${SPEC}:1420`, { url: undefined }, 'url', "Can't be blank"],
  'an address of another kind': [DOI, { url: 'example.org' }, 'url', 'URL is not valid'],
  'an address with a space': [DOI, { url: 'https://a.b/c d' }, 'url', 'URL is not valid'],
  'no creators': [`${POST}:1571`, { creators: [] }, 'creators', NO_CREATORS],
  'no titles': [XSD, { titles: [] }, 'titles', /Missing child/],
  'no publisher': [XSD, { publisher: null }, 'publisher', /'minLength'/],
  'a year that has not four digits': [
    XSD,
    { publicationYear: '0054' },
    'publication_year',
    /The value '54' is not accepted by the pattern/,
  ],
  'an unknown general type': [
    VALIDATOR,
    { types: { resourceTypeGeneral: 'Nonsense' } },
    "resourceType', attribute 'resourceTypeGeneral",
    /'Nonsense' is not an element of the set/,
  ],
  'an unknown nameType': [
    `${POST}:1706`,
    { creators: [{ name: 'X', nameType: 'personal' }] },
    "creatorName', attribute 'nameType",
    /'personal' is not an element of the set \{'Organizational', 'Personal'\}/,
  ],
  'null for relatedItemType': [
    `${POST}:1552`,
    {
      relatedItems: [
        { relatedItemType: null, relationType: 'IsPublishedIn', titles: [{ title: 't' }] },
      ],
    },
    'relatedItem',
    /'relatedItemType' is required but missing/,
  ],
  'a funderIdentifier without a type': [
    XSD,
    { fundingReferences: [{ funderName: 'F', funderIdentifier: '1' }] },
    'funderIdentifier',
    /'funderIdentifierType' is required but missing/,
  ],
  'rights of more than 2000 characters': [
    `${DOI} check_rights_list`,
    { rightsList: [{ rights: 'x'.repeat(2001) }] },
    'rights_list',
    'Rights should not have a length of more than 2000 characters.',
  ],
};

export const REFUSALS: readonly Expectation[] = [
  ...named({
    'a DOI that is taken is refused': {
      source: DOI,
      before: [publish({})],
      request: publish({}),
      status: 422,
      members: {
        errors: [problem('doi', 'This DOI has already been taken')],
      },
    },
    'a DOI of a generated record is refused': {
      source: DOI,
      request: publish({ doi: '10.5072/demo-0000000' }),
      status: 422,
      members: { 'errors.0.title': 'This DOI has already been taken' },
    },
    'an update of a Findable record to an unknown general type': {
      source: VALIDATOR,
      before: [publish({})],
      request: write('PUT /dois/10.5072/x', { types: { resourceTypeGeneral: 'Nonsense' } }),
      status: 422,
    },
    'a text in place of a list': {
      source: 'lupo spec/requests/datacite_dois/patch_spec.rb:420',
      before: [publish({})],
      request: write('PATCH /dois/10.5072/x', { titles: 'T' }),
      status: 422,
      members: {
        errors: [problem('titles', "Title 'T' should be an object instead of a string.")],
      },
    },
    'unfinished JSON without schemaVersion names no field': {
      source: `${POST}:1474`,
      request: write('POST /dois', {
        doi: '10.5072/x',
        url: COMPLETE.url,
        creators: COMPLETE.creators,
        event: 'publish',
      }),
      status: 422,
      members: { errors: [problem('metadata', 'Is invalid')] },
    },
    'complete JSON without schemaVersion is taken': {
      source: `${POST}:187`,
      request: write('POST /dois', { doi: '10.5072/x', event: 'publish', ...UNVERSIONED }),
      status: 201,
      members: { 'data.attributes.schemaVersion': null },
    },
    'XML without creators': {
      source: `${POST}:1571`,
      request: write('POST /dois', {
        doi: '10.5072/x',
        url: COMPLETE.url,
        xml: base64(xml('', { creators: '' })),
        event: 'publish',
      }),
      status: 422,
      members: { errors: [problem('creators', NO_CREATORS)] },
    },
    'schemaVersion kernel-3 of a Findable record': {
      source: VALIDATOR,
      request: publish({ schemaVersion: 'http://datacite.org/schema/kernel-3' }),
      status: 422,
      members: { 'errors.0.title': /no longer supported$/ },
    },
    'a Registered record needs what a Findable one needs': {
      source: `${DOI} validatable?`,
      request: publish({ event: 'register', titles: [] }),
      status: 422,
      members: { 'errors.0.source': 'titles' },
    },
    'a prefix that is not the account’s is forbidden': {
      source: `${POST}:1517`,
      request: publish({ doi: '10.5281/x' }),
      status: 403,
      members: FORBIDDEN,
    },
    'no DOI and no prefix is forbidden': {
      source: 'lupo app/models/ability.rb',
      request: publish({ doi: undefined }),
      status: 403,
    },
    'a delete of a Findable record is 405 and says what is allowed': {
      source: `${SPEC}:1656; controller:703`,
      before: [publish({})],
      request: { line: 'DELETE /dois/10.5072/x' },
      status: 405,
      headers: { allow: 'HEAD, GET, POST, PATCH, PUT, OPTIONS' },
      members: { errors: [{ status: '405', title: 'Method not allowed' }] },
    },
    // endpoints/identity.test.ts has all other callers.
    'a Draft is 404 to another repository': {
      source: `${SPEC}:1151`,
      before: [write('POST /dois', { doi: '10.5072/x' })],
      request: get('/dois/10.5072/x', OTHER),
      status: 404,
      members: NOT_FOUND,
    },
    'validate: nothing is created': {
      source: `${POST}:1591`,
      before: [publish({}, 'POST /dois/validate')],
      request: get('/dois/10.5072/x'),
      status: 404,
    },
    'validate: a Draft needs no address': {
      source: `${POST}:1591`,
      request: write('POST /dois/validate', { ...COMPLETE, doi: '10.5072/x', url: undefined }),
      members: { 'data.id': '10.5072/x', errors: undefined },
    },
    'validate: an event needs one': {
      source: `${POST}:1591`,
      request: publish({ url: undefined }, 'POST /dois/validate'),
      members: { 'errors.0.source': 'url' },
    },
    'validate: nobody has a repository (service.md, A9)': {
      source: `${POST}:1591`,
      request: write('POST /dois/validate', COMPLETE, NOBODY),
      status: 404,
    },
    'validate: XML gives the record': {
      source: `${POST}:1591`,
      request: write('POST /dois/validate', { doi: '10.5072/x', xml: base64(xml()) }),
      members: {
        'data.attributes.doi': '10.5072/x',
        'data.attributes.titles': [{ title: 'Eating your own Dog Food' }],
        errors: undefined,
      },
    },
    'validate: a + in the DOI is the only error': {
      source: `${POST}:1618`,
      request: write('POST /dois/validate', { doi: '10.5072/107+03', xml: base64(xml()) }),
      members: { errors: [problem('doi', 'Is invalid', '10.5072/107+03')] },
    },
  }),
  ...['+', '<', '#', 'ü'].map(
    (character): Expectation => ({
      name: `${character} in a new DOI is refused`,
      source: `${POST}:1446; ${DOI}:131`,
      request: publish({ doi: `10.5072/107${character}03` }),
      status: 422,
      members: {
        errors: [problem('doi', 'Is invalid', `10.5072/107${character}03`)],
      },
    }),
  ),
  ...['POST /dois', 'PUT /dois/10.5072/x'].flatMap((line): Expectation[] => [
    {
      name: `${line} as a form`,
      source: 'lupo app/controllers/application_controller.rb',
      request: { ...publish({}, line), headers: { 'content-type': 'text/plain' } },
      status: 400,
      holds: ({ text }) => text.includes('JSONAPI'),
    },
    {
      name: `${line} without a type is taken`,
      source: SANITIZER,
      request: { line, body: { data: { attributes: { doi: '10.5072/x' } } } },
      status: 201,
    },
  ]),
  ...Object.entries(REFUSED).map(([name, row]) => refused(name, ...row)),
  ...[{ relationType: null }, { relatedIdentifierType: null }].map((absent) =>
    refused(
      `null for ${Object.keys(absent)}`,
      `${POST}:1429`,
      { relatedIdentifiers: [{ ...related, ...absent }] },
      'relatedIdentifier',
      /is required but missing/,
    ),
  ),
  ...[null, '', undefined]
    .map((contributorType) =>
      refused(
        `contributorType ${contributorType === '' ? 'empty' : contributorType}`,
        `${POST}:1926`,
        { contributors: [{ contributorType, name: 'Wellcome Trust' }] },
        'contributors',
        /^Contributor '\{.*\}' is missing a required element: contributor type\.$/,
      ),
    )
    .map((one) => ({
      ...one,
      // The schema also finds it, under another source.
      members: {},
      holds: ({ text }: { text: string }) =>
        /is missing a required element: contributor type\./.test(text),
    })),
  {
    name: 'an update to contributorType Funder',
    source: `${POST}:1899`,
    before: [write('POST /dois', { doi: '10.5072/x' })],
    request: write('PATCH /dois/10.5072/x', {
      contributors: [{ contributorType: 'Funder', name: 'W' }],
    }),
    status: 422,
    members: {
      'errors.0.title':
        /^Contributor '\{.*\}' has a contributor type that is not supported in schema 4: 'Funder'\.$/,
    },
  },
  ...['2.2', '3', '3.0', '3.1'].map(
    (kernel): Expectation => ({
      name: `XML of kernel-${kernel}`,
      source: `${POST}:973-1045`,
      request: write('POST /dois', {
        doi: '10.5072/x',
        url: COMPLETE.url,
        xml: base64(xml('', { kernel })),
        event: 'publish',
      }),
      status: 422,
      members: {
        errors: [
          problem(
            'xml',
            `DOI 10.5072/x: Schema http://datacite.org/schema/kernel-${kernel} is no longer supported`,
          ),
        ],
      },
    }),
  ),
  // The output of xmllint for the same XML.
  ...(
    [
      [
        'a name behind other parts of a creator',
        { creators: '<creator><givenName>A</givenName><creatorName>B</creatorName></creator>' },
        'givenName',
        `This element is not expected. Expected is ( {${KERNEL_4}}creatorName ).`,
      ],
      [
        'a second name of a creator',
        { creators: '<creator><creatorName>A</creatorName><creatorName>B</creatorName></creator>' },
        'creatorName',
        `This element is not expected. Expected is one of ( {${KERNEL_4}}givenName, {${KERNEL_4}}familyName, {${KERNEL_4}}nameIdentifier, {${KERNEL_4}}affiliation ).`,
      ],
      [
        'an attribute that is unknown',
        { more: '<version of="x">1</version>' },
        "version', attribute 'of",
        "The attribute 'of' is not allowed.",
      ],
      [
        'an address that is none',
        { more: '<rightsList><rights rightsURI="1:x"/></rightsList>' },
        "rights', attribute 'rightsURI",
        "'1:x' is not a valid value of the atomic type 'xs:anyURI'.",
      ],
      [
        'a language with an underscore',
        { more: '<subjects><subject xml:lang="en_US"/></subjects>' },
        'lang',
        "'en_US' is not a valid value of the local union type.",
      ],
    ] as const
  ).map(
    ([name, parts, source, text]): Expectation => ({
      name: `validate: XML with ${name}`,
      source: `${XSD}; ${POST}:1685`,
      request: write('POST /dois/validate', { doi: '10.5072/x', xml: base64(xml('', parts)) }),
      holds: (reply) => {
        const [error, ...more] = memberAt(reply.text, 'errors') as {
          source: string;
          title: string;
        }[];
        const title = error?.title.replace(/^DOI 10.5072\/x: | at line \d+, column 0$/g, '');
        return error?.source === source && title === text && more.length === 0;
      },
    }),
  ),
];

const DRAFT = '/dois/10.5072/x';
const GENERATED = '/dois/10.5072/demo-0000002';

/** Drafts that were created or generated; endpoints/identity.test.ts has all other callers. */
export const DELETIONS: readonly Expectation[] = [DRAFT, GENERATED].flatMap((path) => {
  const before = [write('POST /dois', { doi: '10.5072/x' })];
  const remove = (as = DEMO) => ({ line: `DELETE ${path}`, as });
  const row = (name: string, rest: Pick<Expectation, 'before' | 'request' | 'status'>) => ({
    name: `${path}: ${name}`,
    source: `${SPEC}:1625-1700`,
    ...rest,
  });
  return [
    row('another repository may not delete it', { before, request: remove(OTHER), status: 403 }),
    row('its repository deletes it', { before, request: remove(), status: 204 }),
    row('it is gone', { before: [...before, remove()], request: get(path), status: 404 }),
    row('it is deleted once', { before: [...before, remove()], request: remove(), status: 404 }),
    {
      ...row('it is in no list', {
        before: [...before, remove()],
        request: get('/dois?state=draft&client-id=demo.repo&page[size]=1000'),
      }),
      holds: ({ text }: Reply) => /"data":\[\{/.test(text) && !text.includes(path.slice(6)),
    },
  ];
});

const point = (at: number) => ({ polygonPoint: { pointLatitude: at, pointLongitude: at } });
const polygon = [1, 2, 3, 1].map(point);
const BOOK = { relatedItemType: 'Book', relationType: 'Other' };
const SCALARS = `${SANITIZER} (permitted scalars)`;

/** Values of the wrong type, and empty values: what the service makes of each. */
export const SPELLINGS: readonly Expectation[] = (
  [
    [SANITIZER, 201, { titles: ['x', 5, null, ['y'], ...COMPLETE.titles] }],
    [SANITIZER, 201, { version: { number: 1 }, formats: { a: 'b' }, sizes: 5 }],
    [SANITIZER, 422, { titles: ['x'] }],
    [`${DOI} check_dates`, 422, { dates: '' }],
    [`${DOI} update_field_of_science`, 201, { subjects: 5 }],
    [`${SPEC}: subjects`, 201, { subjects: 'Physics' }],
    [`${DOI} update_publisher`, 422, { publisher: 5 }],
    [`${DOI} update_publisher`, 422, { publisher: ['P'] }],
    [PUBLISHER, 422, { publisher: { name: 'P', schemeUri: 5 } }],
    [PUBLISHER, 422, { publisher: { name: 'P', lang: 5 } }],
    ['bolognese insert_publisher', 201, { publisher: null, container: { title: 'Journal' } }],
    ['bolognese insert_publisher', 422, { publisher: null }],
    ['bolognese insert_resource_type', 422, { types: { resourceType: 'Thing' } }],
    ['bolognese insert_resource_type', 201, { types: { schemaOrg: 'Dataset' } }],
    [
      'bolognese insert_person',
      201,
      { contributors: [{ familyName: 'A', contributorType: 'Editor' }] },
    ],
    [XSD, 422, { contributors: [{ name: '', contributorType: 'Editor' }] }],
    [XSD, 201, { fundingReferences: [{ funderName: ' ' }], titles: [{}], creators: [{}] }],
    [`${XSD} (xml:lang)`, 422, { titles: [{ title: 'T', lang: 5 }] }],
    [`${XSD} (xml:lang)`, 422, { descriptions: [{ description: 'D', lang: 'en_US' }] }],
    [`${XSD} (xs:language)`, 422, { language: 'Portuguese' }],
    [`${XSD} (xs:language)`, 201, { language: 'german' }],
    [XSD, 422, { geoLocations: [{ geoLocationPolygon: polygon.slice(1) }] }],
    [XSD, 422, { geoLocations: [{ geoLocationPolygon: [...polygon, {}] }] }],
    [XSD, 201, { geoLocations: [{ geoLocationPolygon: [...polygon, 'x'] }] }],
    ['bolognese insert_geo_locations (dig)', 500, { geoLocations: [{ geoLocationPoint: [] }] }],
    ['bolognese hsh_to_spdx', 500, { rightsList: [{ rights: 5 }] }],
    ['lupo db/schema.rb (reason)', 500, { reason: 'x'.repeat(256) }],
    [SAFE_PARAMS, 422, { alternateIdentifiers: [{ alternateIdentifierType: 'Local' }] }],
    [SAFE_PARAMS, 201, { alternateIdentifiers: ['x'] }],
    ...[...':*~$='].map(
      (character) => [`${DOI}:129`, 201, { doi: `10.5072/a${character}b` }] as const,
    ),
    ['lupo db/schema.rb version_info', 500, { version: 'x'.repeat(192) }],
    // What the XML Schema accepts, although something seems to be missing.
    [`${XSD}:493`, 201, { relatedItems: [BOOK] }],
    [`${XSD}:230 (an empty attribute)`, 201, { identifiers: [{ identifier: '1' }] }],
    [
      `${XSD}:630 (an empty attribute)`,
      201,
      { creators: [{ name: 'X', nameIdentifiers: [{ nameIdentifier: '1' }] }] },
    ],
    [`${XSD}:63`, 201, { creators: [{ givenName: 'A', familyName: 'B' }] }],
    [`${XSD}:63`, 201, { creators: [{ name: '' }] }],
    [`${XSD}:90`, 201, { titles: [{ title: ' ' }] }],
    [SCALARS, 201, { publicationYear: 2016.5 }],
    [SCALARS, 201, { titles: [{ title: 2016 }] }],
    [SCALARS, 201, { relatedItems: [{ ...BOOK, volume: 5 }] }],
    [SCALARS, 201, { dates: [{ date: 2026, dateType: 'Issued' }] }],
    [`${XSD}:706`, 422, { geoLocations: [{ geoLocationPoint: point(95).polygonPoint }] }],
  ] as const
).map(([source, status, given]) => {
  const text = JSON.stringify(given).slice(0, 90);
  return { name: `${text}: ${status}`, source, request: publish(given), status };
});
