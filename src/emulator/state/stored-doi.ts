import type { ByteWriter } from '../records/byte-writer.ts';
import { relationshipsText } from '../records/corpus.ts';
import { people } from '../records/metadata/complete.ts';
import { type Item, isItem, items } from '../records/metadata/values.ts';
import type { Kind } from '../records/pattern.ts';
import type { View } from '../records/source.ts';
import type { Times } from './searched.ts';

/** A DOI that a client created; it is kept in memory. */
export interface StoredDoi {
  readonly doi: string;
  readonly kind: Kind;
  readonly times: Times & { readonly created: number };
  /** The `attributes` member in the order in which it is sent. */
  readonly attributes: Item;
  /** Its XML; undefined for a Draft without metadata. */
  readonly xml: string | undefined;
}

/** Writes the resource object. */
export function writeStored(out: ByteWriter, record: StoredDoi, view: View): void {
  const plain = shown(record.attributes, view);
  const members = view.detail ? withDetails(record, plain) : plain;
  const more = view.agency ? { ...members, agency: 'datacite' } : members;
  const wanted = Object.entries(more)
    .filter(([name]) => view.fields?.has(name) ?? true)
    .filter(([name]) => name !== 'landingPage' || view.landingPage);
  const resource = { id: record.doi, type: 'dois', attributes: Object.fromEntries(wanted) };
  out.text(JSON.stringify(resource).slice(0, -1));
  out.ascii(`,"relationships":${relationshipsText(record.doi, record.kind, view)}}`);
}

/** The attributes for an answer. */
export function shown(
  attributes: Item,
  view: Pick<View, 'affiliation' | 'publisher' | 'single'>,
): Item {
  const { publisher, doi, url } = attributes;
  const staff = (value: unknown) =>
    people(value).map((person) => ({
      ...person,
      affiliation: items(person['affiliation']).map((place) =>
        view.affiliation ? place : place['name'],
      ),
    }));
  return {
    ...attributes,
    identifiers: items(attributes['identifiers']).filter(
      ({ identifier }) => identifier !== url && String(identifier).toLowerCase() !== doi,
    ),
    creators: staff(attributes['creators']),
    publisher: isItem(publisher) && !view.publisher ? (publisher['name'] ?? null) : publisher,
    contributors: staff(attributes['contributors']),
    published: view.single ? (attributes['published'] ?? '') : null,
  };
}

/** Adds, each in its place, the members that only a single record or a list with `detail` has. */
function withDetails({ doi, xml }: StoredDoi, attributes: Item): Item {
  const slash = doi.indexOf('/');
  const alternateIdentifiers = items(attributes['identifiers']).map(
    ({ identifier, identifierType }) => ({
      alternateIdentifierType: identifierType,
      alternateIdentifier: identifier,
    }),
  );
  const before: Readonly<Record<string, Item>> = {
    identifiers: { prefix: doi.slice(0, slash), suffix: doi.slice(slash + 1) },
    creators: { alternateIdentifiers },
    url: { xml: xml === undefined ? null : Buffer.from(xml).toString('base64') },
    downloadCount: { viewsOverTime: [] },
    referenceCount: { downloadsOverTime: [] },
    partCount: { citationsOverTime: [] },
  };
  const members = Object.entries(attributes);
  return Object.assign(
    {},
    ...members.map(([name, value]) => ({ ...before[name], [name]: value })),
  ) as Item;
}
