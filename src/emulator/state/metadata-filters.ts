import type { Params } from '../http/params.ts';
import { type Item, items, textOf } from '../records/metadata/values.ts';
import { countryOf, FUNDER_RORS } from '../records/vocabulary.ts';

/** Whether the metadata of a record match the value of a parameter. */
type Test = (attributes: Item, value: string) => boolean;

/** The whole number at the beginning of a text; 0 for any other text, such as `true`. */
const number = (value: string) => Number(/^\s*[+-]?\d+/.exec(value)?.[0] ?? 0);
const list = (value: string) => value.split(',').map((item) => item.trim());

/** Whether a record has at least as many as the value of the parameter says. */
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

/** The filters that count, each with its attribute. */
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

/** Filters of which a record must pass all. */
const NARROWING: Readonly<Record<string, Test>> = {
  ...Object.fromEntries(Object.entries(COUNTS).map(([name, count]) => [name, atLeast(count)])),
  'has-person': (attributes) => hasScheme(items(attributes['creators']), 'ORCID'),
  'user-id': (attributes, value) => {
    const orcid = `https://orcid.org/${/[\dX-]+$/.exec(value)?.[0] ?? ''}`;
    const identifiers = items(attributes['creators']).flatMap((creator) =>
      items(creator['nameIdentifiers']),
    );
    return identifiers.some(({ nameIdentifier }) => nameIdentifier === orcid);
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
  // The emulator's repositories have no certificate, are not in these registries and do not belong
  // to a consortium. Landing pages are never checked.
  ...Object.fromEntries(
    `certificate re3data-id opendoar-id consortium-id link-check-status link-checked
    link-check-has-schema-org
    link-check-body-has-pid link-check-found-schema-org-id link-check-found-dc-identifier
    link-check-found-citation-doi link-check-redirect-count-gte`
      .split(/\s+/)
      .map((name) => [name, () => false]),
  ),
};

/** Filters of which, together with the account, a record must pass only one (service.md, F5). */
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
 * The tests for the parameters of a request. A count of 0 or less matches every record, so it needs
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
