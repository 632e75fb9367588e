/** The rules of the XML Schema for an element, and the place of its values in a record (S9). */
export interface Element {
  /** The member of the record for it; by default, its name. */
  readonly as?: string;
  /** The member of its object for its text. Without it, the text is the value. */
  readonly text?: string;
  /** Its XML attributes, with the members of the record for them. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Its required XML attributes. */
  readonly required?: readonly string[];
  /** The elements in it, in the order of the schema. */
  readonly children?: Readonly<Record<string, Element>>;
  /** The required elements in it. */
  readonly needs?: readonly string[];
  /** Whether its elements may come in any order. */
  readonly anyOrder?: boolean;
  /** Whether it may occur several times. */
  readonly many?: boolean;
  /** Whether it only wraps a list of elements of one kind. */
  readonly list?: boolean;
  /** Whether its text must not be empty; in a `word` blanks do not count; a `year` has 4 digits. */
  readonly filled?: boolean | 'word' | 'year';
  /** Whether its values become members of the object around it. */
  readonly flat?: boolean;
  /** Whether the schema allows any attributes. */
  readonly open?: boolean;
}

const LANG = { 'xml:lang': 'lang' };
const SCHEME = { schemeURI: 'schemeUri' };
const PLAIN: Element = {};
/** XML attributes with the same names in a record. */
const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));
const listOf = (name: string, element: Element, more: Element = {}): Element => ({
  ...more,
  list: true,
  children: { [name]: { ...element, many: true } },
});

/** A creator or contributor; its identifiers and affiliations are not checked (service.md, S9). */
const person = (nameElement: string, name: Element, isWhole: boolean): Element => ({
  needs: [nameElement],
  children: {
    [nameElement]: {
      flat: true,
      text: 'name',
      attributes: { nameType: 'nameType', ...LANG },
      ...name,
    },
    givenName: { open: true },
    familyName: { open: true },
    ...(isWhole && {
      nameIdentifier: {
        as: 'nameIdentifiers',
        many: true,
        open: true,
        text: 'nameIdentifier',
        attributes: { nameIdentifierScheme: 'nameIdentifierScheme', ...SCHEME },
      },
      affiliation: {
        many: true,
        open: true,
        text: 'name',
        attributes: { ...same('affiliationIdentifier', 'affiliationIdentifierScheme'), ...SCHEME },
      },
    }),
  },
});
const creators = (isWhole: boolean): Element =>
  listOf('creator', person('creatorName', {}, isWhole), isWhole ? { needs: ['creator'] } : {});
const contributors = (isWhole: boolean): Element =>
  listOf('contributor', {
    ...person('contributorName', { filled: isWhole }, isWhole),
    attributes: { contributorType: 'contributorType' },
    required: ['contributorType'],
  });
const titles = (needs: readonly string[]): Element =>
  listOf('title', { text: 'title', attributes: { titleType: 'titleType', ...LANG } }, { needs });

const point = (more: Element = {}): Element => ({
  ...more,
  anyOrder: true,
  needs: ['pointLongitude', 'pointLatitude'],
  children: { pointLongitude: PLAIN, pointLatitude: PLAIN },
});
const SIDES = [
  'westBoundLongitude',
  'eastBoundLongitude',
  'southBoundLatitude',
  'northBoundLatitude',
];

const geoLocation = (): Element => ({
  anyOrder: true,
  children: {
    geoLocationPlace: { many: true, open: true },
    geoLocationPoint: point({ many: true }),
    geoLocationBox: {
      many: true,
      anyOrder: true,
      needs: SIDES,
      children: Object.fromEntries(SIDES.map((side) => [side, PLAIN])),
    },
    geoLocationPolygon: {
      many: true,
      needs: ['polygonPoint'],
      children: { polygonPoint: point({ many: true }), inPolygonPoint: point() },
    },
  },
});

const fundingReference: Element = {
  anyOrder: true,
  needs: ['funderName'],
  children: {
    funderName: { filled: true },
    funderIdentifier: {
      flat: true,
      text: 'funderIdentifier',
      attributes: { funderIdentifierType: 'funderIdentifierType', ...SCHEME },
      required: ['funderIdentifierType'],
    },
    awardNumber: { flat: true, text: 'awardNumber', attributes: { awardURI: 'awardUri' } },
    awardTitle: { open: true },
  },
};

const relatedMetadata = () => same('relatedMetadataScheme', 'schemeType');

const relatedItem = (): Element => ({
  attributes: same('relatedItemType', 'relationType', 'relationTypeInformation'),
  required: ['relatedItemType', 'relationType'],
  children: {
    relatedItemIdentifier: {
      text: 'relatedItemIdentifier',
      attributes: { ...same('relatedItemIdentifierType', 'schemeURI'), ...relatedMetadata() },
    },
    creators: creators(false),
    titles: titles([]),
    publicationYear: { filled: 'year' },
    volume: { open: true },
    issue: { open: true },
    number: { flat: true, text: 'number', attributes: { numberType: 'numberType' } },
    firstPage: { open: true },
    lastPage: { open: true },
    publisher: { open: true },
    edition: { open: true },
    contributors: contributors(false),
  },
});

/** The required elements of a resource. */
const neededElements = (): Readonly<Record<string, Element>> => ({
  identifier: {
    as: 'identifier',
    text: 'identifier',
    attributes: { identifierType: 'identifierType' },
    required: ['identifierType'],
  },
  creators: creators(true),
  titles: titles(['title']),
  publisher: {
    text: 'name',
    filled: true,
    attributes: { ...same('publisherIdentifier', 'publisherIdentifierScheme'), ...SCHEME, ...LANG },
  },
  publicationYear: { filled: 'year' },
  resourceType: {
    as: 'types',
    text: 'resourceType',
    attributes: { resourceTypeGeneral: 'resourceTypeGeneral' },
    required: ['resourceTypeGeneral'],
  },
});

/** The optional elements of a resource. */
const otherElements = (): Readonly<Record<string, Element>> => ({
  subjects: listOf('subject', {
    text: 'subject',
    attributes: {
      ...same('subjectScheme', 'classificationCode'),
      valueURI: 'valueUri',
      ...SCHEME,
      ...LANG,
    },
  }),
  contributors: contributors(true),
  dates: listOf('date', {
    text: 'date',
    attributes: { dateType: 'dateType', dateInformation: 'dateInformation' },
    required: ['dateType'],
  }),
  language: { filled: 'word' },
  alternateIdentifiers: listOf(
    'alternateIdentifier',
    {
      text: 'identifier',
      attributes: { alternateIdentifierType: 'identifierType' },
      required: ['alternateIdentifierType'],
    },
    { as: 'identifiers' },
  ),
  relatedIdentifiers: listOf('relatedIdentifier', {
    text: 'relatedIdentifier',
    attributes: {
      ...same(
        'resourceTypeGeneral',
        'relatedIdentifierType',
        'relationType',
        'relationTypeInformation',
      ),
      ...relatedMetadata(),
      ...SCHEME,
    },
    required: ['relatedIdentifierType', 'relationType'],
  }),
  sizes: listOf('size', PLAIN),
  formats: listOf('format', PLAIN),
  version: PLAIN,
  rightsList: listOf('rights', {
    text: 'rights',
    attributes: {
      ...same('rightsIdentifier', 'rightsIdentifierScheme'),
      rightsURI: 'rightsUri',
      ...SCHEME,
      ...LANG,
    },
  }),
  descriptions: listOf('description', {
    text: 'description',
    attributes: { descriptionType: 'descriptionType', ...LANG },
    required: ['descriptionType'],
  }),
  geoLocations: listOf('geoLocation', geoLocation()),
  fundingReferences: listOf('fundingReference', fundingReference),
  relatedItems: listOf('relatedItem', relatedItem()),
});

let table: Element | undefined;

/** The root element, `resource`. The table is built when the first XML is read. */
export function resourceElement(): Element {
  if (table !== undefined) return table;
  const needed = neededElements();
  table = {
    anyOrder: true,
    needs: Object.keys(needed),
    children: { ...needed, ...otherElements() },
  };
  return table;
}
