import { issuedOn, partsOf, type Writer } from './formats.ts';
import { type Item, isBlank, textOf } from './values.ts';
import { printXml, type Tag, tag } from './xml.ts';

const JATS: Readonly<Record<string, string>> = {
  ...{ Article: 'journal', ScholarlyArticle: 'journal', PublicationIssue: 'journal', Book: 'book' },
  ...{ DataCatalog: 'data', Dataset: 'data', SoftwareSourceCode: 'software', WebSite: 'website' },
};

export const jats: Writer = (a) => {
  const { doi, title, creators, contributors, publisher, types, container } = partsOf(a);
  const kind = JATS[textOf(types['schemaOrg'])];
  const titled: Readonly<Record<string, string>> = { data: 'data-title', journal: 'article-title' };
  const titleTag = titled[kind ?? ''];
  const [year = '', month, day] = (issuedOn(a) ?? '').split('-');
  const source = titleTag === undefined ? title : (container['title'] ?? publisher);
  const rows: (Tag | undefined)[] = [
    people('author', creators),
    people('editor', contributors),
    titleTag === undefined ? undefined : tag(titleTag, title),
    tag('source', source),
    publisher === '' || kind === 'data' ? undefined : tag('publisher-name', publisher),
    tag('year', year, { 'iso-8601-date': issuedOn(a) }),
    ...optional({ month, day, volume: container['volume'], issue: container['issue'] }),
    ...optional({
      fpage: container['firstPage'],
      lpage: container['lastPage'],
      version: a['version'],
    }),
    tag('pub-id', doi, { 'pub-id-type': 'doi' }),
  ];
  return printXml(
    tag(
      'element-citation',
      rows.filter((row) => row !== undefined),
      { 'publication-type': kind },
    ),
  );
};

function people(kind: string, list: readonly Item[]): Tag | undefined {
  if (list.length === 0) return undefined;
  const names = list.map(({ familyName, givenName }) =>
    tag('name', optional({ surname: familyName, 'given-names': givenName })),
  );
  return tag('person-group', names, { 'person-group-type': kind });
}

function optional(members: Item): Tag[] {
  return Object.entries(members)
    .filter(([, value]) => !isBlank(value))
    .map(([name, value]) => tag(name, value));
}
