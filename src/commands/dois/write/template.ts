import { toCell } from '../../../metadata/columns/cell.ts';
import schema from '../../../metadata/schema/datacite-4.7.json' with { type: 'json' };
import { delimitedLine } from '../../../text/csv.ts';
import { withoutComments } from '../../../text/json.ts';
import type { JsonObject } from '../../../text/json-values.ts';

const HEAD = `// A DOI record. Fill it in, save it and close the editor.
// Nothing is sent if it stays unchanged or empty. Lines that begin with // are
// ignored. What you leave empty is left out.`;

/** The properties of the template: name, comments in front, and the offered value, if any. */
const PARTS: readonly (readonly [name: string, comments: readonly string[], value: string | undefined])[] = [
  ['doi', ['"doi": "10.5072/my-suffix" for a DOI of your choice, or the prefix alone:'], undefined],
  ['prefix', [], '""'],
  [
    'event',
    ['Without an event it becomes a Draft, which nobody else sees.', '"event": "publish",'],
    undefined,
  ],
  ['titles', [], '[{ "title": "" }]'],
  [
    'creators',
    ['People: "Family, Given". Organizations:', '{ "name": "…", "nameType": "Organizational" }'],
    `[
    {
      "name": "",
      // "nameIdentifiers": [{
      //   "nameIdentifier": "https://orcid.org/…",
      //   "nameIdentifierScheme": "ORCID"
      // }],
      // "affiliation": [{ "name": "…" }],
      "nameType": "Personal"
    }
  ]`,
  ],
  ['publisher', [], '{ "name": "" }'],
  ['publicationYear', [], '2000'],
  ['types', resourceTypeLines(), '{ "resourceTypeGeneral": "Dataset" }'],
  ['subjects', ['"subjects": [{ "subject": "…" }],'], undefined],
  ['descriptions', ['"descriptions": [{ "description": "…", "descriptionType": "Abstract" }],'], undefined],
  ['url', ['The page that the DOI leads to.'], '""'],
];

/**
 * A record to fill in, as JSON with comments.
 * @param given attributes that are already known; they replace the offered values.
 * @param year the current year.
 */
export function recordTemplate(given: JsonObject, year: number): string {
  const named = new Set(PARTS.map(([name]) => name));
  const members: string[] = [];
  let above: string[] = [];
  for (const [name, comments, offered] of PARTS) {
    above.push(...comments.map((text) => `  // ${text}`));
    // A record with a DOI needs no prefix.
    const value =
      name in given ? indented(given[name]) : name === 'prefix' && 'doi' in given ? undefined : offered;
    if (value === undefined) continue;
    members.push(
      [...above, `  "${name}": ${name === 'publicationYear' && !(name in given) ? year : value}`].join('\n'),
    );
    above = [];
  }
  for (const [name, value] of Object.entries(given)) {
    if (!named.has(name)) members.push(`  ${JSON.stringify(name)}: ${indented(value)}`);
  }
  return [HEAD, '{', members.join(',\n'), '}', ''].join('\n');
}

/** The offered values that are to be filled in, by property, as JSON. */
const PLACEHOLDERS: ReadonlyMap<string, string> = new Map(
  PARTS.flatMap(([name, , offered = '']) =>
    offered.includes('""') ? [[name, JSON.stringify(JSON.parse(withoutComments(offered)))] as const] : [],
  ),
);

/** A record without what was left empty of the template. */
export function withoutPlaceholders<T extends { readonly attributes: JsonObject }>(record: T): T {
  const isFilled = ([name, value]: [string, unknown]) => PLACEHOLDERS.get(name) !== JSON.stringify(value);
  return { ...record, attributes: Object.fromEntries(Object.entries(record.attributes).filter(isFilled)) };
}

/** The values of the controlled list, 4 to a line: an editor of 80 columns shows them whole. */
function resourceTypeLines(): string[] {
  const values = schema.$defs.resourceTypeGeneral.enum.filter((value) => value !== null);
  return Array.from({ length: Math.ceil(values.length / 4) }, (_, line) =>
    values.slice(line * 4, line * 4 + 4).join(', '),
  );
}

/** A value as indented JSON, as a member of the record. */
function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ');
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
