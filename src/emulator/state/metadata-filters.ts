import type { Params } from '../http/params.ts';
import { type Item, items, textOf } from '../records/metadata/values.ts';
import { countryOf, FUNDER_RORS } from '../records/vocabulary.ts';

/** Whether the metadata of a record match the value of a parameter. */
type Test = (attributes: Item, value: string) => boolean;

/** A whole number at the beginning of a text, and 0 for any other text, such as `true`. */
const number = (value: string) => Number(/^\s*[+-]?\d+/.exec(value)?.[0] ?? 0);
const list = (value: string) => value.split(',').map((one) => one.trim());

/** A record has at least the number that is the value. */
const atLeast =
  (count: string): Test =>
  (attributes, value) =>
    Number(attributes[count] ?? 0) >= number(value);

const people = (attributes: Item) => [
  ...items(attributes['creators']),
  ...items(attributes['contributors']),
];
const affiliations = (attributes: Item) =>
  people(attributes).flatMap((person) => items(person['affiliation']));
const rorOf = (value: unknown) => /(0\w{6}\d{2})\/?$/.exec(textOf(value))?.[1];
const funders = (attributes: Item) => items(attributes['fundingReferences']);
const funderRor = ({ funderIdentifier }: Item) =>
  FUNDER_RORS[textOf(funderIdentifier).replace(/^.*10\.13039\//, '')] ?? rorOf(funderIdentifier);
const hasScheme = (persons: readonly Item[], scheme: string) =>
  persons
    .flatMap((person) => items(person['nameIdentifiers']))
    .some(({ nameIdentifierScheme }) => nameIdentifierScheme === scheme);

/** The filters that count, each with the attribute that it looks at. */
const COUNTS: Readonly<Record<string, string>> = {
  'has-citations': 'citationCount',
  'has-references': 'referenceCount',
  'has-parts': 'partCount',
  'has-part-of': 'partOfCount',
  'has-versions': 'versionCount',
  'has-version-of': 'versionOfCount',
  'has-views': 'viewCount',
  'has-downloads': 'downloadCount',
};

/** Filters that narrow each other. */
const NARROWING: Readonly<Record<string, Test>> = {
  ...Object.fromEntries(Object.entries(COUNTS).map(([name, count]) => [name, atLeast(count)])),
  'has-person': (attributes) => hasScheme(items(attributes['creators']), 'ORCID'),
  'user-id': (attributes, value) => {
    const orcid = `https://orcid.org/${/[\dX-]+$/.exec(value)?.[0] ?? ''}`;
    const own = items(attributes['creators']).flatMap((creator) =>
      items(creator['nameIdentifiers']),
    );
    return own.some(({ nameIdentifier }) => nameIdentifier === orcid);
  },
  'resource-type': ({ types }, value) =>
    list(value).includes(textOf((types as Item)['resourceType'])),
  'schema-version': ({ schemaVersion }, value) =>
    schemaVersion === `http://datacite.org/schema/kernel-${value}`,
  subject: ({ subjects }, value) =>
    items(subjects).some(({ subject }) => value.split(',').includes(textOf(subject))),
  'field-of-science': ({ subjects }, value) => {
    const wanted = list(value).map((name) => `fos: ${name.replaceAll('_', ' ').toLowerCase()}`);
    return items(subjects).some(({ subject }) => wanted.includes(textOf(subject).toLowerCase()));
  },
  // The index compares licenses in lower case (lupo: app/models/doi.rb, `normalizer`).
  license: ({ rightsList }, value) =>
    items(rightsList).some(({ rightsIdentifier }) =>
      list(value.toLowerCase()).includes(textOf(rightsIdentifier).toLowerCase()),
    ),
  source: ({ source }, value) => source === value,
  'affiliation-country': (attributes, value) => {
    const wanted = list(value.toUpperCase());
    return affiliations(attributes).some((place) =>
      wanted.includes(countryOf(rorOf(place['affiliationIdentifier']) ?? '')),
    );
  },
  'funded-by': (attributes, value) =>
    funders(attributes).some((funder) => funderRor(funder) === rorOf(value)),
  // The repositories of the emulator have no certificate and no entry in these registries, and
  // belong to no consortium. No landing page was ever checked.
  ...Object.fromEntries(
    `certificate re3data-id opendoar-id consortium-id link-check-status link-checked
    link-check-has-schema-org
    link-check-body-has-pid link-check-found-schema-org-id link-check-found-dc-identifier
    link-check-found-citation-doi link-check-redirect-count-gte`
      .split(/\s+/)
      .map((name) => [name, () => false]),
  ),
};

/** Filters that widen each other, together with the account of a record (service.md, F5). */
const WIDENING: Readonly<Record<string, Test>> = {
  'affiliation-id': (attributes, value) =>
    affiliations(attributes).some(
      (place) => rorOf(place['affiliationIdentifier']) === rorOf(value),
    ),
  'funder-id': (attributes, value) => {
    const wanted = list(value).map((id) => id.replace(/^.*10\.13039\//, '').toLowerCase());
    return funders(attributes).some(({ funderIdentifier }) =>
      wanted.includes(textOf(funderIdentifier).replace(/^.*10\.13039\//, '')),
    );
  },
  'has-affiliation': (attributes) =>
    affiliations(attributes).some(
      ({ affiliationIdentifierScheme }) => affiliationIdentifierScheme === 'ROR',
    ),
  'has-organization': (attributes) => hasScheme(people(attributes), 'ROR'),
  'has-funder': (attributes) =>
    funders(attributes).some(
      ({ funderIdentifierType }) => funderIdentifierType === 'Crossref Funder ID',
    ),
};

/** The parameters that need the metadata of the records. */
export const METADATA_PARAMETERS: readonly string[] = [
  ...Object.keys(NARROWING),
  ...Object.keys(WIDENING),
];

/**
 * The tests of the parameters that were sent. A count of 0 or less matches everything, so it needs
 * no test.
 */
export function metadataTests(params: Params): {
  readonly narrowing: readonly ((attributes: Item) => boolean)[];
  readonly widening: readonly ((attributes: Item) => boolean)[];
} {
  const sent = (tests: Readonly<Record<string, Test>>) =>
    Object.entries(tests).flatMap(([name, test]) => {
      const value = params.get(name)?.trim() ?? '';
      if (value === '' || (name in COUNTS && number(value) <= 0)) return [];
      return [(attributes: Item) => test(attributes, value)];
    });
  return { narrowing: sent(NARROWING), widening: sent(WIDENING) };
}
