import { didYouMean } from '../text/closest.ts';
import { parseYears } from '../text/parsers.ts';
import { FILTERS, words } from './filters.ts';

/** A filter as the service takes it. */
type Filter = readonly [name: string, value: string];

// Filters of the service that have no option here (service.md, F2), by what their values may be. The service
// reads a count that is no number as 0, which matches every record, and any value of a mark as true
// (service.md, F11).
const COUNTS = words(`
  has-citations has-references has-parts has-part-of has-versions has-version-of has-views has-downloads
  link-check-redirect-count-gte`);
const MARKS = words(`
  has-person has-affiliation has-organization has-funder include-other-registration-agencies
  include-funder-child-organizations publisher
  link-check-found-schema-org-id link-check-found-dc-identifier link-check-found-citation-doi`);
const TEXTS = words(`
  id ids affiliation-id affiliation-country certificate client-type composite consortium-id disable-facets enriched
  facets field-of-science funded-by funder-id include license link-check-status link-check-has-schema-org
  link-check-body-has-pid mailto opendoar-id published random re3data-id resource-type sample sample-group
  schema-version source subject user-id`);

// Parameters that have an option of their name, and those whose option has another name.
const own = () => [...FILTERS.map(({ param }) => param), 'detail', 'affiliation', 'sort'];
const OWN_OPTIONS = new Map([
  ['fields[dois]', '--fields'],
  ['page[size]', '--page-size'],
  ['page[number]', '--page'],
  ['page[cursor]', '--all'],
  ['page[scroll]', '--all'],
  ['scroll-id', '--all'],
]);

const KNOWN: readonly string[] = [...COUNTS, ...MARKS, ...TEXTS];

/**
 * Parses `name=value` of `--filter`.
 * @throws {Error} for a value that the service would take for another one, and for a filter that has an
 *   option, because the option checks its value.
 */
export function parseFilter(text: string): Filter {
  const at = text.indexOf('=');
  // The service takes `_` for `-` in names (service.md, F1).
  const name = text.slice(0, at).trim().replaceAll('_', '-');
  const value = text.slice(at + 1);
  if (at < 1 || name === '' || value === '') throw new Error(`'${text}' is not of the form name=value`);
  const option = own().includes(name) ? `--${name}` : OWN_OPTIONS.get(name);
  if (option !== undefined) throw new Error(`for ${name} use ${option}`);
  if (COUNTS.includes(name) && !/^\d{1,9}$/.test(value)) {
    throw new Error(
      `${name} takes a minimum, such as 1: the service would read '${value}' as another number`,
    );
  }
  if (MARKS.includes(name) && value !== 'true') {
    throw new Error(`${name} takes only true: the service does not read '${value}' as false`);
  }
  return [name, name === 'published' ? parseYears(value) : value];
}

/** What to say of filters that do not do what they seem to: the service answers 200 all the same. */
export function filterWarnings(filters: readonly Filter[]): string[] {
  const names = filters.map(([name]) => name);
  const unknown = names.filter((name) => !KNOWN.includes(name));
  return [
    ...unknown.map(
      (name) =>
        `the service is not known to have a filter '${name}': it may ignore it and list everything` +
        didYouMean(name, [...KNOWN, ...own()]),
    ),
    ...names
      .filter((name) => name === 'id' || name === 'ids')
      .map((name) => `with the filter ${name} the service ignores all others`),
  ];
}

// A record that matches one of these is listed (service.md, F5).
const WIDENING = words(
  'client-id provider-id affiliation-id funder-id has-affiliation has-organization has-funder',
);

/** The filters that widen each other instead of narrowing the list; empty for fewer than two. */
export function widening(params: Iterable<Filter>): readonly string[] {
  const found = [...params].map(([name]) => name).filter((name) => WIDENING.includes(name));
  return found.length > 1 ? found : [];
}

/** The filter that excludes a cursor (service.md, F2), if there is one. */
export function excludesCursor(filters: readonly Filter[]): string | undefined {
  return filters.find(
    ([name, value]) => name === 'sample-group' || (name === 'random' && value.toLowerCase() === 'true'),
  )?.[0];
}

/** The values of `--sort`. */
export const SORTS = words(`
  relevance name created updated published view-count download-count citation-count title
  -name -created -updated -published -view-count -download-count -citation-count -title`);

/** A value of `--sort`. @throws {Error} for one that the service would ignore (service.md, P16). */
export function parseSort(text: string): string {
  if (SORTS.includes(text)) return text;
  const meant = didYouMean(text, SORTS);
  const orders = SORTS.filter((order) => !order.startsWith('-')).join(', ');
  throw new Error(`'${text}' is not an order of the service: ${orders}${meant}`);
}
