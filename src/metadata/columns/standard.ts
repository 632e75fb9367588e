import { type Column, columnNamed } from './column.ts';

const person = (...others: string[]) => [
  ...['name', 'nameType', 'givenName', 'familyName', 'orcid'],
  ...['affiliation[0].name', 'affiliation[0].ror', 'affiliation[1+]'],
  ...others,
];

/** The lists of a record: how many items have columns of their own, and which members of each. */
const LISTS: Readonly<Record<string, readonly [items: number, members: readonly string[]]>> = {
  titles: [2, ['title', 'titleType', 'lang']],
  creators: [5, person()],
  subjects: [5, ['subject', 'subjectScheme', 'valueUri']],
  contributors: [2, person('contributorType')],
  dates: [3, ['date', 'dateType', 'dateInformation']],
  relatedIdentifiers: [3, ['relatedIdentifier', 'relatedIdentifierType', 'relationType']],
  identifiers: [1, ['identifier', 'identifierType']],
  sizes: [1, ['']],
  formats: [1, ['']],
  rightsList: [1, ['rights', 'rightsUri', 'rightsIdentifier']],
  descriptions: [2, ['description', 'descriptionType', 'lang']],
  geoLocations: [
    1,
    [
      ...['geoLocationPlace', 'geoLocationPoint.pointLatitude', 'geoLocationPoint.pointLongitude'],
      ...['geoLocationBox', 'geoLocationPolygon'],
    ],
  ],
  fundingReferences: [
    1,
    ['funderName', 'funderIdentifier', 'funderIdentifierType', 'awardNumber', 'awardTitle', 'awardUri'],
  ],
};

const ORDER = [
  ...['doi', 'state', 'url', 'titles', 'creators', 'publisher.name', 'publisher.ror', 'publicationYear'],
  ...['types.resourceTypeGeneral', 'types.resourceType', 'subjects', 'contributors', 'dates', 'language'],
  ...['relatedIdentifiers', 'identifiers', 'sizes', 'formats', 'version', 'rightsList', 'descriptions'],
  ...['geoLocations', 'fundingReferences', 'relatedItems', 'client', 'created', 'registered', 'updated'],
];

function namesOf(root: string): readonly string[] {
  const list = LISTS[root];
  if (list === undefined) return [root];
  const [items, members] = list;
  const own = Array.from({ length: items }, (_, index) =>
    members.map((member) => `${root}[${index}]${member === '' ? '' : `.${member}`}`),
  ).flat();
  return [...own, `${root}[${items}+]`];
}

/** The names of the standard columns, always the same and in this order. */
export const STANDARD: readonly string[] = ORDER.flatMap(namesOf);

/**
 * The columns of a list: the standard ones, or those of some attributes. An attribute without standard columns
 * has one, with its value as JSON.
 */
export function columnsFor(fields: readonly string[] | undefined): readonly Column[] {
  const names =
    fields === undefined
      ? STANDARD
      : ['doi', ...fields.filter((field) => field !== 'doi').flatMap(columnsOfField)];
  return [...new Set(names)].map(
    (name) => columnNamed(name) ?? { name, path: [name], rest: false, types: [] },
  );
}

function columnsOfField(field: string): readonly string[] {
  const own = STANDARD.filter(
    (name) => name === field || (/^[.[]/.test(name.slice(field.length)) && name.startsWith(field)),
  );
  return own.length === 0 ? [field] : own;
}
