import { partsOf, type Writer } from './formats.ts';
import type { Item } from './values.ts';

/** The members of a record in DataCite JSON, in the order of the service. */
const MEMBERS =
  `url types creators titles publisher container subjects contributors dates publicationYear
  language identifiers sizes formats version rightsList descriptions geoLocations fundingReferences
  relatedIdentifiers relatedItems schemaVersion providerId clientId agency state`.split(/\s+/);

export const dataciteJson: Writer = (a) => record(a, (name) => name);

/** The same members, with names in snake_case. */
export const crosscite: Writer = (a) =>
  record(a, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

function record(a: Item, spelled: (name: string) => string): string {
  const { id, doi } = partsOf(a);
  const values: Item = { agency: 'datacite', ...a };
  const members = MEMBERS.filter((name) => values[name] !== undefined && values[name] !== null);
  const pairs = members.map((name) => [spelled(name), values[name]]);
  return JSON.stringify({ id, doi, ...Object.fromEntries(pairs) }, undefined, 2);
}
