import { readDataciteXml } from './read-xml.ts';
import { CITATION_TYPES, CREATIVE_WORK_TYPES, completeTypes, pairs } from './types.ts';
import { filled, type Item, isBlank, isItem, items, textOf, wrap } from './values.ts';
import { kernelOf, readXml, XmlError } from './xml.ts';

/** The formats in which metadata may be sent. */
type Format = keyof typeof READERS;

/** The format of metadata; undefined when the service does not recognize it. */
export function formatOf(text: string): Format | undefined {
  if (text.trim().startsWith('<')) return isDatacite(text) ? 'datacite' : undefined;
  if (text.startsWith('TY  - ')) return 'ris';
  if (/^\s*@\w+\s*\{/.test(text)) return 'bibtex';
  const json = parsed(text);
  const context = textOf(json['@context']);
  if (/^https?:\/\/schema\.org/.test(context)) return 'schema_org';
  if (context === 'https://raw.githubusercontent.com/codemeta/codemeta/master/codemeta.jsonld')
    return 'codemeta';
  // The service writes DataCite JSON in another spelling, which is not recognized here.
  if (/^http:\/\/datacite\.org\/schema\/kernel/.test(textOf(json['schema-version'])))
    return 'datacite_json';
  if (!isBlank(json['types']) && !isBlank(json['publication_year'])) return 'crosscite';
  return isItem(json['issued']) && !isBlank(json['issued']['date-parts']) ? 'citeproc' : undefined;
}

/**
 * The attributes in metadata of one of the formats: only the most common members.
 *
 * @throws XmlError when XML is not well-formed
 */
export function readFormat(format: Format, text: string): Record<string, unknown> {
  return filled(READERS[format](text));
}

const READERS = {
  datacite: readDataciteXml,
  // Both contain the attributes, spelled in kebab-case or in snake_case.
  datacite_json: (text: string) => camelCased(parsed(text)),
  crosscite: (text: string) => camelCased(parsed(text)),
  schema_org: (text: string) => fromSchemaOrg(parsed(text)),
  codemeta: (text: string) => fromCodemeta(parsed(text)),
  citeproc: (text: string) => fromCiteproc(parsed(text)),
  ris: fromRis,
  bibtex: fromBibtex,
} satisfies Readonly<Record<string, (text: string) => Item>>;

function isDatacite(text: string): boolean {
  try {
    return kernelOf(readXml(text.trim())) !== undefined;
  } catch (error) {
    if (error instanceof XmlError) return false;
    throw error;
  }
}

function parsed(text: string): Item {
  try {
    const value: unknown = JSON.parse(text);
    return isItem(value) ? value : {};
  } catch {
    return {};
  }
}

function camelCased(item: Item): Item {
  const spelled = (name: string) =>
    name.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [spelled(name), value]));
}

function person(familyName: unknown, givenName: unknown, more: Item = {}): Item {
  const name = [familyName, givenName].filter((part) => !isBlank(part)).join(', ');
  return filled({ nameType: 'Personal', name, givenName, familyName, ...more });
}

function subjectsOf(value: unknown): Item[] {
  const words = typeof value === 'string' ? value.split(', ') : wrap(value);
  return words.map((subject) => ({ subject }));
}

function abstract(value: unknown): Item[] {
  return isBlank(value) ? [] : [{ description: value, descriptionType: 'Abstract' }];
}

function dated(pairs: readonly (readonly [type: string, value: unknown])[]): Item[] {
  return pairs
    .filter(([, value]) => !isBlank(value))
    .map(([dateType, value]) => ({ date: textOf(value), dateType }));
}

function fromCiteproc(json: Item): Item {
  const parts = isItem(json['issued']) ? wrap(wrap(json['issued']['date-parts'])[0]) : [];
  const issued = parts.map((part) => String(part).padStart(2, '0')).join('-');
  const people = (name: string, more: Item = {}) =>
    items(json[name]).map((one) =>
      isBlank(one['family'])
        ? { nameType: 'Organizational', name: one['literal'] ?? one['given'], ...more }
        : person(one['family'], one['given'], more),
    );
  const type = textOf(json['type']);
  const authors = people('author');
  return {
    types: completeTypes(filled({ resourceTypeGeneral: CITATION_TYPES[type], citeproc: type })),
    url: json['URL'],
    titles: [{ title: json['title'] }],
    creators: authors.length > 0 ? authors : [{ nameType: 'Organizational', name: ':(unav)' }],
    contributors: [
      ...people('editor', { contributorType: 'Editor' }),
      ...people('translator', { contributorType: 'Translator' }),
    ],
    publisher: json['publisher'],
    dates: dated([['Issued', issued]]),
    publicationYear: issued.slice(0, 4),
    descriptions: abstract(json['abstract']),
    version: json['version'],
    subjects: subjectsOf(json['categories']),
  };
}

function fromSchemaOrg(json: Item): Item {
  const type = textOf(json['@type']);
  const publisher = json['publisher'];
  const language = json['inLanguage'];
  return {
    types: completeTypes(
      filled({
        resourceTypeGeneral: CREATIVE_WORK_TYPES[type],
        resourceType: json['additionalType'],
        schemaOrg: type,
      }),
    ),
    url: json['url'],
    titles: isBlank(json['name']) ? undefined : [{ title: json['name'] }],
    creators: agents(json['author'] ?? json['creator']),
    contributors: agents(json['editor'], { contributorType: 'Editor' }),
    publisher: isItem(publisher)
      ? filled({ name: publisher['name'], publisherIdentifier: publisher['@id'] })
      : publisher,
    dates: dates(json),
    publicationYear: textOf(json['datePublished']).slice(0, 4),
    descriptions: abstract(json['description']),
    version: json['version'],
    subjects: json['keywords'] === undefined ? undefined : subjectsOf(json['keywords']),
    language: isItem(language) ? (language['alternateName'] ?? language['name']) : language,
  };
}

function fromCodemeta(json: Item): Item {
  const type = textOf(json['@type']);
  return {
    types: completeTypes(
      filled({ resourceTypeGeneral: CREATIVE_WORK_TYPES[type], schemaOrg: type }),
    ),
    url: json['codeRepository'],
    titles: [{ title: json['title'] ?? json['name'] }],
    creators: agents(json['agents'] ?? json['authors']),
    publisher: json['publisher'],
    dates: dates(json),
    publicationYear: textOf(json['datePublished']).slice(0, 4),
    descriptions: abstract(json['description']),
    version: json['version'],
    subjects: json['tags'] === undefined ? undefined : subjectsOf(json['tags']),
  };
}

function dates(json: Item): Item[] {
  return dated([
    ['Issued', json['datePublished']],
    ['Created', json['dateCreated']],
    ['Updated', json['dateModified']],
  ]);
}

const NAME_TYPES = pairs('Person Personal,Organization Organizational,organization Organizational');

/** People and organizations of schema.org; their names are not changed. */
function agents(value: unknown, more: Item = {}): Item[] {
  return items(value).map((one) => {
    const id = textOf(one['@id'] ?? one['id']);
    const orcid = /orcid\.org\/([\dX-]+)/.exec(id)?.[1];
    const nameIdentifiers =
      orcid === undefined
        ? undefined
        : [
            {
              nameIdentifier: `https://orcid.org/${orcid}`,
              schemeUri: 'https://orcid.org',
              nameIdentifierScheme: 'ORCID',
            },
          ];
    const nameType = NAME_TYPES[textOf(one['@type'] ?? one['type'])];
    const { name, givenName, familyName } = one;
    return filled({ nameType, name, givenName, familyName, nameIdentifiers, ...more });
  });
}

function fromRis(text: string): Item {
  const lines = text.split('\n').map((line) => /^(\w\w) {2}- (.*?)\s*$/.exec(line) ?? []);
  const all = (tag: string) =>
    lines.filter(([, name]) => name === tag).map(([, , value = '']) => value);
  const one = (...tags: string[]) => tags.flatMap(all)[0];
  const issued = one('PY')
    ?.split('/')
    .filter((part) => part !== '')
    .join('-');
  const general =
    pairs(`BLOG Text,GEN Text,CTLG Collection,DATA Dataset,FIGURE Image,THES Dissertation,
    MPCT Audiovisual,JOUR JournalArticle,COMP Software,VIDEO Audiovisual,ELEC Text`);
  const ris = one('TY') ?? 'GEN';
  return {
    types: completeTypes(filled({ resourceTypeGeneral: general[ris], ris })),
    url: one('UR'),
    titles: all('T1').map((title) => ({ title })),
    creators: all('AU').map((name) => ({ name })),
    publisher: one('PB') ?? '(:unav)',
    dates: dated([['Issued', issued]]),
    publicationYear: issued?.slice(0, 4),
    descriptions: abstract(one('AB')),
    subjects: subjectsOf(all('KW')),
    language: one('LA'),
  };
}

function fromBibtex(text: string): Item {
  const [, kind = 'misc'] = /@(\w+)\s*\{/.exec(text) ?? [];
  const found = text.matchAll(/(\w+)\s*=\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|"([^"]*)"|(\w+))/g);
  const fields = new Map(
    [...found].map(([, name = '', braced, quoted, bare]) => [
      name.toLowerCase(),
      (braced ?? quoted ?? bare ?? '').replaceAll(/[{}]/g, ''),
    ]),
  );
  const general = pairs(`article JournalArticle,book Book,inbook BookChapter,misc Other,
    phdthesis Dissertation,proceedings ConferenceProceeding,techreport Report`);
  const authors = (fields.get('author') ?? '').split(' and ').filter((name) => name !== '');
  // The service takes the year from `date`, not from `year`.
  const date = fields.get('date');
  const title = fields.get('title');
  return {
    types: completeTypes(
      filled({ resourceTypeGeneral: general[kind.toLowerCase()], bibtex: kind }),
    ),
    url: fields.get('url'),
    titles: title === undefined ? [] : [{ title }],
    creators: authors.map((name) => {
      const [family = '', given] = name.includes(', ')
        ? name.split(', ')
        : [name.split(' ').at(-1), name.split(' ').slice(0, -1).join(' ')];
      return person(family, given);
    }),
    publisher: fields.get('publisher'),
    dates: dated([['Issued', date]]),
    publicationYear: date?.slice(0, 4),
    descriptions: abstract(fields.get('abstract')),
  };
}
