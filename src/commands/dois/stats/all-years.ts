import { countFacets, type Facets } from '../../../api/facets.ts';
import type { Service } from '../../../api/service.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { dimension } from './dimensions.ts';

// DataCite was founded in 2009; a year more in case of a wrong clock.
const FIRST_YEAR = 2008;

/**
 * The counts of a query with all years: the service counts the ten latest only (service.md, P21),
 * so the earlier ones are asked for, ten at a time.
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
    // A second filter of the same kind would take the place of the first.
    if (!years || limit === undefined || params.some(([name]) => name === by)) continue;
    const found = [...(buckets.get(facet) ?? [])];
    for (let latest = found; latest.length >= limit; ) {
      const last = Math.min(...latest.map(({ id }) => Number(id))) - 1;
      if (!(last >= FIRST_YEAR)) break;
      const earlier = await countFacets(
        service,
        [...params, [by, `${FIRST_YEAR},${last}`]],
        [facet],
      );
      latest = [...(earlier.buckets.get(facet) ?? [])];
      found.push(...latest);
    }
    buckets.set(facet, found);
  }
  return { total: counts.total, buckets };
}
