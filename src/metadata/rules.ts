import type { Path } from '../text/json-positions.ts';
import { isNonEmptyString, isObject, type JsonObject } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import { bareDoi, FORMATS, type Format } from './formats.ts';

// The formats of identifiers whose scheme is in another property.
const SCHEMES: Readonly<Record<string, Format>> = {
  orcid: 'orcid',
  isni: 'isni',
  ror: 'ror',
  'crossref funder id': 'crossref-funder',
  doi: 'doi',
  url: 'uri',
};
const FOR_METADATA = ['HasMetadata', 'IsMetadataFor'];

/** Checks what a schema cannot express: requirements that depend on the value of another property. */
export function ruleFindings(attributes: JsonObject): readonly Finding[] {
  return [
    ...nameFindings(attributes),
    ...people(attributes).flatMap(([person, steps]) => personFindings(person, steps)),
    ...identifierFindings(
      attributes['publisher'],
      ['publisher'],
      'publisherIdentifier',
      'publisherIdentifierScheme',
    ),
    ...each(attributes, 'fundingReferences', fundingFindings),
    ...each(attributes, 'relatedIdentifiers', relatedFindings),
    ...each(attributes, 'geoLocations', geoFindings),
  ];
}

/** A DOI must match its prefix and hold only characters that the service accepts. */
function nameFindings({ doi, prefix }: JsonObject): Finding[] {
  if (typeof doi !== 'string' || doi === '') return [];
  const name = bareDoi(doi);
  if (name !== doi) {
    // A related identifier may be a URL; the record's own DOI may not.
    return [{ ...error(['doi'], 'is not a bare DOI', doi), suggestion: name }];
  }
  if (typeof prefix === 'string' && prefix !== '' && !name.startsWith(`${prefix}/`)) {
    return [error(['doi'], `is not below the prefix ${prefix}`, doi)];
  }
  return /^[-.\w;()/:*~$=+]+$/.test(name)
    ? []
    : [warning(['doi'], 'holds other characters than a-z 0-9 - . _ ; ( ) / : * ~ $ = +', doi)];
}

/** The service ignores a suffix without a DOI and generates a random one. */
export function suffixFindings({ doi, prefix, suffix }: JsonObject): Finding[] {
  if (isNonEmptyString(doi) || !isNonEmptyString(suffix)) return [];
  const wanted = JSON.stringify(`${isNonEmptyString(prefix) ? prefix : '10.5072'}/${suffix}`);
  return [
    error(
      ['suffix'],
      `does not name the DOI, which would get a random suffix; write "doi": ${wanted}`,
      suffix,
    ),
  ];
}

function people(attributes: JsonObject): [JsonObject, Path][] {
  const own = listOf(attributes, 'relatedItems').flatMap(([item, steps]) => peopleIn(item, steps));
  return [...peopleIn(attributes, []), ...own];
}

function peopleIn(holder: JsonObject, steps: Path): [JsonObject, Path][] {
  return ['creators', 'contributors'].flatMap((name) => listOf(holder, name, steps));
}

function personFindings(person: JsonObject, steps: Path): Finding[] {
  return [
    ...listOf(person, 'nameIdentifiers', steps).flatMap(([item, at]) =>
      identifierFindings(item, at, 'nameIdentifier', 'nameIdentifierScheme'),
    ),
    ...listOf(person, 'affiliation', steps).flatMap(([item, at]) =>
      identifierFindings(item, at, 'affiliationIdentifier', 'affiliationIdentifierScheme'),
    ),
  ];
}

function fundingFindings(item: JsonObject, steps: Path): Finding[] {
  if (isNonEmptyString(item['funderIdentifier']) && !isNonEmptyString(item['funderIdentifierType'])) {
    return [warning([...steps, 'funderIdentifierType'], 'is missing: what kind of identifier is it?')];
  }
  return identifierFindings(item, steps, 'funderIdentifier', 'funderIdentifierType');
}

function relatedFindings(item: JsonObject, steps: Path): Finding[] {
  const found = identifierFindings(item, steps, 'relatedIdentifier', 'relatedIdentifierType');
  if (FOR_METADATA.includes(String(item['relationType']))) return found;
  const stray = ['relatedMetadataScheme', 'schemeType'].filter((name) => isNonEmptyString(item[name]));
  return [
    ...found,
    ...stray.map((name) =>
      warning([...steps, name], `belongs to the relations ${FOR_METADATA.join(' and ')} only`, item[name]),
    ),
  ];
}

/** Checks an identifier against the format of its scheme. */
function identifierFindings(item: unknown, steps: Path, name: string, scheme: string): Finding[] {
  if (!isObject(item)) return [];
  const { [name]: value, [scheme]: kind } = item;
  const format = isNonEmptyString(kind) ? SCHEMES[kind.toLowerCase()] : undefined;
  if (format === undefined || !isNonEmptyString(value)) return [];
  const problem = FORMATS[format](value);
  if (problem === undefined) return [];
  // The service does not check these.
  const level = format === 'uri' || format === 'isni' || format === 'crossref-funder' ? warning : error;
  return [level([...steps, name], problem, value)];
}

function geoFindings(item: JsonObject, steps: Path): Finding[] {
  const box = item['geoLocationBox'];
  const found: Finding[] = [];
  if (isObject(box) && Number(box['southBoundLatitude']) > Number(box['northBoundLatitude'])) {
    found.push(
      error(
        [...steps, 'geoLocationBox', 'southBoundLatitude'],
        'is north of northBoundLatitude',
        box['southBoundLatitude'],
      ),
    );
  }
  const polygon = item['geoLocationPolygon'];
  if (!Array.isArray(polygon)) return found;
  const at = [...steps, 'geoLocationPolygon'];
  const several = Array.isArray(polygon[0]);
  const polygons: [unknown, Path][] = several
    ? polygon.map((one, index) => [one, [...at, index]])
    : [[polygon, at]];
  return [...found, ...polygons.flatMap(([one, path]) => polygonFindings(one, path))];
}

function polygonFindings(polygon: unknown, steps: Path): Finding[] {
  if (!Array.isArray(polygon)) return [];
  const points = polygon.flatMap((part: unknown) =>
    isObject(part) && isObject(part['polygonPoint']) ? [part['polygonPoint']] : [],
  );
  if (points.length < 4) return [error(steps, 'needs at least 4 points, the last of which is the first')];
  const same = ['pointLatitude', 'pointLongitude'].every(
    (name) => Number(points[0]?.[name]) === Number(points.at(-1)?.[name]),
  );
  return same ? [] : [warning(steps, 'is not closed: its last point is not its first')];
}

function each(
  holder: JsonObject,
  name: string,
  check: (item: JsonObject, steps: Path) => Finding[],
): Finding[] {
  return listOf(holder, name).flatMap(([item, steps]) => check(item, steps));
}

/** The objects of a list, each with its path. */
function listOf(holder: JsonObject, name: string, steps: Path = []): [JsonObject, Path][] {
  const list = holder[name];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index): [JsonObject, Path][] =>
    isObject(item) ? [[item, [...steps, name, index]]] : [],
  );
}

function error(steps: Path, message: string, value?: unknown): Finding {
  return findingAt('error', steps, { message, value });
}

function warning(steps: Path, message: string, value?: unknown): Finding {
  return findingAt('warning', steps, { message, value });
}
