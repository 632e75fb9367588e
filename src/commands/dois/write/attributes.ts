import { holdsOrcid, holdsSemicolon } from '../../../metadata/texts.ts';
import { refuseKey } from '../../../text/api-key.ts';
import { parseDoi, parsePrefix } from '../../../text/doi.ts';
import { parseText } from '../../../text/parsers.ts';

interface Creator {
  readonly name: string;
  readonly nameType?: 'Personal';
  readonly givenName?: string;
  readonly familyName?: string;
  readonly nameIdentifiers?: readonly object[];
  readonly affiliation?: readonly object[];
}

/** The options that describe a record. */
export interface AttributeOptions {
  /** A DOI, or a prefix alone. */
  readonly doi?: string;
  readonly prefix?: string;
  readonly title?: readonly string[];
  readonly creator?: readonly Creator[];
  readonly publisher?: string;
  readonly year?: number;
  readonly type?: string;
  readonly url?: string;
  readonly description?: readonly string[];
  readonly subject?: readonly string[];
}

/** The attributes of the options; undefined if none is used. */
export function attributesOf(options: AttributeOptions): Record<string, unknown> | undefined {
  const { doi, title, creator, publisher, year, type, url, description, subject } = options;
  const isPrefix = doi?.includes('/') === false;
  const attributes = {
    doi: isPrefix ? undefined : doi,
    prefix: isPrefix ? doi : options.prefix,
    creators: creator,
    titles: title?.map((text) => ({ title: text })),
    publisher: publisher === undefined ? undefined : { name: publisher },
    publicationYear: year,
    types: type === undefined ? undefined : { resourceTypeGeneral: type },
    subjects: subject?.map((text) => ({ subject: text })),
    descriptions: description?.map((text) => ({ description: text, descriptionType: 'Abstract' })),
    url,
  };
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Parses the DOI of a new record, or a prefix alone. */
export function parseNewDoi(text: string): string {
  return /^\s*10\.[\d.]+\s*$/.test(text) ? parsePrefix(text) : parseDoi(text);
}

/** Parses the reason for hiding a record, of at most 255 characters (service.md, W15). */
export function parseReason(text: string): string {
  const { length } = [...parseText(text)];
  if (length > 255) throw new Error(`a reason has at most 255 characters; this one has ${length}`);
  return text;
}

/** Parses a creator: `Family, Given` or an organization; then `;orcid=…`, `;affiliation=…`. */
export function parseCreator(text: string): Creator {
  const [name = '', ...parts] = text.split(/;(?=\s*[a-z]+=)/i).map((part) => part.trim());
  if (name === '') throw new Error('the value must begin with a name, such as "Family, Given"');
  refuseKey(name);
  refuseSeveral(name);
  const nameIdentifiers: object[] = [];
  const affiliation: object[] = [];
  for (const part of parts) {
    const [, key = '', value = ''] = /^([a-z]+)=\s*(.*)$/is.exec(part) ?? [];
    if (value === '') throw new Error(`'${key}=' has no value`);
    if (key.toLowerCase() === 'orcid') nameIdentifiers.push(orcid(value));
    else if (key.toLowerCase() === 'affiliation')
      affiliation.push({ name: affiliationName(value) });
    else throw new Error(`'${key}' is not known after a creator; use orcid= or affiliation=`);
  }
  const [familyName = '', givenName = ''] = name.split(/,(.*)/s).map((part) => part.trim());
  const personal = familyName !== '' && givenName !== '';
  return {
    name: personal ? `${familyName}, ${givenName}` : name,
    ...(personal ? { nameType: 'Personal', givenName, familyName } : {}),
    ...(nameIdentifiers.length > 0 ? { nameIdentifiers } : {}),
    ...(affiliation.length > 0 ? { affiliation } : {}),
  };
}

/** Refuses what would be published as a part of the name: an ORCID iD, or another person. */
function refuseSeveral(name: string): void {
  if (holdsOrcid(name))
    throw new Error('write the ORCID iD as ;orcid=, such as "Doe, Jane;orcid=0000-0002-1825-0097"');
  if (holdsSemicolon(name) || /,.*\s(?:and|&)\s.*,/i.test(name))
    throw new Error('a creator is one person or organization: repeat --creator for each');
}

/** Refuses an identifier: it would be published as the name of the affiliation. */
function affiliationName(value: string): string {
  if (!/^(https?:\/\/|ror\.org\/)/i.test(value)) return value;
  throw new Error(`affiliation= takes a name, and '${value}' is an identifier: use --file for it`);
}

function orcid(value: string): object {
  const bare = value.replace(/^https?:\/\/orcid\.org\//i, '');
  return {
    nameIdentifier: `https://orcid.org/${bare}`,
    nameIdentifierScheme: 'ORCID',
    schemeUri: 'https://orcid.org',
  };
}

/** Parses a `--map`: the head of a column, and a path, which is checked when the file is read. */
export function parseMapping(text: string): readonly [head: string, path: string] {
  const at = text.lastIndexOf('=');
  const [head, path] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at >= 0 && head !== '') return [head, path];
  const problem = at < 0 ? 'has no path: write it as one word,' : 'is not a column and a path';
  throw new Error(`'${text}' ${problem} such as Title=titles[0].title`);
}
