import { usageError } from '../../../errors.ts';

/** A creator of a record, as options say it. */
export interface Creator {
  readonly name: string;
  readonly nameType?: 'Personal';
  readonly givenName?: string;
  readonly familyName?: string;
  readonly nameIdentifiers?: readonly object[];
  readonly affiliation?: readonly object[];
}

/** The options that say what a record holds. */
export interface AttributeOptions {
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

/** The attributes that the options say; undefined where there are none of them. */
export function attributesOf(options: AttributeOptions): Record<string, unknown> | undefined {
  const { doi, prefix, title, creator, publisher, year, type, url, description, subject } = options;
  const attributes = {
    doi,
    prefix,
    creators: creator,
    titles: title?.map((text) => ({ title: text })),
    publisher: publisher === undefined ? undefined : { name: publisher },
    publicationYear: year,
    types: type === undefined ? undefined : { resourceTypeGeneral: type },
    subjects: subject?.map((text) => ({ subject: text })),
    descriptions: description?.map((text) => ({ description: text, descriptionType: 'Abstract' })),
    url,
  };
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/**
 * @throws {CliError} kind `usage` where a DOI is given and a prefix that it is not below.
 */
export function refuseBoth({ doi, prefix }: AttributeOptions): void {
  if (doi === undefined || prefix === undefined) return;
  throw usageError('--doi and --prefix exclude each other', 'with --prefix the service makes a suffix');
}

/**
 * A creator as typed: `Family, Given`, or an organization's name without a comma, and behind semicolons its
 * `orcid=…` and any number of `affiliation=…`, each the name of one.
 */
export function parseCreator(text: string): Creator {
  const [name = '', ...parts] = text.split(/;(?=\s*[a-z]+=)/i).map((part) => part.trim());
  if (name === '') throw new Error('the value must begin with a name, such as "Family, Given"');
  const nameIdentifiers: object[] = [];
  const affiliation: object[] = [];
  for (const part of parts) {
    const [, key = '', value = ''] = /^([a-z]+)=\s*(.*)$/is.exec(part) ?? [];
    if (value === '') throw new Error(`'${key}=' has no value`);
    if (key.toLowerCase() === 'orcid') nameIdentifiers.push(orcid(value));
    else if (key.toLowerCase() === 'affiliation') affiliation.push({ name: nameIn(value) });
    else throw new Error(`'${key}' is not known behind a creator; there are orcid= and affiliation=`);
  }
  const [family = '', given = ''] = name.split(/,(.*)/s).map((part) => part.trim());
  const personal = family !== '' && given !== '';
  return {
    name: personal ? `${family}, ${given}` : name,
    ...(personal ? { nameType: 'Personal', givenName: given, familyName: family } : {}),
    ...(nameIdentifiers.length > 0 ? { nameIdentifiers } : {}),
    ...(affiliation.length > 0 ? { affiliation } : {}),
  };
}

/** A name: an identifier in its place would be published as what the affiliation is called. */
function nameIn(value: string): string {
  if (!/^(https?:\/\/|ror\.org\/)/i.test(value)) return value;
  throw new Error(
    `affiliation= takes a name, and '${value}' is an identifier, which a file or --edit can hold`,
  );
}

function orcid(value: string): object {
  const bare = value.replace(/^https?:\/\/orcid\.org\//i, '');
  return {
    nameIdentifier: `https://orcid.org/${bare}`,
    nameIdentifierScheme: 'ORCID',
    schemeUri: 'https://orcid.org',
  };
}
