import { LISTS } from './vocabulary.ts';
import type { Element } from './xml.ts';

const KERNEL_4 = 'http://datacite.org/schema/kernel-4';

/**
 * The types of the XML schema of kernel 4.7: name, content, and elements and attributes (`@`). The
 * type of an element has the same name, unless another one follows `=`. `!` means one, `+` one or
 * more, `*` any number, `4` four or more; without a mark, it is optional. `titles/title+` is also
 * the list. An element whose type is not listed may contain anything.
 */
const SCHEMA = `
  resource all identifier! creators! titles! publisher! publicationYear! resourceType! subjects
    contributors dates
    language alternateIdentifiers relatedIdentifiers sizes formats version=text rightsList
    descriptions geoLocations
    fundingReferences relatedItems
  identifier filled @identifierType!
  creators/creator+ sequence creatorName! givenName familyName nameIdentifier* affiliation*
  creatorName text @nameType=nameType @xml:lang=lang
  titles/title+ text @titleType=titleType @xml:lang=lang
  publisher filled @publisherIdentifier @publisherIdentifierScheme @schemeURI=uri @xml:lang=lang
  publicationYear year
  resourceType text @resourceTypeGeneral=resourceType!
  subjects/subject* text @subjectScheme @schemeURI=uri @valueURI=uri @classificationCode=uri
    @xml:lang=lang
  contributors/contributor* sequence contributorName! givenName familyName nameIdentifier*
    affiliation*
    @contributorType=contributorType!
  contributorName filled @nameType=nameType @xml:lang=lang
  dates/date* text @dateType=dateType! @dateInformation
  language language
  alternateIdentifiers/alternateIdentifier* text @alternateIdentifierType!
  relatedIdentifiers/relatedIdentifier* text @resourceTypeGeneral=resourceType
    @relatedIdentifierType=relatedIdentifierType! @relationType=relationType!
    @relatedMetadataScheme @schemeURI=uri
    @schemeType @relationTypeInformation
  sizes/size* text
  formats/format* text
  text text
  rightsList/rights* text @rightsURI=uri @rightsIdentifier @rightsIdentifierScheme @schemeURI=uri
    @xml:lang=lang
  descriptions/description* mixed br* @descriptionType=descriptionType! @xml:lang=lang
  br empty
  geoLocations/geoLocation* all geoLocationPlace* geoLocationPoint=point* geoLocationBox*
    geoLocationPolygon*
  point all pointLongitude=longitude! pointLatitude=latitude!
  longitude longitude
  latitude latitude
  geoLocationBox all westBoundLongitude=longitude! eastBoundLongitude=longitude!
    southBoundLatitude=latitude!
    northBoundLatitude=latitude!
  geoLocationPolygon sequence polygonPoint=point4 inPolygonPoint=point
  fundingReferences/fundingReference* all funderName! funderIdentifier awardNumber awardTitle
  funderName filled
  funderIdentifier text @funderIdentifierType=funderIdentifierType! @schemeURI=uri
  awardNumber text @awardURI=uri
  relatedItems/relatedItem* sequence relatedItemIdentifier creators=creatorsOfItem
    titles=titlesOfItem publicationYear
    volume issue number firstPage lastPage publisher=any edition contributors=contributorsOfItem
    @relatedItemType=resourceType! @relationType=relationType! @relationTypeInformation
  relatedItemIdentifier text @relatedItemIdentifierType=relatedIdentifierType
    @relatedMetadataScheme @schemeURI=uri
    @schemeType
  creatorsOfItem sequence creator=creatorOfItem*
  creatorOfItem sequence creatorName! givenName familyName
  titlesOfItem sequence title*
  number text @numberType=numberType
  contributorsOfItem sequence contributor=contributorOfItem*
  contributorOfItem sequence contributorName=creatorName! givenName familyName
    @contributorType=contributorType!`;

/** An element or an attribute of a type. */
interface Part {
  readonly name: string;
  readonly type: string;
  readonly least: number;
  readonly isOne: boolean;
}

interface Type {
  readonly content: string;
  readonly parts: readonly Part[];
}

const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
const isAttribute = ({ name }: Part) => name.startsWith('@');
const isElement = (part: Part) => !isAttribute(part);
const ANY: Type = { content: 'any', parts: [partOf('@xml:lang=lang')] };
const TYPES: ReadonlyMap<string, Type> = new Map(
  SCHEMA.trim()
    .split(/\n {2}(?! )/)
    .flatMap(typesOf),
);

function typesOf(row: string): (readonly [string, Type])[] {
  const [names = '', content = '', ...words] = row.split(/\s+/);
  const [, list, name = names] = /^(\w+)\/(\w+)[+*]$/.exec(names) ?? [];
  const type: Type = { content, parts: words.map(partOf) };
  if (list === undefined) return [[name, type]];
  return [
    [name, type],
    [list, { content: 'sequence', parts: [partOf(names.slice(list.length + 1))] }],
  ];
}

function partOf(word: string): Part {
  const [, name = '', type = name, mark = ''] = /^(.+?)(?:=(.+?))?([!+*4]?)$/.exec(word) ?? [];
  return {
    name,
    type,
    least: { '!': 1, '+': 1, '4': 4 }[mark] ?? 0,
    isOne: mark === '' || mark === '!',
  };
}

/** A violation of the schema, in the words of the validator that the service uses. */
interface Violation {
  /** The element, or `element', attribute 'name`. */
  readonly place: string;
  readonly text: string;
  readonly line: number;
}

/** The validator checks no entities; the service cuts off a letter of its error (S11). */
const ENTITIES =
  'xmlSchemaVDocWalk, there is at least one entity reference in the node-tree currently being ' +
  'validated. Processing of entities with this XML Schema processor is not supported (yet). ' +
  'Please substitute entities before validation.';

/** Checks XML against the schema of kernel 4.7. */
export function violations(root: Element): Violation[] {
  if (root.hasEntities) return [{ place: 'Internal erro', text: ENTITIES, line: root.line }];
  if (root.name === 'resource' && root.space === KERNEL_4)
    return violationsIn(root, TYPES.get('resource') ?? ANY);
  const text = 'No matching global declaration available for the validation root.';
  return [{ place: root.name, text, line: root.line }];
}

function violationsIn(element: Element, type: Type): Violation[] {
  const text = wrongText(element, type);
  const textErrors = text === undefined ? [] : [{ place: element.name, text, line: element.line }];
  return [...wrongAttributes(element, type), ...textErrors, ...wrongElements(element, type)];
}

function wrongAttributes(
  { name: element, attributes, spaces, line }: Element,
  { content, parts }: Type,
): Violation[] {
  const found = Object.entries(attributes).flatMap(([name, value]) => {
    const space = spaces[`xmlns:${name.replace(/:.*/, '')}`];
    const local = name.replace(/^.*:/, space === INSTANCE ? 'xsi:' : '$&');
    if (local === 'xsi:nil')
      return [{ place: element, text: "The element is not 'nillable'.", line }];
    const known = parts.find((part) => part.name === `@${name}`);
    const isOfSchema = space === INSTANCE && /:(type|(s|noNamespaceS)chemaLocation)$/.test(local);
    if (isOfSchema || /^xmlns(:|$)/.test(name)) return [];
    if (known === undefined && content === 'any' && space !== INSTANCE) return [];
    const shown = space === undefined ? name : name.replace(/^.*:/, `{${space}}`);
    const text =
      known === undefined
        ? `The attribute '${shown}' is not allowed.`
        : wrongValue(value, known.type);
    // The service drops the namespace of a name.
    const place = name.includes(':') ? name.replace(/.*:/, '') : `${element}', attribute '${name}`;
    return text === undefined ? [] : [{ place, text, line }];
  });
  const missing = parts.filter(
    (part) => isAttribute(part) && part.least > 0 && !(part.name.slice(1) in attributes),
  );
  const texts = missing.map(
    ({ name }) => `The attribute '${name.slice(1)}' is required but missing.`,
  );
  return [...found, ...texts.map((text) => ({ place: element, text, line }))];
}

/** The error for text in an element, or for elements where only text is allowed. */
function wrongText({ text, children }: Element, { content, parts }: Type): string | undefined {
  if (content === 'any' || content === 'mixed') return undefined;
  if (parts.some(isElement)) {
    if (trimmed(text) === '') return undefined;
    return (
      'Character content other than whitespace is not allowed' +
      " because the content type is 'element-only'."
    );
  }
  const isEmpty = content === 'empty';
  if (isEmpty && text !== '')
    return 'Character content is not allowed, because the content type is empty.';
  if (children.length === 0) return wrongValue(text, content);
  const simple =
    parts.length > 0 ? 'content type is a simple type definition' : 'type definition is simple';
  const why = isEmpty ? 'content type is empty' : simple;
  return `Element content is not allowed, because the ${why}.`;
}

function wrongElements({ name: element, children, line }: Element, type: Type): Violation[] {
  const found: Violation[] = [];
  const seen: string[] = [];
  if (!type.parts.some(isElement)) return found;
  for (const child of children) {
    const expected = expectedAfter(seen, type);
    const part = expected.find(({ name }) => name === child.name);
    // The validator does not check later elements.
    if (part === undefined || child.space !== KERNEL_4) {
      const ended = type.content === 'all' && areAll(expected, seen);
      const text = `This element is not expected.${listed(ended ? [] : expected)}`;
      return [...found, { place: child.name, text, line: child.line }];
    }
    seen.push(child.name);
    found.push(...violationsIn(child, TYPES.get(part.type) ?? ANY));
  }
  const rest = expectedAfter(seen, type);
  if (areAll(rest, seen)) return found;
  return [...found, { place: element, text: `Missing child element(s).${listed(rest)}`, line }];
}

const countOf = (name: string, seen: readonly string[]) =>
  seen.filter((other) => other === name).length;

/** Whether all required elements are present. */
function areAll(parts: readonly Part[], seen: readonly string[]): boolean {
  return parts.every(({ name, least }) => countOf(name, seen) >= least);
}

/** The elements that may follow the ones seen so far. */
function expectedAfter(seen: readonly string[], { content, parts }: Type): readonly Part[] {
  const last = content === 'sequence' ? parts.findLastIndex(({ name }) => seen.includes(name)) : 0;
  const open = parts
    .slice(Math.max(last, 0))
    .filter(isElement)
    .filter(({ name, isOne }) => !isOne || !seen.includes(name));
  const needed = content === 'sequence' ? open.findIndex((part) => !areAll([part], seen)) : -1;
  return needed === -1 ? open : open.slice(0, needed + 1);
}

/** The validator lists at most ten elements. */
function listed(parts: readonly Part[]): string {
  const names = parts.slice(0, 10).map(({ name }) => `{${KERNEL_4}}${name}`);
  return names.length === 0
    ? ''
    : ` Expected is ${names.length > 1 ? 'one of ' : ''}( ${names.join(', ')} ).`;
}

const LANGUAGE = /^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$/;

const SCHEME = /(?:[a-z][a-z\d+.-]*:|(?![^/?#]*:))/.source;
const HOST = /(?:[^/?#[\]@]*@)?(?:\[[^\]]*\]|[^/?#[\]:@]*)(?::\d+)?(?=[/?#]|$)/.source;
/**
 * `xs:anyURI` as the validator accepts it, once characters that a URI cannot contain are replaced
 * by a letter.
 */
const URI = new RegExp(
  String.raw`^(?!.*%(?![\da-f]{2}))${SCHEME}(?://${HOST}|(?!//))[^#[\]]*(?:#[^#]*)?$`,
  'i',
);

/** A text without white space around it, and with one space for each white space inside it. */
function trimmed(text: string): string {
  return text.replaceAll(/[ \t\r\n]+/g, ' ').replaceAll(/^ | $/g, '');
}

/** The error for a text or for the value of an attribute. */
function wrongValue(value: string, type: string): string | undefined {
  const text = trimmed(value);
  const notA = (name: string) => `'${value}' is not a valid value of the ${name}.`;
  const list = LISTS[type as 'dateType'] as readonly string[] | undefined;
  if (list !== undefined && !list.includes(value)) {
    const known = list.map((item) => `'${item}'`).join(', ');
    return `[facet 'enumeration'] The value '${value}' is not an element of the set {${known}}.`;
  }
  if (type === 'filled' && value === '')
    return (
      "[facet 'minLength'] The value has a length of '0'; " +
      "this underruns the allowed minimum length of '1'."
    );
  if (type === 'year' && !/^\p{Nd}{4}$/u.test(text))
    return `[facet 'pattern'] The value '${text}' is not accepted by the pattern '[\\d]{4}'.`;
  if (type === 'language' && !LANGUAGE.test(text)) return notA("atomic type 'xs:language'");
  if (type === 'lang' && value !== '' && !LANGUAGE.test(text)) return notA('local union type');
  const address = text.replaceAll(/[^!#-&(-;=?-[\]_a-z~]/gi, '_');
  return type === 'uri' && !URI.test(address)
    ? notA("atomic type 'xs:anyURI'")
    : wrongDegrees(value, text, type);
}

function wrongDegrees(value: string, text: string, type: string): string | undefined {
  const most = { latitude: 90, longitude: 180 }[type];
  if (most === undefined) return undefined;
  if (!/^([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|NaN|-?INF)$/i.test(text))
    return `'${value}' is not a valid value of the atomic type '{${KERNEL_4}}${type}Type'.`;
  const degrees = Math.fround(Number(text.replace('INF', 'Infinity')));
  const shown = `The value '${value}' is`;
  if (degrees < -most)
    return `[facet 'minInclusive'] ${shown} less than the minimum value allowed ('-${most}').`;
  if (degrees <= most) return undefined;
  return `[facet 'maxInclusive'] ${shown} greater than the maximum value allowed ('${most}').`;
}
