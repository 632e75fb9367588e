import { problem, Refusal } from '../../http/answer.ts';
import { type Item, isItem, wrap } from './values.ts';

/** The accepted members: `true` for a plain value, or the members of the objects in it. */
interface Permitted {
  readonly [name: string]: true | Permitted;
}

const members = (text: string): Permitted =>
  Object.fromEntries(text.split(' ').map((name) => [name, true as const]));

const PERSON: Permitted = {
  ...members('nameType name givenName familyName lang'),
  nameIdentifiers: members('nameIdentifier nameIdentifierScheme schemeUri'),
  affiliation: members('name affiliationIdentifier affiliationIdentifierScheme schemeUri'),
};

const POINT = members('pointLongitude pointLatitude');

/**
 * The members of a record that the service accepts; it silently drops all others (service.md, S1).
 */
const ATTRIBUTES: Permitted = {
  ...members(
    'doi url publicationYear prefix language xml source version schemaVersion reason event',
  ),
  ...members('should_validate sizes formats contentUrl'),
  titles: members('title titleType lang'),
  publisher: members('name publisherIdentifier publisherIdentifierScheme schemeUri lang'),
  types: members('resourceTypeGeneral resourceType schemaOrg bibtex citeproc ris'),
  dates: members('date dateType dateInformation'),
  subjects: members('subject subjectScheme schemeUri valueUri lang classificationCode'),
  descriptions: members('description descriptionType lang'),
  rightsList: members('rights rightsUri rightsIdentifier rightsIdentifierScheme schemeUri lang'),
  creators: PERSON,
  contributors: { ...PERSON, contributorType: true },
  identifiers: members('identifier identifierType'),
  relatedIdentifiers: members(
    'relatedIdentifier relatedIdentifierType relationType relatedMetadataScheme schemeUri ' +
      'schemeType resourceTypeGeneral relationTypeInformation',
  ),
  fundingReferences: members(
    'funderName funderIdentifier funderIdentifierType awardNumber awardUri awardTitle schemeUri',
  ),
  geoLocations: {
    geoLocationPlace: true,
    geoLocationPoint: POINT,
    geoLocationBox: members(
      'westBoundLongitude eastBoundLongitude southBoundLatitude northBoundLatitude',
    ),
    geoLocationPolygon: { polygonPoint: POINT, inPolygonPoint: POINT },
  },
  container: members('type identifier identifierType title volume issue firstPage lastPage'),
  landingPage: {
    ...members('checked url status contentType error redirectCount redirectUrls downloadLatency'),
    ...members('hasSchemaOrg schemaOrgId dcIdentifier citationDoi bodyHasPid'),
  },
  relatedItems: {
    ...members(
      'relationType relatedItemType relationTypeInformation publicationYear volume issue number',
    ),
    ...members('numberType firstPage lastPage publisher edition'),
    relatedItemIdentifier: members(
      'relatedItemIdentifier relatedItemIdentifierType relatedMetadataScheme schemeURI schemeType',
    ),
    creators: members('nameType name givenName familyName'),
    titles: members('title titleType'),
    contributors: members('contributorType name givenName familyName nameType'),
  },
};

/** Lists of texts; everything else that is a text must not be a list. */
const TEXT_LISTS = new Set(['sizes', 'formats', 'contentUrl', 'redirectUrls', 'schemaOrgId']);

/**
 * The sent attributes that the service accepts (service.md, S8).
 *
 * @throws Refusal with 422 for `alternateIdentifiers` that lack a part
 * @throws TypeError for a `client` that is a text: the service expects its own object
 */
export function permitted({
  alternateIdentifiers: others,
  ...sent
}: Item): Record<string, unknown> {
  if (!['undefined', 'object'].includes(typeof sent['client']))
    throw new TypeError('Client expected');
  if (others === undefined || Object.hasOwn(sent, 'identifiers'))
    return membersOf(sent, ATTRIBUTES, true);
  const identifiers = others === null ? null : wrap(others).map(asIdentifier);
  return membersOf({ ...sent, identifiers }, ATTRIBUTES, true);
}

function asIdentifier(one: unknown): unknown {
  if (Array.isArray(one)) throw new TypeError('no implicit conversion of Symbol into Integer');
  if (!isItem(one)) return one;
  const [identifier, identifierType] = ['alternateIdentifier', 'alternateIdentifierType'].map(
    (name) => {
      if (Object.hasOwn(one, name)) return one[name];
      throw new Refusal(problem(422, `param is missing or the value is empty or invalid: ${name}`));
    },
  );
  return { identifier, identifierType };
}

/** @param top whether these are the attributes of the record, where a text may replace an object */
function membersOf(item: Item, rules: Permitted, top = false): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) continue;
    const found = permittedValue(value, rule, top, TEXT_LISTS.has(name));
    if (found !== undefined) kept[name] = found;
  }
  return kept;
}

function permittedValue(
  value: unknown,
  rule: true | Permitted,
  top: boolean,
  texts: boolean,
): unknown {
  if (value === null) return rule === true || top ? null : undefined;
  if (rule === true) {
    // One object in a list of texts loses the whole list.
    if (texts && Array.isArray(value))
      return value.some((one) => typeof one === 'object' && one !== null) ? undefined : value;
    return typeof value === 'object' ? undefined : value;
  }
  // In a list, values that are not objects are dropped; a text in place of the list is kept and
  // refused later.
  if (Array.isArray(value)) return value.filter(isItem).map((one) => membersOf(one, rule));
  if (isItem(value)) return membersOf(value, rule);
  return top ? value : undefined;
}
