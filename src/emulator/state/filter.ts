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
import { parseQuery, type Query, type TermField } from './query.ts';

/** Times of one record: seconds since 1970, and a year for `published`. */
export type Times = Readonly<Record<TimeField, number | undefined>>;

/** Which records a list holds. */
export interface Filter {
  matchesKind(kind: Kind): boolean;
  readonly ranges: Partial<Record<TimeField, Range>>;
  /** The only DOI that can match, when the query names one; `''` when it names two, so that none can. */
  readonly doi: string | undefined;
  /** Equal filters have equal keys. */
  readonly key: string;
}

const FILTER_PARAMETERS = [
  'provider-id',
  'client-id',
  'affiliation-id',
  'funder-id',
  'prefix',
  'state',
  'resource-type-id',
  'created',
  'registered',
  'published',
  'query',
];

/**
 * The filter of GET /dois.
 *
 * @param anonymous an anonymous list holds Findable records only, whatever `state` asks for (service.md, A11)
 * @throws QueryError when `query` cannot be read
 */
export function readFilter(params: Params, anonymous: boolean): Filter {
  const text = params.get('query')?.trim() ?? '';
  const query: Query = text === '' ? { ranges: {}, terms: [] } : parseQuery(text);
  const tests = [
    owners(params),
    oneOf(params.list('prefix'), (kind) => kind.prefix),
    oneOf(params.list('resource-type-id')?.map(typeId), (kind) => kind.resourceTypeId),
    oneOf(anonymous ? ['findable'] : params.list('state'), (kind) => kind.state),
    ...query.terms.map(({ field, value }) => term(field, value)),
  ].filter((test) => test !== undefined);
  const dois = new Set(query.terms.filter(({ field }) => field === 'doi').map(({ value }) => value));
  return {
    matchesKind: (kind) => tests.every((test) => test(kind)),
    ranges: rangesOf(params, query),
    doi: dois.size > 1 ? '' : [...dois][0],
    key: JSON.stringify([anonymous, ...FILTER_PARAMETERS.map((name) => params.get(name))]),
  };
}

/** Whether one record with known kind, times and DOI passes. */
export function matches(filter: Filter, kind: Kind, times: Times, doi: string): boolean {
  if (filter.doi !== undefined && filter.doi !== doi) return false;
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
      // `PhysicalObject` in one field of the index, `physical-object` in the other.
      return (kind) => kind.resourceTypeId.replaceAll('-', '') === value.replaceAll(/[-_]/g, '');
    case 'doi':
      return undefined;
  }
}

/**
 * A record that matches one of these four filters is listed (service.md, F5). The emulator's records have no
 * affiliation or funder to search.
 */
function owners(params: Params): Test | undefined {
  const clients = params.list('client-id')?.map(lower);
  const providers = params.list('provider-id')?.map(lower);
  const other = params.list('affiliation-id') ?? params.list('funder-id');
  if (clients === undefined && providers === undefined && other === undefined) return undefined;
  return (kind) => clients?.includes(kind.clientId) === true || providers?.includes(kind.providerId) === true;
}

function oneOf(values: readonly string[] | undefined, of: (kind: Kind) => string): Test | undefined {
  if (values === undefined) return undefined;
  const accepted = new Set(values.map(lower));
  return (kind) => accepted.has(of(kind));
}

function rangesOf(params: Params, query: Query): Filter['ranges'] {
  const ranges = { ...query.ranges };
  for (const field of ['created', 'registered', 'published'] as const) {
    const years = params.list(field)?.map(Number).filter(Number.isInteger);
    if (years === undefined || years.length === 0) continue;
    // A list of years means the range from the smallest to the largest (service.md, F3).
    const range = yearRange(field, Math.min(...years), Math.max(...years));
    ranges[field] = intersect(ranges[field] ?? range, range);
  }
  return ranges;
}

function typeId(value: string): string {
  return resourceTypeId(value).replaceAll('_', '-');
}

function lower(value: string): string {
  return value.toLowerCase();
}
