import { type Item, isBlank, isItem, textOf, wrap } from './values.ts';
import { LISTS } from './vocabulary.ts';
import { readXml, XmlError } from './xml.ts';
import { violations } from './xsd.ts';

/** An error in a record; its source is the attribute in snake_case (service.md, E2). */
export type Wrong = readonly [source: string, title: string];

/** The version of the schema that the service assumes for updates and for foreign formats. */
export const KERNEL_4 = 'http://datacite.org/schema/kernel-4';

const kernels = (...names: string[]) =>
  names.map((name) => `http://datacite.org/schema/kernel-${name}`);
const OLD_KERNELS = kernels('2.1', '2.2', '3.0', '3.1', '3');
const CHECKED_KERNELS = kernels('4', '4.0', '4.1', '4.2', '4.3');

/** A record that is about to be written. */
export interface Candidate {
  readonly doi: string;
  readonly attributes: Item;
  readonly xml: string | undefined;
  /** Whether it is new, so that the characters of its DOI are checked. */
  readonly isNew: boolean;
  /** Whether it has, or gets, an address in the Handle System: it is Registered or Findable. */
  readonly resolves: boolean;
  /** Whether its metadata must be complete. */
  readonly complete: boolean;
}

/**
 * The errors of a record, at most one for each attribute, in the order of the service's checks
 * (service.md, W5, W6, W10).
 */
export function wrongIn(record: Candidate): Wrong[] {
  const { attributes, doi } = record;
  const wrong: Wrong[] = [];
  const { url } = attributes;
  if (isBlank(doi)) wrong.push(['doi', "Can't be blank"]);
  if (record.resolves && isBlank(url)) wrong.push(['url', "Can't be blank"]);
  if (record.isNew && !/^10\.\d{4,5}\/[-._;()/:a-zA-Z0-9*~$=]+$/.test(doi))
    wrong.push(['doi', 'Is invalid']);
  if (!isBlank(url) && !/^(ftp|http|https):\/\/[^ \t\r\n\f\v]+$/.test(textOf(url)))
    wrong.push(['url', 'URL is not valid']);
  if (record.complete) wrong.push(...wrongPublisher(attributes['publisher']), ...wrongXml(record));
  wrong.push(...wrongTexts(attributes), ...wrongContributors(attributes));
  for (const rights of wrap(attributes['rightsList'])) {
    if (isItem(rights) && textOf(rights['rights']).length > 2000) {
      wrong.push(['rights_list', 'Rights should not have a length of more than 2000 characters.']);
    }
  }
  return wrong.filter(
    ([source], place) => wrong.findIndex(([other]) => other === source) === place,
  );
}

/**
 * Whether the XML of a valid record violates the schema that it declares. The service checks this
 * last, and reports no attribute: "metadata: Is invalid".
 */
export function hasInvalidMetadata({ xml, attributes }: Candidate): boolean {
  if (xml === undefined || CHECKED_KERNELS.includes(textOf(attributes['schemaVersion'])))
    return false;
  return violationsOf(xml)?.length !== 0;
}

/** The schema errors of XML; undefined if it is not well-formed. */
function violationsOf(xml: string): ReturnType<typeof violations> | undefined {
  try {
    return violations(readXml(xml));
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

/** The schema errors of the XML, for the versions that the service checks by attribute. */
function wrongXml({ doi, xml, attributes }: Candidate): Wrong[] {
  if (xml === undefined) return [['xml', "Can't be blank"]];
  const version = textOf(attributes['schemaVersion']);
  if (OLD_KERNELS.includes(version)) {
    return [['xml', `DOI ${doi}: Schema ${version} is no longer supported`]];
  }
  if (!CHECKED_KERNELS.includes(version)) return [];
  const found = violationsOf(xml)?.map(
    ({ place, text, line }): Wrong => [
      SOURCES[place] ?? place,
      `DOI ${doi}: ${text} at line ${line}, column 0`,
    ],
  );
  return found ?? [['xml', 'Start tag expected, or the document is not well-formed']];
}

/** The name of an attribute in snake_case. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The attribute of a record for an element of the XML, if its name differs. */
const SOURCES: Readonly<Record<string, string>> = {
  date: 'dates',
  alternateIdentifiers: 'identifiers',
  version: 'version_info',
  resource: 'xml',
  ...Object.fromEntries(
    'publicationYear relatedIdentifiers relatedItems geoLocations rightsList fundingReferences'
      .split(' ')
      .map((name) => [name, snake(name)]),
  ),
};

/** The attributes whose values must be objects (service.md, S3). */
const OBJECTS =
  `dates rightsList titles descriptions types container subjects creators contributors landingPage
  identifiers relatedIdentifiers relatedItems fundingReferences geoLocations`.split(/\s+/);

/** The noun in messages, if it is not the name without its `s`. */
const NOUNS: Readonly<Record<string, string>> = {
  rightsList: 'Rights',
  types: 'Types',
  geoLocations: 'Geolocation',
};

/** The attributes that the service first turns into lists, so that a blank text is an item. */
const WRAPPED =
  'dates identifiers relatedIdentifiers relatedItems fundingReferences geoLocations'.split(' ');

/** The members of a publisher must be texts (lupo's schemas/doi/publisher.json). */
function wrongPublisher(publisher: unknown): Wrong[] {
  const [name] =
    Object.entries(isItem(publisher) ? publisher : {}).find(
      ([, value]) => typeof value !== 'string',
    ) ?? [];
  return name === undefined ? [] : [['publisher_obj', `Value at \`/${name}\` is not a string`]];
}

function wrongTexts(attributes: Item): Wrong[] {
  return OBJECTS.flatMap((name) =>
    wrap(attributes[name])
      .filter(
        (item) => !isItem(item) && (!isBlank(item) || (item !== null && WRAPPED.includes(name))),
      )
      .map((item): Wrong => {
        const word = snake(name).replace('_', ' ').replace(/s$/, '');
        const noun = NOUNS[name] ?? word.charAt(0).toUpperCase() + word.slice(1);
        const shown = name === 'dates' ? String(item) : `'${String(item)}'`;
        return [snake(name), `${noun} ${shown} should be an object instead of a string.`];
      }),
  );
}

function wrongContributors(attributes: Item): Wrong[] {
  if (attributes['schemaVersion'] !== KERNEL_4) return [];
  return wrap(attributes['contributors'])
    .filter(isItem)
    .map(({ contributorType, ...rest }): Wrong | undefined => {
      const shown = rubyHash({ contributorType, ...rest });
      if (isBlank(contributorType)) {
        return [
          'contributors',
          `Contributor '${shown}' is missing a required element: contributor type.`,
        ];
      }
      if (LISTS.contributorType.includes(String(contributorType))) return undefined;
      const unsupported = `not supported in schema 4: '${String(contributorType)}'.`;
      return [
        'contributors',
        `Contributor '${shown}' has a contributor type that is ${unsupported}`,
      ];
    })
    .filter((wrong) => wrong !== undefined);
}

/** An object as Ruby prints it. */
function rubyHash(value: Item): string {
  const printed = (member: unknown) => (member === null ? 'nil' : JSON.stringify(member));
  const pairs = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `"${name}"=>${printed(member)}`);
  return `{${pairs.join(', ')}}`;
}
