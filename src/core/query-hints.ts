/**
 * Names that people write for fields of the search index, which finds nothing by a name that it
 * lacks (service.md, F16).
 */
const NAMES: Readonly<Record<string, string>> = {
  'titles.title': 'title titles',
  'creators.name': 'creator creators author authors name',
  'contributors.name': 'contributor contributors',
  'creators.nameIdentifiers.nameIdentifier': 'orcid',
  'creators.affiliation.name': 'affiliation affiliations',
  'descriptions.description': 'description descriptions abstract',
  'subjects.subject': 'subject subjects keyword keywords',
  publicationYear: 'year publication_year publicationyear',
  'types.resourceTypeGeneral': 'type types resourcetypegeneral resourcetype',
  'rightsList.rightsIdentifier': 'license rights',
  'fundingReferences.funderName': 'funder funding',
  'relatedIdentifiers.relatedIdentifier': 'related relatedidentifier relatedidentifiers',
  aasm_state: 'state status',
  client_id: 'client clientid repository',
  provider_id: 'provider providerid member',
};

const FIELD_OF = new Map(
  Object.entries(NAMES).flatMap(([field, names]) => names.split(' ').map((name) => [name, field])),
);

/** What to write in a query that finds nothing; empty where nothing is known to be wrong. */
export function queryHints(query: string): readonly string[] {
  const names = [...query.matchAll(/(?:^|[\s(+!-])(\w+):/g)].map(([, name = '']) => name);
  const hints = names.flatMap((name) => {
    const field = FIELD_OF.get(name.toLowerCase());
    if (field === undefined || field === name) return [];
    return [`the search index has no field '${name}': write ${field}:…`];
  });
  if (/\burl:\S*[.*]\S*\*|\burl:\*\S*\./.test(query))
    hints.push('`*` stays within a word of a URL: write the host alone, as in url:old.example.org');
  return hints;
}
