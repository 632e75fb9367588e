import { idOf } from '../../../core/filters.ts';
import { didYouMean } from '../../../text/closest.ts';
import { isNonEmptyString, type JsonObject, listOf, valueAt } from '../../../text/json-values.ts';

/** One way to divide records. */
export interface Dimension {
  /** The service's facet (service.md, P21). */
  readonly facet: string;
  /** The most values that the service counts; undefined where it has no fixed limit. */
  readonly limit?: number;
  /** Whether each record has exactly one value. */
  readonly always?: boolean;
  /** Whether a record may have several values, so that their counts do not add up to the total. */
  readonly several?: boolean;
  /** The values are years. */
  readonly years?: boolean;
  /** The values of a record of a copy. */
  readonly valuesOf: (record: JsonObject) => readonly unknown[];
}

/** Numbers count as their text; anything else is no value. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

function yearOf(record: JsonObject, name: string): readonly unknown[] {
  const time = valueAt(record, ['attributes', name]);
  return [typeof time === 'string' ? /^\d{4}/.exec(time)?.[0] : undefined];
}

function relatedId(record: JsonObject, name: string): readonly unknown[] {
  return [valueAt(record, ['relationships', name, 'data', 'id'])];
}

const DIMENSIONS: Readonly<Record<string, Dimension>> = {
  created: {
    facet: 'created',
    limit: 10,
    always: true,
    years: true,
    valuesOf: (record) => yearOf(record, 'created'),
  },
  registered: {
    facet: 'registered',
    limit: 10,
    years: true,
    valuesOf: (record) => yearOf(record, 'registered'),
  },
  published: {
    facet: 'published',
    years: true,
    valuesOf: (record) => [textOf(valueAt(record, ['attributes', 'publicationYear']))],
  },
  state: {
    facet: 'states',
    limit: 3,
    always: true,
    valuesOf: (record) => [valueAt(record, ['attributes', 'state'])],
  },
  type: {
    facet: 'resourceTypes',
    limit: 34,
    valuesOf: (record) => {
      const general = valueAt(record, ['attributes', 'types', 'resourceTypeGeneral']);
      return [typeof general === 'string' ? idOf(general) : undefined];
    },
  },
  client: { facet: 'clients', limit: 10, always: true, valuesOf: (record) => relatedId(record, 'client') },
  provider: {
    facet: 'providers',
    limit: 10,
    always: true,
    valuesOf: (record) => relatedId(record, 'provider'),
  },
  prefix: {
    facet: 'prefixes',
    limit: 10,
    always: true,
    valuesOf: ({ id }) => [typeof id === 'string' ? id.split('/')[0] : undefined],
  },
  'schema-version': {
    facet: 'schemaVersions',
    limit: 10,
    valuesOf: (record) => [
      textOf(valueAt(record, ['attributes', 'schemaVersion']))
        ?.split('-')
        .at(-1),
    ],
  },
  license: {
    facet: 'licensesWithMissing',
    limit: 10,
    several: true,
    valuesOf: (record) =>
      listOf(valueAt(record, ['attributes', 'rightsList'])).map((right) =>
        valueAt(right, ['rightsIdentifier']),
      ),
  },
  'link-check': {
    facet: 'linkChecksStatus',
    limit: 10,
    valuesOf: (record) => [textOf(valueAt(record, ['attributes', 'landingPage', 'status']))],
  },
};

/** The names that `--by` takes. */
export const NAMES: readonly string[] = Object.keys(DIMENSIONS);

/** @throws {Error} for a name that {@link parseDimensions} does not let through. */
export function dimension(name: string): Dimension {
  const found = DIMENSIONS[name];
  if (found === undefined) throw new Error(`'${name}' is not a dimension`);
  return found;
}

/** The different values of a record that are texts. */
export function valuesIn(record: JsonObject, { valuesOf }: Dimension): ReadonlySet<string> {
  return new Set(valuesOf(record).filter(isNonEmptyString));
}

/** A value of `--by`: names, comma-separated. @throws {Error} for an unknown name. */
export function parseDimensions(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !NAMES.includes(name));
  if (wrong === undefined) return [...new Set(names)];
  throw new Error(`'${wrong}' is none of ${NAMES.join(', ')}${didYouMean(wrong, NAMES)}`);
}
