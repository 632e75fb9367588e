import {
  parseKnown,
  parseList,
  parsePrefixes,
  parseStates,
  parseText,
  parseYears,
  STATES,
} from '../text/parsers.ts';

/** The words of a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Which DOI records: those that match all of these filters; without any, all that the credentials may read.
 * A filter takes several values with commas between them, and a record matches one of them.
 */
export interface DoiQuery {
  /** Providers, such as `caltech`. With {@link clientId}, the service lists the records of either. */
  readonly providerId?: string | undefined;
  /** Repository accounts, such as `caltech.library`. */
  readonly clientId?: string | undefined;
  /** DOI prefixes, such as `10.5072`. */
  readonly prefix?: string | undefined;
  /** `findable`, `registered` or `draft`. Without it, credentials also read Draft and Registered records. */
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
  /** Affiliations as objects with identifiers, not as names. */
  readonly affiliation?: boolean | undefined;
}

/** The types of the Metadata Schema (service.md, S2), in the form of ids. */
export const RESOURCE_TYPES = words(`
  audiovisual award book book-chapter collection computational-notebook conference-paper conference-proceeding
  data-paper dataset dissertation event image instrument interactive-resource journal journal-article model other
  output-management-plan peer-review physical-object poster preprint presentation project report service software
  sound standard study-registration text workflow`);

/** Filters whose values have been checked. */
export type Filters = {
  readonly [Name in keyof Omit<DoiQuery, 'filter'>]?: NonNullable<DoiQuery[Name]>;
} & { readonly filter?: readonly (readonly [name: string, value: string])[] };

type TextName = Exclude<keyof DoiQuery, 'filter' | 'fields' | 'detail' | 'affiliation'>;

/** A filter with a value: a member of {@link DoiQuery}, a parameter of the service, and an option. */
interface Filter {
  readonly name: TextName;
  readonly param: string;
  /** The option and its value, for the help. */
  readonly flags: string;
  readonly description: string;
  /** @throws {Error} for a value that the service would misread. */
  readonly parse: (text: string) => string;
  /** The values that are known, for completion. */
  readonly values?: readonly string[] | undefined;
}

const filter = (
  name: TextName,
  flags: string,
  description: string,
  parse: Filter['parse'],
  values?: readonly string[],
): Filter => ({ name, param: flags.slice(2, flags.indexOf(' ')), flags, description, parse, values });

const YEARS = 'in years such as 2019 or 2017,2019';
const TYPES = 'records of a resource type, such as dataset';

/** The filters, in the order of the parameters and of the options. */
export const FILTERS: readonly Filter[] = [
  filter('providerId', '--provider-id <id>', 'records of a provider', parseProviderIds),
  filter('clientId', '--client-id <id>', 'records of a repository account', parseClientIds),
  filter('prefix', '--prefix <prefix>', 'records with a DOI prefix', parsePrefixes),
  filter('state', '--state <state>', 'findable, registered, draft; comma-separated', parseStates, STATES),
  filter('query', '--query <query>', 'a query in Lucene syntax', parseText),
  filter('created', '--created <years>', `records created ${YEARS}`, parseYears),
  filter('registered', '--registered <years>', `records registered ${YEARS}`, parseYears),
  filter('resourceTypeId', '--resource-type-id <id>', TYPES, parseResourceTypes, RESOURCE_TYPES),
];

/**
 * A value of `--resource-type-id`: ids such as `journal-article`, or types such as `JournalArticle`,
 * comma-separated.
 * @throws {Error} for a type that no record has: the list would be empty (service.md, F12).
 */
export function parseResourceTypes(text: string): string {
  parseKnown(text.split(',').map(idOf).join(), RESOURCE_TYPES, 'a resource type such as dataset');
  return text;
}

/** As the service makes an id of a type: in lower case, its words joined by hyphens (service.md, F12). */
export function idOf(type: string): string {
  return type
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '-')
    .replaceAll('_', '-')
    .toLowerCase();
}

/** The attributes and relationships of a record, some of them only with `--detail` (service.md, F7). */
export const FIELDS = words(`
  doi identifiers alternateIdentifiers creators titles publisher container publicationYear subjects contributors dates
  language types relatedIdentifiers relatedItems sizes formats version rightsList descriptions geoLocations
  fundingReferences url contentUrl metadataVersion schemaVersion source isActive state reason landingPage viewCount
  downloadCount referenceCount citationCount partCount partOfCount versionCount versionOfCount created registered
  published updated xml prefix suffix viewsOverTime downloadsOverTime citationsOverTime agency client provider media
  references citations parts partOf versions versionOf enrichments`);

/**
 * A sparse fieldset: names of attributes, comma-separated.
 * @throws {Error} for a name that no record has: the service would leave it out (service.md, F7).
 */
export function parseFields(text: string): readonly string[] {
  return parseKnown(text, FIELDS, 'the name of an attribute such as titles');
}

/**
 * Ids of repository accounts, comma-separated.
 * @throws {Error} for one without a dot, which matches nothing (service.md, F13).
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
 * Ids of providers, comma-separated.
 * @throws {Error} for the id of a repository account, which matches nothing (service.md, F13).
 */
export function parseProviderIds(text: string): string {
  parseList(parseText(text), (id) => {
    if (/^\w+$/.test(id)) return undefined;
    const other = /^\w+\.[\w-]+$/.test(id) ? '; for a repository account use --client-id' : '';
    return `the id of a provider such as cern${other}`;
  });
  return text;
}
