import { CliError } from '../errors.ts';
import { isNonEmptyString, isObject } from '../text/json-values.ts';
import { BadBody, readJson } from './http/body.ts';
import { serviceMessage } from './http/error-response.ts';
import { PAGE_SIZE, totalIn } from './pagination.ts';
import type { Service } from './service.ts';

export interface Bucket {
  readonly id: string;
  /** For people; the id if the service sends no title. */
  readonly title: string;
  readonly count: number;
}

export interface Facets {
  readonly total: number;
  /** The buckets of each requested facet, in the service's order. */
  readonly buckets: ReadonlyMap<string, readonly Bucket[]>;
}

/**
 * Counts the values of facets for a query, in one request without records (service.md, P2, P20).
 * @param names of the facets in camelCase, as in `meta`.
 * @throws {CliError} kind `rejected` if the query is refused, `unavailable` if the total or a facet
 *   is missing.
 */
export function countFacets(
  { http }: Pick<Service, 'http'>,
  params: Iterable<readonly [name: string, value: string]>,
  names: readonly string[],
): Promise<Facets> {
  const filters = [...params].filter(([name]) => name !== 'disable-facets');
  // A service may leave facets out by default (service.md, P20).
  const facets: [string, string][] = [
    ['facets', names.map(snakeCase).join(',')],
    ['disable-facets', 'false'],
  ];
  return http.call({
    method: 'GET',
    url: http.url('/dois', [...filters, ...facets, [PAGE_SIZE, '0']]),
    read: async (response) => {
      const document = await readJson(response);
      const message =
        document['data'] === undefined ? serviceMessage(document, http.mask) : undefined;
      if (message !== undefined) throw new CliError('rejected', message);
      const total = totalIn(document['meta']);
      if (total === undefined)
        throw new BadBody('the answer has no usable count of DOIs (meta.total)');
      const meta = document['meta'] as Readonly<Record<string, unknown>>;
      // Without matches there are no facets (service.md, P20).
      const read = (name: string) => (total === 0 ? [] : bucketsIn(name, meta[name]));
      return { total, buckets: new Map(names.map((name) => [name, read(name)])) };
    },
  });
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function bucketsIn(name: string, value: unknown): Bucket[] {
  if (!Array.isArray(value)) throw new BadBody(`the answer has no counts for ${name}`);
  const pairs = new Set<string>();
  return value.map((bucket: unknown) => {
    const { id, title, count } = isObject(bucket) ? bucket : {};
    if (
      typeof id !== 'string' ||
      typeof count !== 'number' ||
      !Number.isSafeInteger(count) ||
      count < 0
    ) {
      throw new BadBody(`the answer has unusable counts for ${name}`);
    }
    // An id has a bucket for each of its names (service.md, P21).
    const pair = JSON.stringify([id, title]);
    if (pairs.has(pair)) throw new BadBody(`the answer has two counts for one value of ${name}`);
    pairs.add(pair);
    return { id, title: isNonEmptyString(title) ? title : id, count };
  });
}
