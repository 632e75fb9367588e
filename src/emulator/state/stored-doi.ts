import type { ByteWriter } from '../records/byte-writer.ts';
import { relationshipsText } from '../records/corpus.ts';
import type { Kind } from '../records/pattern.ts';
import type { View } from '../records/source.ts';
import type { Times } from './filter.ts';

/** A DOI that a client created; kept in memory. */
export interface StoredDoi {
  readonly doi: string;
  readonly kind: Kind;
  readonly times: Times & { readonly created: number };
  /** The `attributes` member in the order in which it is sent. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The XML that the record was made from, as it was sent. */
  readonly xml?: string | undefined;
}

/** Writes the resource object. */
export function writeStored(out: ByteWriter, record: StoredDoi, view: View): void {
  const attributes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record.attributes)) {
    if (view.fields === undefined || view.fields.has(name)) attributes[name] = spelled(name, value, view);
  }
  if (view.detail && record.xml !== undefined && (view.fields?.has('xml') ?? true)) {
    attributes['xml'] = Buffer.from(record.xml).toString('base64');
  }
  out.text(JSON.stringify({ id: record.doi, type: 'dois', attributes }).slice(0, -1));
  out.ascii(`,"relationships":${relationshipsText(record.kind, view)}}`);
}

function spelled(name: string, value: unknown, view: View): unknown {
  if (name === 'publisher') return view.publisher ? asObject(value) : nameOf(value);
  if (name !== 'creators' && name !== 'contributors') return value;
  if (!Array.isArray(value)) return value;
  return value.map((person: unknown) => {
    if (typeof person !== 'object' || person === null || !('affiliation' in person)) return person;
    const { affiliation } = person;
    const list: unknown[] = Array.isArray(affiliation) ? affiliation : [affiliation];
    return { ...person, affiliation: list.map(view.affiliation ? asObject : nameOf) };
  });
}

function asObject(value: unknown): unknown {
  return typeof value === 'string' ? { name: value } : value;
}

function nameOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'name' in value ? value.name : value;
}
