import { type Item, isBlank, isItem, items, textOf, wrap } from './values.ts';

interface Parts {
  readonly a: Item;
  readonly doi: string;
  readonly id: string;
  readonly title: string;
  readonly creators: readonly Item[];
  readonly contributors: readonly Item[];
  readonly publisher: string;
  readonly year: string;
  readonly types: Item;
  readonly container: Item;
  readonly subjects: readonly string[];
  readonly rights: readonly Item[];
  readonly pages: string | undefined;
}

/** The values that the other formats need, from the attributes of a record. */
export function partsOf(a: Item): Parts {
  const { publisher } = a;
  const container = isItem(a['container']) ? a['container'] : {};
  const { firstPage, lastPage } = container;
  const doi = textOf(a['doi']);
  return {
    a,
    doi: doi.toUpperCase(),
    id: `https://doi.org/${doi}`,
    title: textOf(items(a['titles'])[0]?.['title']),
    creators: items(a['creators']),
    contributors: items(a['contributors']),
    publisher: textOf(isItem(publisher) ? publisher['name'] : publisher),
    year: textOf(a['publicationYear']),
    types: isItem(a['types']) ? a['types'] : {},
    container,
    subjects: items(a['subjects']).map((subject) => textOf(subject['subject'])),
    rights: items(a['rightsList']),
    pages: isBlank(firstPage)
      ? undefined
      : [firstPage, lastPage].filter((page) => !isBlank(page)).join('-'),
  };
}

/**
 * Text of a record in another format; `a` are its attributes with affiliations and publisher as
 * objects.
 */
export type Writer = (a: Item) => string;

const present = (value: Item): Item =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => !isBlank(member)));
const pretty = (value: Item) => JSON.stringify(present(value), undefined, 2);

export const bibtex: Writer = (a) => {
  const { doi, id, title, creators, publisher, year, types, container, subjects, rights, pages } =
    partsOf(a);
  const fields = [
    ['doi', doi],
    ['url', a['url']],
    ['author', names(creators)],
    ['keywords', subjects.join(', ')],
    ['language', a['language']],
    ['title', title],
    ['journal', container['title']],
    ['volume', container['volume']],
    ['issue', container['issue']],
    ['pages', pages],
    ['publisher', publisher],
    ['year', year],
    ['copyright', rights[0]?.['rights']],
  ].filter(([, value]) => !isBlank(value));
  const lines = fields.map(([name, value]) => `  ${name} = {${value}}`);
  return `@${String(types['bibtex'] ?? 'misc')}{${id},\n${lines.join(',\n')}\n}\n`;
};

export const ris: Writer = (a) => {
  const { doi, title, creators, publisher, year, types, container, subjects } = partsOf(a);
  const lines = [
    ['TY', types['ris'] ?? 'GEN'],
    ['T1', title],
    ['T2', container['title']],
    ...creators.map((author) => ['AU', author['name']]),
    ['DO', doi.toLowerCase()],
    ['UR', a['url']],
    ['AB', abstract(a)],
    ...subjects.map((subject) => ['KW', subject]),
    ['PY', year],
    ['PB', publisher],
    ['LA', a['language']],
    ['VL', container['volume']],
    ['IS', container['issue']],
    ['SP', container['firstPage']],
    ['EP', container['lastPage']],
  ].filter(([, value]) => !isBlank(value));
  return [...lines.map(([name, value]) => `${name}  - ${value}`), 'ER  - ', ''].join('\r\n');
};

export const citeproc: Writer = (a) => {
  const {
    doi,
    id,
    title,
    creators,
    contributors,
    publisher,
    year,
    types,
    container,
    rights,
    ...rest
  } = partsOf(a);
  const author = (people: readonly Item[]) =>
    people.map(({ familyName, givenName, name }) =>
      isBlank(familyName) ? { literal: name } : { family: familyName, given: givenName },
    );
  const only = (kind: string) =>
    author(contributors.filter(({ contributorType }) => contributorType === kind));
  const software = types['resourceTypeGeneral'] === 'Software' && !isBlank(a['version']);
  const issued = issuedOn(a) ?? year;
  return pretty({
    type: software ? 'book' : types['citeproc'],
    id,
    categories: rest.subjects,
    language: a['language'],
    author:
      creators.length === 1 && creators[0]?.['name'] === ':(unav)' ? undefined : author(creators),
    contributor: author(contributors),
    editor: only('Editor'),
    translator: only('Translator'),
    issued: issued === '' ? undefined : { 'date-parts': [issued.split('-').map(Number)] },
    abstract: items(a['descriptions'])[0]?.['description'],
    'container-title':
      container['title'] ?? (types['citeproc'] === 'article-journal' ? publisher : undefined),
    DOI: doi,
    volume: container['volume'],
    issue: container['issue'],
    page: rest.pages,
    'page-first': container['firstPage'],
    publisher,
    title,
    URL: a['url'],
    copyright: rights[0]?.['rights'],
    version: a['version'],
  });
};

export const schemaOrg: Writer = (a) => {
  const { id, title, creators, contributors, publisher, year, types, container, subjects, rights } =
    partsOf(a);
  const related = (relation: string) =>
    items(a['relatedIdentifiers'])
      .filter(({ relationType }) => relationType === relation)
      .map(({ relatedIdentifier, relatedIdentifierType, resourceTypeGeneral }) => ({
        '@id':
          relatedIdentifierType === 'DOI'
            ? `https://doi.org/${textOf(relatedIdentifier)}`
            : relatedIdentifier,
        '@type': resourceTypeGeneral ?? 'CreativeWork',
      }));
  const publisherId = isItem(a['publisher']) ? a['publisher']['publisherIdentifier'] : undefined;
  return pretty({
    '@context': 'http://schema.org',
    '@type': types['schemaOrg'],
    '@id': id,
    identifier: one(identifiers(a)),
    url: a['url'],
    additionalType: types['resourceType'],
    name: title,
    author: one(creators.map(agent)),
    editor: one(contributors.map(agent)),
    description: abstract(a),
    license: one(rights.map(({ rightsUri }) => rightsUri).filter((uri) => !isBlank(uri))),
    version: a['version'],
    keywords: subjects.join(', '),
    inLanguage: a['language'],
    contentSize: one(wrap(a['sizes'])),
    encodingFormat: one(wrap(a['formats'])),
    dateCreated: dateOf(a, 'Created'),
    datePublished: issuedOn(a) ?? year,
    dateModified: dateOf(a, 'Updated'),
    pageStart: container['firstPage'],
    pageEnd: container['lastPage'],
    isPartOf: one(related('IsPartOf')),
    hasPart: one(related('HasPart')),
    citation: one(related('References')),
    schemaVersion: a['schemaVersion'],
    publisher:
      publisher === ''
        ? undefined
        : { '@type': 'Organization', '@id': publisherId, name: publisher },
    funder: one(
      items(a['fundingReferences']).map(({ funderIdentifier, funderName }) => ({
        '@type': 'Organization',
        '@id': funderIdentifier,
        name: funderName,
      })),
    ),
    provider: { '@type': 'Organization', name: 'datacite' },
  });
};

export const codemeta: Writer = (a) => {
  const { id, title, creators, publisher, year, types, subjects, rights } = partsOf(a);
  return pretty({
    '@context': 'https://raw.githubusercontent.com/codemeta/codemeta/master/codemeta.jsonld',
    '@type': types['schemaOrg'],
    '@id': id,
    identifier: one(identifiers(a)),
    codeRepository: a['url'],
    name: title,
    authors: creators,
    description: items(a['descriptions'])[0]?.['description'],
    version: a['version'],
    tags: subjects,
    datePublished: issuedOn(a) ?? year,
    dateModified: dateOf(a, 'Updated'),
    publisher,
    license: one(rights.map(({ rightsUri }) => rightsUri).filter((uri) => !isBlank(uri))),
  });
};

export const CSV_HEADER =
  'doi,url,registered,state,resourceTypeGeneral,resourceType,' +
  'title,author,publisher,publicationYear';

export const csv: Writer = (a) => {
  const { doi, title, creators, publisher, year, types } = partsOf(a);
  const [url, registered, state] = [a['url'], a['registered'], a['state']].map(textOf);
  const { resourceTypeGeneral, resourceType } = types;
  const row = [doi, url, registered, state, resourceTypeGeneral, resourceType, title];
  const cells = [...row, names(creators), publisher, year].map((cell) => {
    const text = textOf(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${CSV_HEADER}\n${cells.join(',')}\n`;
};

/** The item of a list with one item, undefined for an empty list, or else the list. */
function one(list: readonly unknown[]): unknown {
  return list.length > 1 ? list : list[0];
}

function names(creators: readonly Item[]): string {
  return creators.map(({ name }) => textOf(name)).join(' and ');
}

function agent({
  nameType,
  name,
  givenName,
  familyName,
  affiliation,
  nameIdentifiers,
}: Item): Item {
  const places = items(affiliation).map((place) => ({
    '@type': 'Organization',
    name: place['name'],
  }));
  const id = items(nameIdentifiers)[0]?.['nameIdentifier'];
  const type = nameType === 'Organizational' ? 'Organization' : 'Person';
  return present({
    '@type': type,
    '@id': id,
    name,
    givenName,
    familyName,
    affiliation: one(places),
  });
}

function identifiers(a: Item): Item[] {
  return items(a['identifiers']).map(({ identifier, identifierType }) => ({
    '@type': 'PropertyValue',
    propertyID: identifierType,
    value: identifier,
  }));
}

function abstract(a: Item): unknown {
  const found = items(a['descriptions']).find(({ descriptionType: type }) => type === 'Abstract');
  return found?.['description'];
}

function dateOf(a: Item, type: string): string | undefined {
  const date = items(a['dates']).find(({ dateType }) => dateType === type)?.['date'];
  return isBlank(date) ? undefined : textOf(date);
}

export function issuedOn(a: Item): string | undefined {
  return dateOf(a, 'Issued');
}
