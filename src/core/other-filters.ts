import { refuseKey } from '../text/api-key.ts';
import { didYouMean } from '../text/closest.ts';
import { type Naming, parseYears } from './filter-values.ts';
import { DATES, FILTERS, type Pair } from './filters.ts';

// The service reads a count that is not a number as 0, which matches every record, and any value of
// a yes-or-no filter as true (service.md, F11).
const minimum = (value: string, name: string): string => {
  if (/^\d{1,9}$/.test(value)) return value;
  throw new Error(
    `${name} takes a minimum, such as 1: the service would read '${value}' as another number`,
  );
};
const onlyTrue = (value: string, name: string): string => {
  if (value === 'true') return value;
  throw new Error(`${name} takes only true: the service does not read '${value}' as false`);
};
const trueOrFalse = (value: string, name: string): string => {
  if (value === 'true' || value === 'false') return value;
  throw new Error(`${name} takes true for objects or false for names, not '${value}'`);
};

// Upper and lower case are the same to the service, and any other value counts as false
// (service.md, F18).
const enriched = (value: string): string => {
  if (/^(true|false)$/i.test(value)) return value.toLowerCase();
  throw new Error(`enriched takes true or false, not '${value}'`);
};

/** The filters of the service (service.md, F2), with the checks of their values. */
const CHECKS: ReadonlyMap<string, (value: string, name: string) => string> = new Map(
  (
    [
      [
        minimum,
        `has-citations has-references has-parts has-part-of has-versions has-version-of has-views
         has-downloads link-check-redirect-count-gte`,
      ],
      [
        onlyTrue,
        `has-person has-affiliation has-organization has-funder
         include-other-registration-agencies include-funder-child-organizations
         link-check-found-schema-org-id link-check-found-dc-identifier
         link-check-found-citation-doi`,
      ],
      [trueOrFalse, 'affiliation publisher'],
      [enriched, 'enriched'],
      [parseYears, 'published'],
      [
        String,
        `id ids affiliation-id affiliation-country certificate client-type composite consortium-id
         disable-facets facets field-of-science funded-by funder-id include license
         link-check-status link-check-has-schema-org link-check-body-has-pid mailto opendoar-id
         random re3data-id resource-type sample sample-group schema-version source subject user-id`,
      ],
    ] as const
  ).flatMap(([check, names]) => names.split(/\s+/).map((name) => [name, check])),
);

/** The option or property for a parameter that `--filter` refuses. */
const ELSEWHERE: ReadonlyMap<string, Readonly<Record<Naming, string>>> = new Map([
  ...[...FILTERS, ...DATES.map((name) => ({ name, param: name }))].map(
    ({ name, param }) => [param, { option: `--${param}`, property: `query.${name}` }] as const,
  ),
  ['detail', { option: '--detail', property: 'query.detail' }],
  ['fields[dois]', { option: '--fields', property: 'query.fields' }],
  ['sort', { option: '--sort', property: 'the program' }],
  ['page[size]', { option: '--page-size', property: 'pageSize' }],
  ['page[number]', { option: '--page', property: 'the program' }],
  ['page[cursor]', { option: '--all', property: 'listDois' }],
  ['page[scroll]', { option: '--all', property: 'listDois' }],
  ['scroll-id', { option: '--all', property: 'listDois' }],
]);

/** The names that `--filter` takes. */
const OTHERS: readonly string[] = [...CHECKS.keys()].filter((name) => !ELSEWHERE.has(name));

/** The parameters among them that do not filter records; completion leaves them out. */
const SELECTS_NOTHING: readonly string[] = ['disable-facets', 'facets', 'include', 'mailto'];

/** The parameters that select no records by themselves, but change what the others list. */
const CHANGES_LIST: readonly string[] = [
  ...['affiliation', 'publisher', 'enriched', 'composite', 'random', 'sample', 'sample-group'],
  ...['include-other-registration-agencies', 'include-funder-child-organizations'],
];

/** Whether a filter of `--filter` selects records by itself. */
export function selectsRecords(name: string): boolean {
  return OTHERS.includes(name) && ![...SELECTS_NOTHING, ...CHANGES_LIST].includes(name);
}

/** The beginning of each value of `--filter`, such as `subject=`. */
export const FILTER_STARTS: readonly string[] = OTHERS.filter(
  (name) => !SELECTS_NOTHING.includes(name),
).map((name) => `${name}=`);

/** Parses `name=value` of `--filter`. @throws {Error} also for a filter that has its own option. */
export function parseFilter(text: string, naming: Naming = 'option'): Pair {
  const at = text.indexOf('=');
  // The service takes `_` for `-` in names (service.md, F1).
  const name = text.slice(0, at).trim().replaceAll('_', '-');
  const value = text.slice(at + 1).trim();
  for (const part of text.split('=')) refuseKey(part);
  if (at < 0) throw new Error(`'${text}' has no value: write it as one word, such as subject=lake`);
  if (at < 1 || name === '' || value === '')
    throw new Error(`'${text}' is not of the form name=value`);
  const elsewhere = ELSEWHERE.get(name);
  if (elsewhere !== undefined) throw new Error(`for ${name} use ${elsewhere[naming]}`);
  return [name, CHECKS.get(name)?.(value, name) ?? value];
}

/** Warnings for filters that the service accepts but may ignore. */
export function filterWarnings(filters: readonly Pair[]): string[] {
  return filters.flatMap(([name]) => {
    if (name === 'id' || name === 'ids')
      return [`with the filter ${name} the service ignores all others`];
    if (CHECKS.has(name)) return [];
    const meant = didYouMean(name, [...CHECKS.keys(), ...ELSEWHERE.keys()]);
    const doubt = 'it may ignore it and list everything';
    return [`the service is not known to have a filter '${name}': ${doubt}${meant}`];
  });
}

/** The values of `--sort`. */
export const SORTS: readonly string[] = [
  ...['relevance', 'name', 'created', 'updated', 'published', 'view-count', 'download-count'],
  ...['citation-count', 'title', '-name', '-created', '-updated', '-published', '-view-count'],
  ...['-download-count', '-citation-count', '-title'],
];

/** A value of `--sort`. @throws {Error} for one that the service would ignore (service.md, P16). */
export function parseSort(text: string): string {
  if (SORTS.includes(text)) return text;
  const meant = didYouMean(text, SORTS);
  const orders = SORTS.filter((order) => !order.startsWith('-')).join(', ');
  throw new Error(`'${text}' is not an order of the service: ${orders}${meant}`);
}
