import type { State } from '../api/states.ts';
import { bareDoi, isDoi, parseDoi } from '../text/doi.ts';
import {
  isNonEmptyString,
  isObject,
  type JsonObject,
  objectsOf,
  type Path,
  textsIn,
  valueAt,
} from '../text/json-values.ts';
import { type Finding, findingAt, type Severity } from './findings.ts';
import { FORMATS, type Format } from './formats.ts';
import { kernelFindings, wasRead } from './kernel.ts';
import { languageFindings } from './language.ts';

// The formats of identifiers whose scheme is in another property.
const SCHEMES: ReadonlyMap<string, Format> = new Map([
  ['orcid', 'orcid'],
  ['isni', 'isni'],
  ['ror', 'ror'],
  ['crossref funder id', 'crossref-funder'],
  ['doi', 'doi'],
  ['url', 'uri'],
]);
const FOR_METADATA: readonly unknown[] = ['HasMetadata', 'IsMetadataFor'];

// A Findable or Registered record needs all of these (service.md, W5).
const REQUIRED: readonly Path[] =
  'creators titles publisher publicationYear types.resourceTypeGeneral url'
    .split(' ')
    .map((path) => path.split('.'));

/** Checks the rules that a schema cannot express: they depend on the value of another property. */
export function ruleFindings(attributes: JsonObject, isDraft: boolean): readonly Finding[] {
  const { language } = attributes;
  return [
    ...nameFindings(attributes),
    ...kernelFindings(attributes),
    ...otherFindings(attributes),
    ...(typeof language === 'string' ? languageFindings(language, !isDraft) : []),
    ...(isDraft ? [] : nameMissing(attributes)),
    ...yearFindings(attributes),
    ...doiIdentifierFindings(attributes),
    ...peopleFindings(attributes, []),
    ...each(attributes, [], 'relatedItems', peopleFindings),
    ...identifierFindings(attributes['publisher'], ['publisher'], 'publisherIdentifier'),
    ...each(attributes, [], 'fundingReferences', fundingFindings),
    ...each(attributes, [], 'relatedIdentifiers', relatedFindings),
    ...each(attributes, [], 'geoLocations', geoFindings),
  ];
}

/**
 * Errors for members that are not metadata. A `client` that is not an object makes the service fail
 * (service.md, S1); the mode of a transfer makes it ignore the rest of an update (service.md, W19).
 */
function otherFindings({ client, mode }: JsonObject): readonly Finding[] {
  const fails = client !== undefined && typeof client !== 'object';
  const message = 'gives the DOI to another repository, and all other attributes would be ignored';
  return [
    ...(mode === 'transfer' ? [error(['mode'], message, mode)] : []),
    ...(fails ? [error(['client'], 'makes the service fail: leave it out', client)] : []),
  ];
}

/** The attributes that a record lacks for a state. XML may contain all of them except the URL. */
export function requiredFindings(
  attributes: JsonObject,
  state: Exclude<State, 'draft'>,
  severity: Severity = 'error',
): readonly Finding[] {
  const name = state === 'findable' ? 'Findable' : 'Registered';
  const message = `is missing: a ${name} record needs it`;
  const paths = isEmpty(attributes['xml']) ? REQUIRED : REQUIRED.slice(-1);
  return paths
    .filter((steps) => isEmpty(valueAt(attributes, steps)))
    .map((steps) =>
      findingAt(isDerived(steps, attributes) ? 'warning' : severity, steps, { message }),
    );
}

/** Whether the service derives a value: the general type, or the publisher (service.md, W5). */
function isDerived([name]: Path, attributes: JsonObject): boolean {
  const { types } = attributes;
  if (name === 'publisher') {
    const { publisher } = attributes;
    const publisherName = isObject(publisher) ? publisher['name'] : publisher;
    // The service accepts blanks as a name.
    return isNonEmptyString(publisherName ?? containerTitle(attributes));
  }
  return name === 'types' && isObject(types) && isNonEmptyString(types['schemaOrg']);
}

/**
 * The title of the work in which a record was published, from the places that the service reads.
 */
function containerTitle({ container, relatedItems, descriptions }: JsonObject): unknown {
  const item = objectsOf(relatedItems).find(({ relationType }) => relationType === 'IsPublishedIn');
  if (item !== undefined) return objectsOf(item['titles'])[0]?.['title'];
  const series = objectsOf(descriptions).find(
    ({ descriptionType: type }) => type === 'SeriesInformation',
  );
  return series?.['description'] ?? (isObject(container) ? container['title'] : undefined);
}

/** The names that must not be empty in the XML of a record (service.md, S4). */
function nameMissing(attributes: JsonObject): Finding[] {
  const message = 'is missing';
  const { publisher } = attributes;
  const isUnnamed = ({ name, familyName }: JsonObject) =>
    (name ?? '') === '' && isEmpty(familyName);
  const lacksPublisher =
    isObject(publisher) &&
    !isEmpty(publisher) &&
    isUnnamed(publisher) &&
    !isDerived(['publisher'], attributes);
  return [
    ...(lacksPublisher ? [error(['publisher', 'name'], message)] : []),
    ...each(attributes, [], 'contributors', (person, at) =>
      isUnnamed(person) ? [error([...at, 'name'], message)] : [],
    ),
  ];
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null;
}

function nameFindings({ doi }: JsonObject): Finding[] {
  if (typeof doi !== 'string' || bareDoi(doi) === doi) return [];
  // A related identifier may be a URL; the record's own DOI may not.
  const suggestion = isDoi(doi) ? parseDoi(doi) : bareDoi(doi);
  return [{ ...error(['doi'], 'is not a bare DOI', doi), suggestion }];
}

/**
 * The service creates DOIs only with these characters (service.md, W10); older ones have others.
 */
export function newDoiFindings(attributes: JsonObject): Finding[] {
  const { doi } = attributes;
  if (!isNonEmptyString(doi) || wasRead(attributes)) return [];
  if (/^10\.\d{4,5}\/[-._;()/:a-zA-Z0-9*~$=]+$/.test(bareDoi(doi))) return [];
  const message =
    'cannot be created: after 10. and four or five digits, a new DOI holds ' +
    'letters a-z, digits and - . _ ; ( ) / : * ~ $ = only';
  return [error(['doi'], message, doi)];
}

/** The service stores the number at the beginning of the text, and refuses a wrong length. */
function yearFindings({ publicationYear: year }: JsonObject): Finding[] {
  if (typeof year !== 'string' || year.trim() === '') return [];
  const stored = Number.parseInt(year, 10) || 0;
  if (/^\d{4}$/.test(String(stored))) return [];
  const cut = /^\d{4}$/.test(year)
    ? `would be stored as ${stored}, which is no year`
    : 'is not a year';
  return [error(['publicationYear'], `${cut} of four digits`, year)];
}

/** Identifiers of type DOI, which the service drops (service.md, S8). */
function doiIdentifierFindings(attributes: JsonObject): Finding[] {
  const message = 'is of type DOI, which belongs to doi or relatedIdentifiers';
  return ['identifiers', 'alternateIdentifiers'].flatMap((name) => {
    const type = name === 'identifiers' ? 'identifierType' : 'alternateIdentifierType';
    return each(attributes, [], name, (value, at) =>
      value[type] === 'DOI' ? [findingAt('warning', at, { message, value, dropped: true })] : [],
    );
  });
}

function peopleFindings(holder: JsonObject, steps: Path): Finding[] {
  return ['creators', 'contributors'].flatMap((name) => each(holder, steps, name, personFindings));
}

function personFindings(person: JsonObject, steps: Path): Finding[] {
  const check = (name: string) => (item: JsonObject, at: Path) =>
    identifierFindings(item, at, name);
  return [
    ...each(person, steps, 'nameIdentifiers', check('nameIdentifier')),
    ...each(person, steps, 'affiliation', check('affiliationIdentifier')),
  ];
}

function fundingFindings(item: JsonObject, steps: Path): Finding[] {
  const { funderIdentifier: identifier, funderIdentifierType: type } = item;
  if (isNonEmptyString(identifier) && !isNonEmptyString(type)) {
    const path = [...steps, 'funderIdentifierType'];
    return [error(path, 'is missing: what kind of identifier is it?')];
  }
  return identifierFindings(item, steps, 'funderIdentifier', 'funderIdentifierType');
}

function relatedFindings(item: JsonObject, steps: Path): Finding[] {
  const findings = identifierFindings(item, steps, 'relatedIdentifier', 'relatedIdentifierType');
  if (FOR_METADATA.includes(item['relationType'])) return findings;
  const message = `belongs to the relations ${FOR_METADATA.join(' and ')} only`;
  const stray = ['relatedMetadataScheme', 'schemeType'].filter((name) =>
    isNonEmptyString(item[name]),
  );
  return [...findings, ...stray.map((name) => warning([...steps, name], message, item[name]))];
}

/** Checks an identifier against the format of its scheme, which is in another property. */
function identifierFindings(
  item: unknown,
  steps: Path,
  name: string,
  scheme = `${name}Scheme`,
): Finding[] {
  if (!isObject(item)) return [];
  const { [name]: value, [scheme]: kind } = item;
  const format = isNonEmptyString(kind) ? SCHEMES.get(kind.toLowerCase()) : undefined;
  if (format === undefined || !isNonEmptyString(value)) return [];
  const problem = FORMATS[format](value);
  // Only a warning: the service does not check identifiers (service.md, S4).
  return problem === undefined ? [] : [warning([...steps, name], problem, value)];
}

function geoFindings(item: JsonObject, steps: Path): Finding[] {
  const { geoLocationBox: box, geoLocationPolygon: polygon } = item;
  const findings: Finding[] = [];
  if (isObject(box) && Number(box['southBoundLatitude']) > Number(box['northBoundLatitude'])) {
    const path = [...steps, 'geoLocationBox', 'southBoundLatitude'];
    findings.push(warning(path, 'is north of northBoundLatitude', box['southBoundLatitude']));
  }
  const { geoLocationPlace: _, ...degrees } = item;
  return [
    ...findings,
    ...polygonFindings(polygon, [...steps, 'geoLocationPolygon']),
    ...exponentFindings(degrees, steps),
  ];
}

/** The service stores the whole number at the beginning of such a text (service.md, W20). */
function exponentFindings(value: unknown, steps: Path): Finding[] {
  return textsIn(value, steps)
    .filter(([text]) => /^\s*[+-]?\d+e[+-]?\d+\s*$/i.test(text))
    .map(([text, at]) =>
      warning(at, `would be stored as ${Number.parseInt(text, 10)}: write it as a number`, text),
    );
}

function polygonFindings(polygon: unknown, steps: Path): Finding[] {
  if (!Array.isArray(polygon)) return [];
  const parts = objectsOf(polygon);
  const empty = parts.findIndex(
    ({ polygonPoint, inPolygonPoint }) => !isObject(polygonPoint ?? inPolygonPoint),
  );
  if (empty !== -1) return [error([...steps, empty], 'needs polygonPoint or inPolygonPoint')];
  const points = parts.flatMap(({ polygonPoint }) =>
    isObject(polygonPoint) ? [polygonPoint] : [],
  );
  // The service drops nested lists: each polygon needs its own geoLocation.
  if (points.length < 4)
    return [error(steps, 'needs one polygon of at least 4 points, the last of which is the first')];
  const same = ['pointLatitude', 'pointLongitude'].every(
    (name) => Number(points[0]?.[name]) === Number(points.at(-1)?.[name]),
  );
  return same ? [] : [warning(steps, 'is not closed: its last point is not its first')];
}

function each(
  holder: JsonObject,
  steps: Path,
  name: string,
  check: (item: JsonObject, steps: Path) => Finding[],
): Finding[] {
  const list = holder[name];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index) =>
    isObject(item) ? check(item, [...steps, name, index]) : [],
  );
}

function error(steps: Path, message: string, value?: unknown): Finding {
  return findingAt('error', steps, { message, value });
}

function warning(steps: Path, message: string, value?: unknown): Finding {
  return findingAt('warning', steps, { message, value });
}
