import { ATTRIBUTES, DETAILS, type Write } from './attributes.ts';
import type { ByteWriter } from './byte-writer.ts';
import { buildFragments, type Fragments } from './fragments.ts';
import { mix } from './hash.ts';
import { candidateIndices, doiOf } from './names.ts';
import { buildPattern, type Kind, type Pattern } from './pattern.ts';
import { type Source, titleOf, type View, wealthOf } from './source.ts';
import { lowest, Timeline } from './timeline.ts';
import { isoSeconds } from './times.ts';

/**
 * With more records, two groups would share a second, and the order within a second would differ
 * from the order of indexes.
 */
export const MAX_RECORDS = 500_000_000;

/**
 * The generated DOI records. None is stored: a record is a pure function of the seed, the number of
 * records (which sets the spacing of the timeline) and its index. Index order is the order of
 * creation time and DOI.
 */
export class Corpus {
  readonly size: number;
  readonly seed: number;
  readonly pattern: Pattern;
  readonly timeline: Timeline;
  readonly #fragments: Fragments;

  /** @param ownerId the repository account, in lower case, that owns the demonstration records */
  constructor(seed: number, size: number, ownerId: string) {
    this.seed = seed;
    this.size = size;
    this.pattern = buildPattern(seed, ownerId);
    this.timeline = new Timeline(this.pattern, seed, size);
    this.#fragments = buildFragments(seed, this.pattern.clients);
  }

  doi(index: number): string {
    return doiOf(this.timeline.slot(index), index);
  }

  kind(index: number): Kind {
    return this.timeline.slot(index);
  }

  /** The index of a DOI in lower case, or undefined when no generated record has it. */
  find(doi: string): number | undefined {
    return candidateIndices(doi).find((index) => index < this.size && this.doi(index) === doi);
  }

  /** The first index whose creation time (seconds) and DOI come after the given ones. */
  after(created: number, doi: string): number {
    const from = this.timeline.firstCreatedFrom(created);
    const to = this.timeline.firstCreatedFrom(created + 1);
    return lowest(from, to, (index) => this.doi(index) > doi);
  }

  /** Writes the resource object. */
  write(out: ByteWriter, index: number, view: View): void {
    const source = this.#source(index);
    out.ascii('{"id":"');
    out.ascii(source.doi);
    out.ascii('","type":"dois","attributes":{');
    let first = true;
    for (const { name, key, write } of view.detail ? DETAILED : PLAIN) {
      if (view.fields !== undefined && !view.fields.has(name)) continue;
      if (name === 'landingPage' && !view.landingPage) continue;
      if (!first) out.ascii(',');
      first = false;
      out.bytes(key);
      write(out, source, view);
    }
    if (view.agency && view.fields === undefined) out.ascii(',"agency":"datacite"');
    out.ascii('},"relationships":');
    out.ascii(relationshipsText(source.doi, source.slot, view));
    out.ascii('}');
  }

  /** The title as text, for sorting. */
  title(index: number): string {
    const { title, number } = titleOf({ hash: this.hash(index), fragments: this.#fragments });
    return `${title.text} ${number}`;
  }

  /** The seed of everything that does not come from a record's slot. */
  hash(index: number): number {
    return mix(this.seed, index);
  }

  #source(index: number): Source {
    const hash = this.hash(index);
    const slot = this.timeline.slot(index);
    const registered = this.timeline.registered(index);
    return {
      doi: doiOf(slot, index),
      slot,
      hash,
      wealth: wealthOf(hash),
      created: isoSeconds(this.timeline.created(index)),
      updated: isoSeconds(this.timeline.updated(index)),
      registered: registered === undefined ? undefined : isoSeconds(registered),
      year: this.timeline.publicationYear(index),
      fragments: this.#fragments,
    };
  }
}

/** The `relationships` member; a sparse fieldset also selects relationships. */
export function relationshipsText(
  doi: string,
  kind: Pick<Kind, 'clientId' | 'providerId'>,
  view: View,
): string {
  const wanted = (name: string) => view.fields === undefined || view.fields.has(name);
  const parts: string[] = [];
  if (wanted('client')) parts.push(`"client":{"data":{"id":"${kind.clientId}","type":"clients"}}`);
  if (view.detail) {
    if (wanted('provider'))
      parts.push(`"provider":{"data":{"id":"${kind.providerId}","type":"providers"}}`);
    // The service always writes one entry, with the DOI as its id.
    if (view.single) parts.push(`"media":{"data":{"id":${JSON.stringify(doi)},"type":"media"}}`);
    for (const name of LINKED_DOIS) if (wanted(name)) parts.push(`"${name}":{"data":[]}`);
  }
  return `{${parts.join(',')}}`;
}

const LINKED_DOIS = ['references', 'citations', 'parts', 'partOf', 'versions', 'versionOf'];

const member = (name: string, write: Write) => ({ name, key: Buffer.from(`"${name}":`), write });

const PLAIN = ATTRIBUTES.map(([name, write]) => member(name, write));

const DETAILED = ATTRIBUTES.flatMap(([name, write]) => [
  ...DETAILS.filter(([before]) => before === name).map(([, extra, writeExtra]) =>
    member(extra, writeExtra),
  ),
  member(name, write),
]);
