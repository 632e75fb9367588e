import { typeId } from '../harvest/walk/filter-check.ts';
import { RESOURCE_TYPES } from '../metadata/resource-types.ts';
import { didYouMean } from '../text/closest.ts';
import { parseList, parseText } from '../text/parsers.ts';

/** Whether errors mention options of the command line or properties of a query. */
export type Naming = 'option' | 'property';

/** The general resource types, in the form of ids. */
export const RESOURCE_TYPE_IDS: readonly string[] = RESOURCE_TYPES.map(typeId);

/** The states of a DOI in filters. */
export const STATES = ['findable', 'registered', 'draft'];

/** Words of people and other programs for the states of a DOI. */
const OTHER_STATES: Readonly<Record<string, string>> = {
  published: 'findable',
  public: 'findable',
  hidden: 'registered',
  unpublished: 'draft',
};

/** One or more DOI states, comma-separated, in the service's spelling (service.md, F8). */
export function parseStates(text: string): string {
  const what = `a DOI state; the states are ${STATES.join(', ')}`;
  return parseList(text.toLowerCase(), (value) => {
    if (STATES.includes(value)) return undefined;
    if (!Object.hasOwn(OTHER_STATES, value)) return `${what}${didYouMean(value, STATES)}`;
    return `${what}; did you mean '${OTHER_STATES[value]}'?`;
  }).join();
}

/**
 * Years for the service's filters: `2019`, or `2017,2019` for the range between (service.md, F3).
 */
export function parseYears(text: string): string {
  if (/^\d{4}(,\d{4})*$/.test(text)) return text;
  throw new Error(
    `'${text}' is not a year or a list of years such as 2019 or 2017,2019` +
      ' (for finer ranges: the query created:[2024-01-01 TO 2024-02-01})',
  );
}

/** Ids such as `journal-article`, or types such as `JournalArticle` (service.md, F12). */
export function parseResourceTypes(text: string): string {
  parseKnown(
    text.split(',').map(typeId).join(),
    RESOURCE_TYPE_IDS,
    'a resource type such as dataset',
  );
  return text;
}

/** The attributes and relationships of a record; some need `--detail` (service.md, F7). */
export const FIELDS: readonly string[] = `
  doi identifiers alternateIdentifiers creators titles publisher container publicationYear
  subjects contributors dates language types relatedIdentifiers relatedItems sizes formats version
  rightsList descriptions geoLocations fundingReferences url contentUrl metadataVersion
  schemaVersion source isActive state reason landingPage viewCount downloadCount referenceCount
  citationCount partCount partOfCount versionCount versionOfCount created registered published
  updated xml prefix suffix viewsOverTime downloadsOverTime citationsOverTime agency client
  provider media references citations parts partOf versions versionOf enrichments`
  .trim()
  .split(/\s+/);

/** A sparse fieldset: the service would leave out a name that no record has (service.md, F7). */
export function parseFields(text: string): readonly string[] {
  return parseKnown(text, FIELDS, 'the name of an attribute such as titles');
}

/** Ids of repository accounts, comma-separated; each has a dot (service.md, F13). */
export function parseClientIds(text: string, naming: Naming = 'option'): string {
  parseList(parseText(text), (id) => {
    if (/^[^\s./]+\.[^\s/]+$/.test(id)) return undefined;
    const [, provider = 'cern', name = 'zenodo'] = /^(\w+)\/(\w[\w-]*)$/.exec(id) ?? [];
    const filter = naming === 'option' ? '--provider-id' : 'query.providerId';
    const other = /^[a-z]+$/i.test(id) ? `; for a provider use ${filter}` : '';
    return `the id of a repository account, which has a dot: ${provider}.${name}${other}`;
  });
  return text;
}

/** Ids of providers, comma-separated; they have no dot (service.md, F13). */
export function parseProviderIds(text: string, naming: Naming = 'option'): string {
  parseList(parseText(text), (id) => {
    if (/^\w+$/.test(id)) return undefined;
    const filter = naming === 'option' ? '--client-id' : 'query.clientId';
    const other = /^\w+\.[\w-]+$/.test(id) ? `; for a repository account use ${filter}` : '';
    return `the id of a provider such as cern${other}`;
  });
  return text;
}

/** A comma-separated list of known values. @param what a value must be, in errors. */
function parseKnown(text: string, known: readonly string[], what: string): readonly string[] {
  return parseList(text, (value) =>
    known.includes(value) ? undefined : `${what}${didYouMean(value, known)}`,
  );
}
