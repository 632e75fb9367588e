import { isObject } from '../http/json-body.ts';
import type { State } from '../records/pattern.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** An error in a record; its source is the attribute in snake_case (service.md, E2). */
export type Wrong = readonly [source: string, title: string];

/**
 * The attributes that a record lacks for its state (service.md, W5). Here a Registered record needs only its
 * URL; on the service it needs everything that a Findable one needs.
 */
export function missingFields(attributes: Attributes, state: State): Wrong[] {
  const types = attributes['types'];
  const fields: [source: string, value: unknown][] = [];
  if (state === 'findable') {
    fields.push(['creators', attributes['creators']], ['titles', attributes['titles']]);
    fields.push(['publisher', attributes['publisher']], ['publication_year', attributes['publicationYear']]);
    fields.push(['types', isObject(types) ? types['resourceTypeGeneral'] : undefined]);
  }
  if (state !== 'draft') fields.push(['url', attributes['url']]);
  return fields.filter(([, value]) => isBlank(value)).map(([source]) => [source, "can't be blank"]);
}

/** Their members must be objects (service.md, S3). */
const LISTS_OF_OBJECTS = [
  ...(['creators', 'contributors', 'titles', 'descriptions', 'dates', 'subjects', 'rightsList'] as const),
  ...(['relatedIdentifiers', 'relatedItems', 'geoLocations', 'fundingReferences', 'identifiers'] as const),
];

/** The errors in the values of a record, which do not depend on its state. */
export function wrongFields(attributes: Attributes): Wrong[] {
  const wrong: Wrong[] = [];
  const { url, types } = attributes;
  // The service takes these three schemes (service.md, W6).
  if (!isBlank(url) && !/^(https?|ftp):\/\/\S+$/.test(String(url))) wrong.push(['url', 'URL is not valid']);
  if (!isBlank(types) && !isObject(types)) {
    wrong.push(['types', `Types '${text(types)}' should be an object instead of a string.`]);
  }
  for (const name of LISTS_OF_OBJECTS) {
    const value = attributes[name];
    const items: unknown[] = Array.isArray(value) ? value : isBlank(value) ? [] : [value];
    for (const item of items.filter((item) => !isObject(item))) {
      const what = name.replace(/s$/, '').replace(/List$/, '');
      const title = `${what[0]?.toUpperCase()}${what.slice(1)} '${text(item)}' should be an object instead of a string.`;
      wrong.push([snakeCase(name), title]);
    }
  }
  return wrong;
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value) || typeof value === 'string') return value.length === 0;
  return value === undefined || value === null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
