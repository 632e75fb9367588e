import { countFacets, type Facets } from '../../api/facets.ts';
import type { Service } from '../../api/service.ts';
import type { Params } from '../../harvest/walk/query-params.ts';
import { dimension } from './dimensions.ts';

// DataCite was founded in 2009; one year earlier allows for a wrong clock.
const FIRST_YEAR = 2008;

/**
 * Counts a query with all years: the service counts only the ten latest (service.md, P21), so
 * earlier years are requested ten at a time.
 */
export async function countAllYears(
  service: Service,
  params: Params,
  names: readonly string[],
): Promise<Facets> {
  const counts = await countFacets(
    service,
    params,
    names.map((by) => dimension(by).facet),
  );
  const buckets = new Map(counts.buckets);
  for (const by of names) {
    const { facet, limit, years } = dimension(by);
    // The filter for earlier years would replace one of the query.
    if (!years || limit === undefined || params.some(([name]) => name === by)) continue;
    const all = [...(buckets.get(facet) ?? [])];
    for (let latest = all; latest.length >= limit; ) {
      const last = Math.min(...latest.map(({ id }) => Number(id))) - 1;
      if (!(last >= FIRST_YEAR)) break;
      const earlier = await countFacets(
        service,
        [...params, [by, `${FIRST_YEAR},${last}`]],
        [facet],
      );
      latest = [...(earlier.buckets.get(facet) ?? [])];
      all.push(...latest);
    }
    buckets.set(facet, all);
  }
  return { total: counts.total, buckets };
}
