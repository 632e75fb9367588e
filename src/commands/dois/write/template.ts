import { delimitedLine } from '../../../formats/output/csv.ts';
import { toCell } from '../../../formats/spreadsheet/cell.ts';

/** The columns that most records need, with a record without findings below a test prefix. */
const EXAMPLE: Readonly<Record<string, string>> = {
  doi: '10.5072/example-1',
  url: 'https://example.org/datasets/1',
  'titles[0].title': 'Water temperatures of an example lake',
  'titles[0].lang': 'en',
  'creators[0].name': 'Carberry, Josiah',
  'creators[0].nameType': 'Personal',
  'creators[0].givenName': 'Josiah',
  'creators[0].familyName': 'Carberry',
  'creators[0].orcid': 'https://orcid.org/0000-0002-1825-0097',
  'creators[0].affiliation[0].name': 'Brown University',
  'creators[0].affiliation[0].ror': 'https://ror.org/05gq02987',
  'creators[1].name': 'Example Survey Group',
  'creators[1].nameType': 'Organizational',
  'publisher.name': 'Example Repository',
  publicationYear: '2024',
  'types.resourceTypeGeneral': 'Dataset',
  'types.resourceType': 'Time series',
  'subjects[0].subject': 'limnology',
  'subjects[1].subject': 'water temperature',
  'dates[0].date': '2024-05-01',
  'dates[0].dateType': 'Issued',
  language: 'en',
  version: '1.0',
  'rightsList[0].rights': 'Creative Commons Attribution 4.0 International',
  'rightsList[0].rightsUri': 'https://creativecommons.org/licenses/by/4.0/',
  'rightsList[0].rightsIdentifier': 'cc-by-4.0',
  'descriptions[0].description': 'Hourly temperatures at five depths.',
  'descriptions[0].descriptionType': 'Abstract',
  'relatedIdentifiers[0].relatedIdentifier': '10.5072/example-article',
  'relatedIdentifiers[0].relatedIdentifierType': 'DOI',
  'relatedIdentifiers[0].relationType': 'IsSupplementTo',
};

/** A spreadsheet to fill in: the heads of its columns, and an example. */
export function tableTemplate(delimiter: ',' | '\t'): string {
  const cells = Object.entries(EXAMPLE).map(([name, text]) =>
    name === 'doi' ? text : toCell(text),
  );
  return delimitedLine(Object.keys(EXAMPLE), delimiter) + delimitedLine(cells, delimiter);
}
