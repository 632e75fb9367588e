// Filters of the service that have no option of their own (observed).
const OTHER_FILTERS = `
  affiliation-id certificate client-type composite consortium-id disable-facets enriched facets funder-id include
  include-other-registration-agencies license mailto published publisher resource-type schema-version source subject
  user-id`
  .trim()
  .split(/\s+/);
const FAMILIES = /^(has|link-check)-/;

const OWN_OPTIONS: Readonly<Record<string, string>> = {
  'provider-id': '--provider-id',
  'client-id': '--client-id',
  prefix: '--prefix',
  state: '--state',
  query: '--query',
  created: '--created',
  registered: '--registered',
  'resource-type-id': '--resource-type-id',
  detail: '--detail',
  affiliation: '--affiliation',
  'fields[dois]': '--fields',
  'page[size]': '--page-size',
  'page[number]': '--page',
  'page[cursor]': '--all',
  sort: '--sort',
};

/** `name=value` of `--filter`; what has an option of its own is refused, because that one is checked. */
export function parseFilter(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1)];
  if (at < 1 || name === '' || value === '') throw new Error(`'${text}' is not of the form name=value`);
  const option = Object.hasOwn(OWN_OPTIONS, name) ? OWN_OPTIONS[name] : undefined;
  if (option !== undefined) throw new Error(`for ${name} use ${option}`);
  return [name, value];
}

/** The names among the filters that the service is not known to have: it would ignore them and return everything. */
export function unknownFilters(filters: readonly (readonly [string, string])[]): string[] {
  return filters
    .map(([name]) => name)
    .filter((name) => !OTHER_FILTERS.includes(name) && !FAMILIES.test(name));
}
