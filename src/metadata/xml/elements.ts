/**
 * What the XML Schema says about an element, and where its values are in a record (service.md, S9).
 */
export interface Element {
  /** The member of the record that it is; its own name when left out. */
  readonly as?: string;
  /** The member of its object that holds its text. Without it, the text is the value. */
  readonly text?: string;
  /** Its XML attributes, and the members of the record that hold them. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The XML attributes that it must have. */
  readonly required?: readonly string[];
  /** The elements in it, in the order that the schema asks for. */
  readonly children?: Readonly<Record<string, Element>>;
  /** The elements that it must hold. */
  readonly needs?: readonly string[];
  /** Whether its elements may come in any order. */
  readonly anyOrder?: boolean;
  /** Whether there may be several. */
  readonly many?: boolean;
  /** Whether it is only the wrapper of a list of one kind of elements. */
  readonly list?: boolean;
  /**
   * Whether its text must not be empty; blanks do not count for a `word`, and a `year` has four
   * digits.
   */
  readonly filled?: boolean | 'word' | 'year';
  /**
   * Whether its values stay out of the object that it is in, to be members of the object around it.
   */
  readonly flat?: boolean;
  /** Whether the schema says nothing about its attributes. */
  readonly open?: boolean;
}

const LANG = { 'xml:lang': 'lang' };
const SCHEME = { schemeURI: 'schemeUri' };
const PLAIN: Element = {};
/** Attributes that a record has under the same names. */
const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));
const listOf = (name: string, element: Element, more: Element = {}): Element => ({
  ...more,
  list: true,
  children: { [name]: { ...element, many: true } },
});

/**
 * A creator or contributor. Of identifiers and affiliations the schema says nothing (service.md,
 * S9).
 */
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

/** The elements that a resource must hold. */
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

/** The elements that a resource may hold. */
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

/**
 * The root element, `resource`, with the elements in it. The table is made when the first XML is
 * read.
 */
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
