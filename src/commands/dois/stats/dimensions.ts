import { typeId } from '../../../harvest/walk/filter-check.ts';
import { TABLES } from '../../../metadata/tables/tables.ts';
import { didYouMean } from '../../../text/closest.ts';
import { isNonEmptyString, type JsonObject, listOf, valueAt } from '../../../text/json-values.ts';

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
}

/** A text or a number as text; undefined for other values. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
/** The year of a time; undefined for a date that does not exist. */
const yearOf = (time: unknown) => (time instanceof Date ? time.getUTCFullYear() : undefined);

/** The columns of the tables of a copy (docs/export.md): `publisher`, `creators.orcid`. */
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

/** The ROR ids of the people of a record, as the service spells them (service.md, P21). */
const rorsOf = ({ attributes }: JsonObject) =>
  [valueAt(attributes, ['creators']), valueAt(attributes, ['contributors'])]
    .flatMap(listOf)
    .flatMap((person) => listOf(valueAt(person, ['affiliation'])))
    .filter((place) => valueAt(place, ['affiliationIdentifierScheme']) === 'ROR')
    .map((place) => textOf(valueAt(place, ['affiliationIdentifier']))?.replace(/^https?:\/\//, ''));
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
  published: by('published', 'year', { years: true }),
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
  affiliation: by('affiliations', 'creators.ror', { read: rorsOf, ...SEVERAL }),
  subject: by('subjects', 'subjects.subject', SEVERAL),
  language: by('languages', 'language', { limit: 10 }),
  'link-check': by('linkChecksStatus', '', {
    read: ({ attributes }) => valueAt(attributes, ['landingPage', 'status']),
    limit: 10,
  }),
};

/** The names by which the service counts. */
export const NAMES: readonly string[] = Object.keys(FACETS);
/** The names by which a copy is counted. */
export const COPY_NAMES: readonly string[] = [...new Set([...NAMES, ...Object.keys(COLUMNS)])];

/** The dimension of a name that {@link parseDimensions} has accepted. */
export function dimension(name: string): Dimension {
  const known = FACETS[name] ?? COLUMNS[name];
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
