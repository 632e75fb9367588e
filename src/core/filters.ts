import { typeId } from '../harvest/walk/filter-check.ts';
import { RESOURCE_TYPES } from '../metadata/resource-types.ts';
import { didYouMean } from '../text/closest.ts';
import {
  parseKnown,
  parseList,
  parsePrefixes,
  parseStates,
  parseText,
  parseYears,
  refuseKey,
  STATES,
} from '../text/parsers.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Which DOI records: those that match all of these filters; without any, all that the credentials
 * may read. A filter takes several values with commas between them, and a record matches one of
 * them.
 */
export interface DoiQuery {
  /**
   * Providers, such as `caltech`. With {@link clientId}, the service lists the records of either.
   */
  readonly providerId?: string | undefined;
  /** Repository accounts, such as `caltech.library`. */
  readonly clientId?: string | undefined;
  /** DOI prefixes, such as `10.5072`. */
  readonly prefix?: string | undefined;
  /**
   * `findable`, `registered` or `draft`. Without it, credentials also read Draft and Registered
   * records.
   */
  readonly state?: string | undefined;
  /** A query in Lucene syntax, such as `titles.title:lake AND updated:[2024-05-01 TO *]`. */
  readonly query?: string | undefined;
  /** Years of creation, such as `2019`, or `2017,2019` for the three years from 2017. */
  readonly created?: string | undefined;
  /** Years of registration, in the same form. */
  readonly registered?: string | undefined;
  /** Resource types, such as `dataset`. */
  readonly resourceTypeId?: string | undefined;
  /** Other filters of the service by their names, such as `{ 'has-citations': '1' }`. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
  /** The only attributes that the records have, such as `['titles', 'url']`; all by default. */
  readonly fields?: readonly string[] | undefined;
  /** More attributes, such as the numbers of views and citations. */
  readonly detail?: boolean | undefined;
  /**
   * Accepted without effect: affiliations and publisher come as objects anyway. As names they come
   * with `filter: { affiliation: 'false', publisher: 'false' }`.
   */
  readonly affiliation?: boolean | undefined;
}

/** The general resource types, in the form of ids. */
const RESOURCE_TYPE_IDS: readonly string[] = RESOURCE_TYPES.map(typeId);

/** Filters whose values have been checked. */
export type Filters = {
  readonly [Name in keyof Omit<DoiQuery, 'filter'>]?: NonNullable<DoiQuery[Name]>;
} & { readonly filter?: readonly Pair[] };

/** A filter without an option, as the service takes it. */
type Pair = readonly [name: string, value: string];

type TextName = Exclude<keyof DoiQuery, 'filter' | 'fields' | 'detail' | 'affiliation'>;

/**
 * A filter with a value: a member of {@link DoiQuery}, a parameter of the service, and an option.
 */
interface Filter {
  readonly name: TextName;
  readonly param: string;
  readonly flags: string;
  readonly description: string;
  /** @throws {Error} for a value that the service would misread. */
  readonly parse: (text: string) => string;
  readonly values?: readonly string[] | undefined;
}

const filter = (
  name: TextName,
  flags: string,
  description: string,
  parse: Filter['parse'],
  values?: readonly string[],
): Filter => ({
  name,
  param: flags.slice(2, flags.indexOf(' ')),
  flags,
  description,
  parse,
  values,
});

const YEARS = 'in years such as 2019 or 2017,2019';
const TYPES = 'records of a resource type, such as dataset';

/** The filters, in the order of the parameters and of the options. */
export const FILTERS: readonly Filter[] = [
  filter('providerId', '--provider-id <id>', 'records of a provider', parseProviderIds),
  filter('clientId', '--client-id <id>', 'records of a repository account', parseClientIds),
  filter('prefix', '--prefix <prefix>', 'records with a DOI prefix', parsePrefixes),
  filter(
    'state',
    '--state <state>',
    'findable, registered, draft; comma-separated',
    parseStates,
    STATES,
  ),
  filter('query', '--query <query>', 'a query in Lucene syntax', parseText),
  filter('created', '--created <years>', `records created ${YEARS}`, parseYears),
  filter('registered', '--registered <years>', `records registered ${YEARS}`, parseYears),
  filter('resourceTypeId', '--resource-type-id <id>', TYPES, parseResourceTypes, RESOURCE_TYPE_IDS),
];

/**
 * Ids such as `journal-article`, or types such as `JournalArticle`; no record has others
 * (service.md, F12).
 */
export function parseResourceTypes(text: string): string {
  parseKnown(
    text.split(',').map(typeId).join(),
    RESOURCE_TYPE_IDS,
    'a resource type such as dataset',
  );
  return text;
}

/**
 * The attributes and relationships of a record, some of them only with `--detail` (service.md, F7).
 */
export const FIELDS = words(`
  doi identifiers alternateIdentifiers creators titles publisher container publicationYear subjects contributors dates
  language types relatedIdentifiers relatedItems sizes formats version rightsList descriptions geoLocations
  fundingReferences url contentUrl metadataVersion schemaVersion source isActive state reason landingPage viewCount
  downloadCount referenceCount citationCount partCount partOfCount versionCount versionOfCount created registered
  published updated xml prefix suffix viewsOverTime downloadsOverTime citationsOverTime agency client provider media
  references citations parts partOf versions versionOf enrichments`);

/** A sparse fieldset: the service would leave out a name that no record has (service.md, F7). */
export function parseFields(text: string): readonly string[] {
  return parseKnown(text, FIELDS, 'the name of an attribute such as titles');
}

/**
 * Ids of repository accounts, comma-separated: one without a dot matches nothing (service.md, F13).
 */
export function parseClientIds(text: string): string {
  parseList(parseText(text), (id) => {
    if (/^[^\s./]+\.[^\s/]+$/.test(id)) return undefined;
    const [, provider = 'cern', name = 'zenodo'] = /^(\w+)\/(\w[\w-]*)$/.exec(id) ?? [];
    const other = /^[a-z]+$/i.test(id) ? '; for those of a provider use --provider-id' : '';
    return `the id of a repository account, which has a dot: ${provider}.${name}${other}`;
  });
  return text;
}

/**
 * Ids of providers, comma-separated: that of a repository account matches nothing (service.md,
 * F13).
 */
export function parseProviderIds(text: string): string {
  parseList(parseText(text), (id) => {
    if (/^\w+$/.test(id)) return undefined;
    const other = /^\w+\.[\w-]+$/.test(id) ? '; for a repository account use --client-id' : '';
    return `the id of a provider such as cern${other}`;
  });
  return text;
}

// The service reads a count that is no number as 0, which matches every record, and any value of a
// mark as true (service.md, F11).
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

const checkedBy = (check: (value: string, name: string) => string, names: string) =>
  words(names).map((name) => [name, check] as const);

/**
 * The filters of the service that have no option here (service.md, F2), with the checks of their
 * values.
 */
const OTHERS: ReadonlyMap<string, (value: string, name: string) => string> = new Map([
  ...checkedBy(
    minimum,
    `has-citations has-references has-parts has-part-of has-versions has-version-of has-views has-downloads
     link-check-redirect-count-gte`,
  ),
  ...checkedBy(
    onlyTrue,
    `has-person has-affiliation has-organization has-funder include-other-registration-agencies
     include-funder-child-organizations
     link-check-found-schema-org-id link-check-found-dc-identifier link-check-found-citation-doi`,
  ),
  ...checkedBy(trueOrFalse, 'affiliation publisher'),
  ...checkedBy(parseYears, 'published'),
  ...checkedBy(
    String,
    `id ids affiliation-id affiliation-country certificate client-type composite consortium-id disable-facets
     enriched facets field-of-science funded-by funder-id include license link-check-status
     link-check-has-schema-org link-check-body-has-pid mailto opendoar-id random re3data-id resource-type sample
     sample-group schema-version source subject user-id`,
  ),
]);

/** What a value of `--filter` begins with: `subject=`. */
export const FILTER_STARTS: readonly string[] = [...OTHERS.keys()].map((name) => `${name}=`);

/** The options of the parameters that `--filter` does not take. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ...[...FILTERS.map(({ param }) => param), 'detail', 'sort'].map(
    (name) => [name, `--${name}`] as const,
  ),
  ['fields[dois]', '--fields'],
  ['page[size]', '--page-size'],
  ['page[number]', '--page'],
  ...words('page[cursor] page[scroll] scroll-id').map((name) => [name, '--all'] as const),
]);

/**
 * Parses `name=value` of `--filter`. One that has an option is refused, because that checks its
 * value.
 */
export function parseFilter(text: string): Pair {
  const at = text.indexOf('=');
  // The service takes `_` for `-` in names (service.md, F1).
  const name = text.slice(0, at).trim().replaceAll('_', '-');
  const value = text.slice(at + 1);
  for (const part of text.split('=')) refuseKey(part);
  if (at < 1 || name === '' || value === '')
    throw new Error(`'${text}' is not of the form name=value`);
  const option = OPTIONS.get(name);
  if (option !== undefined) throw new Error(`for ${name} use ${option}`);
  return [name, OTHERS.get(name)?.(value, name) ?? value];
}

/**
 * What to say of filters that do not do what they seem to: the service answers 200 all the same.
 */
export function filterWarnings(filters: readonly Pair[]): string[] {
  return filters.flatMap(([name]) => {
    if (name === 'id' || name === 'ids')
      return [`with the filter ${name} the service ignores all others`];
    if (OTHERS.has(name)) return [];
    const meant = didYouMean(name, [...OTHERS.keys(), ...OPTIONS.keys()]);
    const doubt = 'it may ignore it and list everything';
    return [`the service is not known to have a filter '${name}': ${doubt}${meant}`];
  });
}

// A record that matches one of these is listed (service.md, F5).
const WIDENING = words(
  'client-id provider-id affiliation-id funder-id has-affiliation has-organization has-funder',
);

/** The filters that widen each other instead of narrowing the list; empty for fewer than two. */
export function widening(params: readonly Pair[]): readonly string[] {
  const found = params.map(([name]) => name).filter((name) => WIDENING.includes(name));
  return found.length > 1 ? found : [];
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
