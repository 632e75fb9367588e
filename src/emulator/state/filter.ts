import type { Params } from '../http/params.ts';
import type { Kind } from '../records/pattern.ts';
import {
  contains,
  intersect,
  type Range,
  TIME_FIELDS,
  type TimeField,
  yearRange,
} from '../records/ranges.ts';
import { resourceTypeId } from '../records/types.ts';
import { METADATA_PARAMETERS, metadataTests } from './metadata-filters.ts';
import { parseQuery, type Query, type TermField } from './query.ts';
import { matchesClause } from './query-match.ts';
import { QueryError } from './query-times.ts';
import type { Searched } from './searched.ts';

/** Which records a list contains. */
export interface Filter {
  matchesKind(kind: Kind): boolean;
  readonly ranges: Partial<Record<TimeField, Range>>;
  /** The only DOIs that can match, if the request lists DOIs. */
  readonly dois: ReadonlySet<string> | undefined;
  /**
   * Checks the metadata of a record that passes all other conditions; undefined if no condition is
   * about metadata.
   */
  readonly search: ((record: Searched) => boolean) | undefined;
  /** Equal filters have equal keys. */
  readonly key: string;
}

const FILTER_PARAMETERS = [
  'provider-id',
  'client-id',
  'prefix',
  'state',
  'resource-type-id',
  'created',
  'registered',
  'published',
  'query',
  'client-type',
  ...METADATA_PARAMETERS,
];

/**
 * The filter of GET /dois.
 *
 * @param anonymous an anonymous list contains only Findable records, whatever `state` is
 *   (service.md, A11)
 * @throws QueryError when `query` cannot be read
 */
export function readFilter(params: Params, anonymous: boolean): Filter {
  const ids = (params.list('id') ?? params.list('ids'))?.map(lower);
  // With these filters, all others have no effect, not even the state of an anonymous list
  // (service.md, F10).
  if (ids)
    return {
      matchesKind: () => true,
      ranges: {},
      dois: new Set(ids),
      search: undefined,
      key: ids.join(),
    };
  const text = params.get('query')?.trim() ?? '';
  const query: Query = text === '' ? { ranges: {}, terms: [], rest: [] } : parseQuery(text);
  const { narrowing, widening } = metadataTests(params);
  const owned = owners(params);
  const tests = [
    // If other filters add to the owners, the owner is checked with the metadata.
    widening.length === 0 ? owned : undefined,
    clientType(params.get('client-type')),
    oneOf(params.list('prefix'), (kind) => kind.prefix),
    oneOf(params.list('resource-type-id')?.map(typeId), (kind) => kind.resourceTypeId),
    inState(anonymous ? ['findable'] : params.list('state')),
    ...query.terms.map(({ field, value }) => term(field, value)),
  ].filter((test) => test !== undefined);
  const metadata = narrowing.length + widening.length + query.rest.length > 0;
  const search = ({ kind, attributes, ...rest }: Searched) =>
    narrowing.every((test) => test(attributes)) &&
    (widening.length === 0 ||
      owned?.(kind) === true ||
      widening.some((test) => test(attributes))) &&
    query.rest.every((clause) => matchesClause(clause, { kind, attributes, ...rest }));
  return {
    matchesKind: (kind) => tests.every((test) => test(kind)),
    ranges: rangesOf(params, query),
    dois: doisOf(query),
    search: metadata ? search : undefined,
    key: JSON.stringify([anonymous, ...FILTER_PARAMETERS.map((name) => params.get(name))]),
  };
}

/** The DOI of a query, or no DOI if it has several that must all match; undefined without a DOI. */
function doisOf({ terms }: Query): ReadonlySet<string> | undefined {
  const dois = new Set(terms.filter(({ field }) => field === 'doi').map(({ value }) => value));
  if (dois.size === 0) return undefined;
  return dois.size > 1 ? new Set() : dois;
}

/** All clients of the emulator are repositories. */
function clientType(value: string | undefined): Test | undefined {
  return value === undefined || value === 'repository' ? undefined : () => false;
}

/** Whether a record passes the filter. */
export function passes(filter: Filter, record: Searched): boolean {
  return matches(filter, record) && filter.search?.(record) !== false;
}

/** Whether a record passes all conditions except the check of its metadata. */
export function matches(
  filter: Filter,
  { kind, times, doi }: Omit<Searched, 'attributes'>,
): boolean {
  if (filter.dois?.has(doi) === false) return false;
  if (!filter.matchesKind(kind)) return false;
  return TIME_FIELDS.every((field) => {
    const range = filter.ranges[field];
    return range === undefined || contains(range, times[field]);
  });
}

type Test = (kind: Kind) => boolean;

function term(field: TermField, value: string): Test | undefined {
  switch (field) {
    case 'prefix':
      return (kind) => kind.prefix === value;
    case 'client':
      return (kind) => kind.clientId === value;
    case 'provider':
      return (kind) => kind.providerId === value;
    case 'state':
      return (kind) => kind.state === value;
    case 'type':
      return (kind) => kind.resourceTypeId === value;
    case 'generalType':
      return (kind) => /^[A-Z]/.test(value) && kind.resourceTypeId === resourceTypeId(value);
    case 'doi':
      return undefined;
  }
}

/** Whether a record belongs to one of the clients or providers (service.md, F5). */
function owners(params: Params): Test | undefined {
  const clients = params.list('client-id')?.map(lower);
  const providers = params.list('provider-id')?.map(lower);
  if (clients === undefined && providers === undefined) return undefined;
  return (kind) =>
    clients?.includes(kind.clientId) === true || providers?.includes(kind.providerId) === true;
}

function oneOf(
  values: readonly string[] | undefined,
  of: (kind: Kind) => string,
): Test | undefined {
  if (values === undefined) return undefined;
  const accepted = new Set(values.map(lower));
  return (kind) => accepted.has(of(kind));
}

/** A word in capitals matches no state (service.md, F8). */
function inState(states: readonly string[] | undefined): Test | undefined {
  return states && ((kind) => states.includes(kind.state));
}

function rangesOf(params: Params, query: Query): Filter['ranges'] {
  const ranges = { ...query.ranges };
  for (const field of ['created', 'registered', 'published'] as const) {
    // A list of years means the range from the smallest to the largest, as texts (service.md, F3).
    const years = params.list(field)?.sort();
    const [first, last] = [years?.[0], years?.at(-1)];
    if (first === undefined || last === undefined) continue;
    const wrong = [first, last].find((year) => !/^\d{4}$/.test(year));
    if (wrong !== undefined)
      throw new QueryError(`failed to parse date field [${wrong}] with format [yyyy]`);
    const range = yearRange(field, Number(first), Number(last));
    ranges[field] = intersect(ranges[field] ?? range, range);
  }
  return ranges;
}

function typeId(value: string): string {
  return resourceTypeId(value.trim()).replaceAll('_', '-');
}

function lower(value: string): string {
  return value.toLowerCase();
}
