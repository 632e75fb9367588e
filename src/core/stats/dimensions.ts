import { typeId } from '../../harvest/walk/filter-check.ts';
import { TABLES } from '../../metadata/tables/tables.ts';
import { didYouMean } from '../../text/closest.ts';
import {
  isNonEmptyString,
  type JsonObject,
  listOf,
  objectsOf,
  valueAt,
} from '../../text/json-values.ts';

interface Dimension {
  /** The service's facet (service.md, P21); empty for columns that only a copy is counted by. */
  readonly facet: string;
  /** The most values that the service counts; undefined without a fixed limit. */
  readonly limit?: number;
  /** Whether each record has exactly one value. */
  readonly always?: boolean;
  /** Whether a record may have several values: the counts do not add up to the total. */
  readonly several?: boolean;
  readonly years?: boolean;
  /** Reads the values of a record of a copy. Only texts and numbers count. */
  readonly read: (record: JsonObject) => unknown;
  /** The service's spelling of a value for people; unchanged when left out. */
  readonly title?: (id: string) => string;
  /** The names of values in a record; the most frequent name of a value is its title. */
  readonly names?: (record: JsonObject) => readonly (readonly [id: string, name: string])[];
  /** All values, in their order; undefined where only records tell. */
  readonly values?: readonly string[];
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
const yearOf = (time: unknown) => (time instanceof Date ? time.getUTCFullYear() : undefined);

/** The columns of the tables of a copy (docs/columns.md): `publisher`, `creators.orcid`. */
const COLUMNS: Readonly<Record<string, Dimension>> = Object.fromEntries(
  Object.entries(TABLES).flatMap(([table, { rows, columns }]) =>
    Object.entries(columns)
      .filter(([name]) => name !== 'doi' && name !== 'position')
      .map(([name, { type, read, cell }]) => {
        const years = type === 'date' || type === 'timestamp';
        const each = (row: JsonObject) => {
          if (years) return [yearOf(cell(row))];
          return type === 'texts' ? listOf(read(row)) : [read(row)];
        };
        const dimension: Dimension = {
          facet: '',
          read: (record) => rows(record).flatMap(each),
          years,
          several: table !== 'dois' || type === 'texts',
        };
        return [table === 'dois' ? name : `${table}.${name}`, dimension];
      }),
  ),
);

/** The ROR ids of the people of a record in the service's spelling, and names (service.md, P21). */
const rorsOf = ({ attributes }: JsonObject) =>
  [valueAt(attributes, ['creators']), valueAt(attributes, ['contributors'])]
    .flatMap(objectsOf)
    .flatMap(({ affiliation }) => objectsOf(affiliation))
    .filter(({ affiliationIdentifierScheme: scheme }) => scheme === 'ROR')
    .map(({ affiliationIdentifier: id, name }) => [
      textOf(id)?.replace(/^https?:\/\//, '') ?? '',
      textOf(name) ?? '',
    ]) as readonly (readonly [id: string, name: string])[];
/** The license ids, in the service's spelling: their scheme does not matter (service.md, P21). */
const licensesOf = ({ attributes }: JsonObject) =>
  listOf(valueAt(attributes, ['rightsList']))
    .map((right) => valueAt(right, ['rightsIdentifier']))
    .filter(isNonEmptyString);
/** `journal-article` as `Journal Article`. */
const inWords = (id: string) =>
  id
    .split('-')
    .map((word) => word.replace(/^./, (first) => first.toUpperCase()))
    .join(' ');

/** A facet that counts a column, or the values of `read`. */
const by = (facet: string, column: string, more: Partial<Dimension> = {}): Dimension => ({
  read: () => undefined,
  ...COLUMNS[column],
  facet,
  ...more,
});
const SEVERAL = { limit: 10, several: true };
const OFTEN = { limit: 10, always: true };
/** The facets of the service. Their names mean the same in a copy. */
const FACETS: Readonly<Record<string, Dimension>> = {
  created: by('created', 'created', OFTEN),
  registered: by('registered', 'registered', { limit: 10 }),
  year: by('published', 'year', { years: true }),
  state: by('states', 'state', { limit: 3, always: true, title: inWords }),
  type: by('resourceTypes', 'type', {
    read: ({ attributes }) => {
      const type = valueAt(attributes, ['types', 'resourceTypeGeneral']);
      return typeof type === 'string' ? typeId(type) : undefined;
    },
    limit: 34,
    title: inWords,
  }),
  client: by('clients', 'client', OFTEN),
  provider: by('providers', 'provider', OFTEN),
  prefix: by('prefixes', 'prefix', OFTEN),
  'schema-version': by('schemaVersions', 'schema_version', {
    read: ({ attributes }) =>
      textOf(valueAt(attributes, ['schemaVersion']))
        ?.split('-')
        .at(-1),
    limit: 10,
  }),
  license: by('licensesWithMissing', 'licenses.license', { read: licensesOf, ...SEVERAL }),
  affiliation: by('affiliations', 'creators.ror', {
    read: (record) => rorsOf(record).map(([id]) => id),
    names: rorsOf,
    ...SEVERAL,
  }),
  subject: by('subjects', 'subjects.subject', SEVERAL),
  language: by('languages', 'language', { limit: 10 }),
  'link-check': by('linkChecksStatus', '', {
    read: ({ attributes }) => valueAt(attributes, ['landingPage', 'status']),
    limit: 10,
  }),
};

/** The dimension that is counted in the records themselves: no facet has it. */
export const COMPLETENESS = 'completeness';
const has = (name: string) => (record: JsonObject) => valuesIn(record, dimension(name)).size > 0;
/**
 * Properties that make records easy to find and reuse. A record has a license or an affiliation if
 * the counts by license or affiliation count it.
 */
const PROPERTIES: Readonly<
  Record<string, { readonly title: string; readonly has: (record: JsonObject) => boolean }>
> = {
  orcid: { title: 'ORCID iD of a creator', has: has('creators.orcid') },
  ror: { title: 'ROR id of an affiliation', has: has('affiliation') },
  license: { title: 'license id', has: has('license') },
  abstract: {
    title: 'abstract',
    has: ({ attributes }) =>
      objectsOf(valueAt(attributes, ['descriptions'])).some(
        ({ descriptionType: type, description }) =>
          type === 'Abstract' && isNonEmptyString(description),
      ),
  },
  related: {
    title: 'related work',
    has: ({ attributes }) =>
      ['relatedIdentifiers', 'relatedItems'].some(
        (list) => objectsOf(valueAt(attributes, [list])).length > 0,
      ),
  },
};
const PROPERTY_NAMES: readonly string[] = Object.keys(PROPERTIES);
const ALL = 'all';
const completeness: Dimension = {
  facet: '',
  several: true,
  values: [...PROPERTY_NAMES, ALL],
  title: (id) => PROPERTIES[id]?.title ?? 'all of these',
  read: (record) => {
    const names = PROPERTY_NAMES.filter((name) => PROPERTIES[name]?.has(record));
    return names.length === PROPERTY_NAMES.length ? [...names, ALL] : names;
  },
};

/** The names that help lists. */
export const NAMES: readonly string[] = [...Object.keys(FACETS), COMPLETENESS];
/** Whether the service counts by a name, or the records of a short query are counted. */
export const isCountedByService = (name: string): boolean =>
  Object.hasOwn(FACETS, name) || name === COMPLETENESS;
/** The names by which a copy is counted. */
export const COPY_NAMES: readonly string[] = [...new Set([...NAMES, ...Object.keys(COLUMNS)])];
export const USUAL_NAMES: readonly string[] = 'state,type,year,created,client,license'.split(',');
export const REPORT_NAMES: readonly string[] = [COMPLETENESS, ...USUAL_NAMES, 'affiliation'];

/** The dimension of a name that {@link parseDimensions} has accepted. */
export function dimension(name: string): Dimension {
  const known = name === COMPLETENESS ? completeness : (FACETS[name] ?? COLUMNS[name]);
  if (known === undefined) throw new Error(`'${name}' is not a dimension`);
  return known;
}

/** The distinct values of a record as text. */
export function valuesIn(record: JsonObject, { read }: Dimension): ReadonlySet<string> {
  return new Set([read(record)].flat().map(textOf).filter(isNonEmptyString));
}

/** A value of `--by`: names, comma-separated. @throws {Error} for an unknown name. */
export function parseDimensions(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !COPY_NAMES.includes(name));
  if (wrong === undefined) return [...new Set(names)];
  const column = COPY_NAMES.find((name) => name.split('.').includes(wrong));
  const meant =
    column === undefined ? didYouMean(wrong, COPY_NAMES) : `; name a column such as ${column}`;
  throw new Error(
    `'${wrong}' is nothing to count by${meant || '; dois stats --help lists what is'}`,
  );
}
