import type { Params } from '../http/params.ts';
import type { Page } from './page.ts';

/**
 * The parameters that `links.next` keeps; all others are lost from the second page on (service.md,
 * P9).
 */
const KEPT = new Set(
  `query provider-id consortium-id client-id funder-id affiliation-id affiliation-country
   funded-by include-funder-child-organizations resource-type-id prefix certificate
   published created registered has-citations has-references has-parts has-part-of
   has-versions has-version-of has-views has-downloads has-person has-affiliation has-funder
   disable-facets facets detail composite affiliation publisher enriched`.split(/\s+/),
);

/** Whether a list has no facets: by default, and for 1 or `true` in any letter case. */
export function facetsDisabled(params: Params): boolean {
  return /^(?:true|1)$/i.test(params.get('disable-facets') ?? 'true');
}

/** The address of the request itself, its brackets percent-encoded. */
export function selfLink(origin: string, path: string, query: string): string {
  const encoded = query.replaceAll('[', '%5B').replaceAll(']', '%5D');
  return `${origin}${path}${encoded === '' ? '' : `?${encoded}`}`;
}

/** The address of the next page, its parameters sorted by name as the service does. */
export function nextLink(
  origin: string,
  params: Params,
  page: Page,
  cursor: string | undefined,
): string {
  const pairs: (readonly [string, string])[] = [['page[size]', String(page.size)]];
  pairs.push(
    cursor === undefined ? ['page[number]', String(page.number + 1)] : ['page[cursor]', cursor],
  );
  for (const [name, value] of params.entries()) {
    if (name === 'disable-facets') pairs.push([name, String(facetsDisabled(params))]);
    else if (KEPT.has(name) || name.startsWith('fields[')) pairs.push([name, value]);
  }
  const query = pairs
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort();
  return `${origin}/dois?${query.join('&')}`;
}
