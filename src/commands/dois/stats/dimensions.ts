import { idOf } from '../../../core/filters.ts';
import { didYouMean } from '../../../text/closest.ts';
import { isNonEmptyString, type JsonObject, listOf, valueAt } from '../../../text/json-values.ts';

interface Dimension {
  /** The service's facet (service.md, P21). */
  readonly facet: string;
  /** The most values that the service counts; undefined where it has no fixed limit. */
  readonly limit?: number;
  /** Whether each record has exactly one value. */
  readonly always?: boolean;
  /** Whether a record may have several values, so that their counts do not add up to the total. */
  readonly several?: boolean;
  readonly years?: boolean;
  /** Where a record of a copy has its value, and how to read it: as text, unless told otherwise. */
  readonly path: readonly string[];
  readonly read?: (value: unknown) => unknown;
  /** How the service spells a value of a copy for people; as it is when left out. */
  readonly title?: (id: string) => string;
}

/** Numbers count as their text; anything else is no value. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
const textBy = (read: (text: string) => string | undefined) => (value: unknown) =>
  typeof value === 'string' ? read(value) : undefined;
const yearOf = textBy((time) => /^\d{4}/.exec(time)?.[0]);
const licencesOf = (rights: unknown) => listOf(rights).map((right) => valueAt(right, ['rightsIdentifier']));

const by = (facet: string, path: string, more: Omit<Dimension, 'facet' | 'path'> = {}): Dimension => ({
  facet,
  path: path.split('.'),
  ...more,
});
/** The ROR ids of the people of a record, as the service spells them (service.md, P21). */
const rorsOf = (attributes: unknown) =>
  [valueAt(attributes, ['creators']), valueAt(attributes, ['contributors'])]
    .flatMap(listOf)
    .flatMap((person) => listOf(valueAt(person, ['affiliation'])))
    .filter((place) => valueAt(place, ['affiliationIdentifierScheme']) === 'ROR')
    .map((place) => textOf(valueAt(place, ['affiliationIdentifier']))?.replace(/^https?:\/\//, ''));
const membersOf = (name: string) => (list: unknown) => listOf(list).map((one) => valueAt(one, [name]));
/** `journal-article` as `Journal Article`. */
const inWords = (id: string) =>
  id
    .split('-')
    .map((word) => word.replace(/^./, (first) => first.toUpperCase()))
    .join(' ');

const SEVERAL = { limit: 10, several: true };
const OFTEN = { limit: 10, always: true };
const DIMENSIONS: Readonly<Record<string, Dimension>> = {
  created: by('created', 'attributes.created', { read: yearOf, years: true, ...OFTEN }),
  registered: by('registered', 'attributes.registered', { read: yearOf, years: true, limit: 10 }),
  published: by('published', 'attributes.publicationYear', { years: true }),
  year: by('published', 'attributes.publicationYear', { years: true }),
  state: by('states', 'attributes.state', { limit: 3, always: true }),
  type: by('resourceTypes', 'attributes.types.resourceTypeGeneral', {
    read: textBy(idOf),
    limit: 34,
    title: inWords,
  }),
  client: by('clients', 'relationships.client.data.id', OFTEN),
  provider: by('providers', 'relationships.provider.data.id', OFTEN),
  prefix: by('prefixes', 'id', { read: textBy((id) => id.split('/')[0]), ...OFTEN }),
  'schema-version': by('schemaVersions', 'attributes.schemaVersion', {
    read: (version) => textOf(version)?.split('-').at(-1),
    limit: 10,
  }),
  license: by('licensesWithMissing', 'attributes.rightsList', { read: licencesOf, limit: 10, several: true }),
  affiliation: by('affiliations', 'attributes', { read: rorsOf, ...SEVERAL }),
  subject: by('subjects', 'attributes.subjects', { read: membersOf('subject'), ...SEVERAL }),
  language: by('languages', 'attributes.language', { limit: 10 }),
  'link-check': by('linkChecksStatus', 'attributes.landingPage.status', { limit: 10 }),
};

export const NAMES: readonly string[] = Object.keys(DIMENSIONS);

/** @throws {Error} for a name that {@link parseDimensions} does not let through. */
export function dimension(name: string): Dimension {
  const found = DIMENSIONS[name];
  if (found === undefined) throw new Error(`'${name}' is not a dimension`);
  return found;
}

/** The different values of a record that are texts. */
export function valuesIn(record: JsonObject, { path, read = textOf }: Dimension): ReadonlySet<string> {
  return new Set([read(valueAt(record, path))].flat().filter(isNonEmptyString));
}

/** A value of `--by`: names, comma-separated. @throws {Error} for an unknown name. */
export function parseDimensions(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !NAMES.includes(name));
  if (wrong === undefined) return [...new Set(names)];
  throw new Error(`'${wrong}' is none of ${NAMES.join(', ')}${didYouMean(wrong, NAMES)}`);
}
