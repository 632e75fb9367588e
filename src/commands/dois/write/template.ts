import { toCell } from '../../../metadata/columns/cell.ts';
import schema from '../../../metadata/schema/datacite-4.7.json' with { type: 'json' };
import { delimitedLine } from '../../../text/csv.ts';
import type { JsonObject } from '../../../text/json-values.ts';

/** The comments above a record to fill in; an editor of 80 columns shows them whole. */
const HEAD = `// A DOI record: fill it in, save it and close the editor. Lines that begin with
// two slashes are ignored, and what you leave empty is left out. Without an
// event it becomes a Draft, which nobody else sees. You may add:
//   "doi": "10.5072/my-suffix", "event": "publish",
//   "subjects": [{ "subject": "…" }],
//   "descriptions": [{ "description": "…", "descriptionType": "Abstract" }]
// People are "Family, Given", with "affiliation": [{ "name": "…" }] and
//   "nameIdentifiers": [{ "nameIdentifier": "https://orcid.org/…",
//     "nameIdentifierScheme": "ORCID" }]; others are "Organizational".
// resourceTypeGeneral is one of:
${resourceTypeLines().join('\n')}`;

/** The properties that are to be filled in. */
const EMPTY: JsonObject = {
  prefix: '',
  titles: [{ title: '' }],
  creators: [{ name: '', nameType: 'Personal' }],
  publisher: { name: '' },
  url: '',
};

/**
 * A record to fill in, as JSON below comments.
 * @param given attributes that are already known; they replace the offered values.
 * @param year the current year.
 */
export function recordTemplate(given: JsonObject, year: number): string {
  const types = { resourceTypeGeneral: 'Dataset' };
  const { prefix, ...others }: JsonObject = { ...EMPTY, publicationYear: year, types, ...given };
  // A record with a DOI needs no prefix.
  const record = 'doi' in given ? others : { prefix, ...others };
  return `${HEAD}\n${JSON.stringify(record, undefined, 2)}\n`;
}

/** A record without what was left empty of the template. */
export function withoutPlaceholders<T extends { readonly attributes: JsonObject }>(record: T): T {
  const isFilled = ([name, value]: [string, unknown]) =>
    JSON.stringify(EMPTY[name]) !== JSON.stringify(value);
  return { ...record, attributes: Object.fromEntries(Object.entries(record.attributes).filter(isFilled)) };
}

/** The values of the controlled list, 4 to a line. */
function resourceTypeLines(): string[] {
  const values = schema.$defs.resourceTypeGeneral.enum.filter((value) => value !== null);
  return Array.from(
    { length: Math.ceil(values.length / 4) },
    (_, line) => `//   ${values.slice(line * 4, line * 4 + 4).join(', ')}`,
  );
}

/** Columns that most records need, and a record that has no finding. Its prefix belongs to nobody. */
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

/** A spreadsheet to fill in: its columns, and an example below them. */
export function tableTemplate(delimiter: ',' | '\t'): string {
  const cells = Object.entries(EXAMPLE).map(([name, text]) => (name === 'doi' ? text : toCell(text)));
  return delimitedLine(Object.keys(EXAMPLE), delimiter) + delimitedLine(cells, delimiter);
}
