import { ByteWriter } from '../records/byte-writer.ts';
import type { Corpus } from '../records/corpus.ts';
import type { Item } from '../records/metadata/values.ts';
import type { Kind } from '../records/pattern.ts';
import type { TimeField } from '../records/ranges.ts';

/** The times of one record in seconds since 1970; `published` is a year. */
export type Times = Readonly<Record<TimeField, number | undefined>>;

/**
 * A record with everything that a search needs; affiliations and publisher in `attributes` are
 * objects.
 */
export interface Searched {
  readonly doi: string;
  readonly kind: Kind;
  readonly times: Times;
  readonly attributes: Item;
}

const EVERYTHING = { detail: false, affiliation: true, publisher: true };

/**
 * A generated record, parsed from its text.
 *
 * @param fields the attributes to read; all by default
 */
export function searchedAt(corpus: Corpus, index: number, fields?: ReadonlySet<string>): Searched {
  const out = new ByteWriter(5000);
  corpus.write(out, index, { ...EVERYTHING, fields });
  const { attributes } = JSON.parse(out.finish().toString()) as { attributes: Item };
  return {
    doi: corpus.doi(index),
    kind: corpus.kind(index),
    times: timesAt(corpus, index),
    attributes,
  };
}

export function timesAt({ timeline }: Corpus, index: number): Times & { readonly created: number } {
  return {
    created: timeline.created(index),
    updated: timeline.updated(index),
    registered: timeline.registered(index),
    published: timeline.publicationYear(index),
  };
}
