/**
 * How the search index stores a field: as the `words` of a text, as an `exact` or a `folded` (lower
 * case) value, or as a `number`.
 */
type FieldKind = 'words' | 'exact' | 'folded' | 'number';

const SUBJECT = 'subjectScheme schemeUri valueUri lang classificationCode';
const PERSON = `name~ givenName~ familyName~ nameType nameIdentifiers.nameIdentifier
  nameIdentifiers.nameIdentifierScheme nameIdentifiers.schemeUri affiliation.affiliationIdentifier
  affiliation.affiliationIdentifierScheme affiliation.schemeUri`;

/**
 * The fields of the index by their object. `~` marks words, `*` words that also have a field
 * `.keyword`, `^` folded values and `#` numbers. A query for any other field finds nothing
 * (service.md, F16).
 */
const FIELDS: Readonly<Record<string, string>> = {
  '': `id^ uid^ doi^ identifier url* creator_names~ publisher* client_id provider_id consortium_id
    resource_type_id content_url version_info formats sizes language is_active aasm_state
    schema_version metadata_version agency source prefix suffix reason~ view_count#
    download_count# reference_count# citation_count# part_count# part_of_count# version_count#
    version_of_count#`,
  creators: `${PERSON} affiliation.name~`,
  contributors: `${PERSON} affiliation.name~ contributorType`,
  creators_and_contributors: `${PERSON} affiliation.name contributorType`,
  titles: 'title* titleType lang',
  primary_title: 'title* titleType lang',
  descriptions: 'description~ descriptionType lang',
  identifiers: 'identifier^ identifierType',
  related_identifiers: `relatedIdentifier^ relatedIdentifierType relationType relatedMetadataScheme
    schemeUri schemeType resourceTypeGeneral relationTypeInformation~`,
  related_items: `relatedItemType relationType relationTypeInformation~ titles.title*
    titles.titleType
    relatedItemIdentifier.relatedItemIdentifier^ relatedItemIdentifier.relatedItemIdentifierType
    creators.name~ creators.givenName~ creators.familyName~ contributors.name~ volume issue number
    numberType firstPage lastPage publisher~ publicationYear edition`,
  types: 'resourceTypeGeneral resourceType^ schemaOrg bibtex citeproc ris',
  funding_references: `funderName~ funderIdentifier^ funderIdentifierType schemeUri awardNumber
    awardUri awardTitle`,
  dates: 'date~ dateType dateInformation',
  geo_locations: `geoLocationPlace geoLocationPoint.pointLatitude# geoLocationPoint.pointLongitude#
    geoLocationBox.westBoundLongitude# geoLocationBox.eastBoundLongitude#
    geoLocationBox.southBoundLatitude# geoLocationBox.northBoundLatitude#`,
  rights_list: 'rights rightsUri rightsIdentifier^ rightsIdentifierScheme schemeUri lang',
  subjects: `subject* ${SUBJECT}`,
  container: 'type identifier^ identifierType title volume issue firstPage lastPage',
  publisher_obj: 'name* publisherIdentifier^ publisherIdentifierScheme schemeUri lang',
  client: 'id uid^ symbol provider_id name*',
  provider: 'id uid^ symbol name*',
};

const KINDS: Readonly<Record<string, FieldKind>> = {
  '~': 'words',
  '*': 'words',
  '^': 'folded',
  '#': 'number',
};

const INDEX: ReadonlyMap<string, FieldKind> = new Map(
  Object.entries(FIELDS).flatMap(([object, fields]) =>
    fields.split(/\s+/).flatMap((field) => {
      const name = `${object === '' ? '' : `${object}.`}${field.replace(/\W$/, '')}`;
      const entry = [name, KINDS[field.at(-1) ?? ''] ?? 'exact'] as const;
      return field.endsWith('*') ? [entry, [`${name}.keyword`, 'exact'] as const] : [entry];
    }),
  ),
);

/** How the index stores a field; undefined for a field that it does not have. */
export function fieldKind(name: string): FieldKind | undefined {
  return INDEX.get(name);
}

/** The names that the service replaces in a query, in this order (lupo: app/models/doi.rb). */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  ...[
    ...['publicationYear', 'relatedIdentifiers', 'relatedItems', 'rightsList', 'fundingReferences'],
    ...['geoLocations', 'landingPage', 'contentUrl', 'citationCount', 'viewCount', 'downloadCount'],
  ].map((name) => [new RegExp(name, 'g'), snake(name)] as const),
  [/version:/g, 'version_info:'],
  [
    /publisher\.(name|publisherIdentifier|publisherIdentifierScheme|schemeUri|lang)/g,
    'publisher_obj.$1',
  ],
  [/schemaVersion/g, 'schema_version'],
];

/** A query in which the names of attributes are replaced by the names of the index. */
export function withIndexNames(query: string): string {
  return RENAMED.reduce((text, [name, inIndex]) => text.replace(name, inIndex), query);
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
