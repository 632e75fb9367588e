import { problem, Refusal } from '../http/answer.ts';
import { stream } from '../records/hash.ts';
import { PERIOD } from '../records/pattern.ts';
import { COUNTS } from '../records/source.ts';
import { type Entry, type Matches, take } from './catalogue.ts';
import type { StoredDoi } from './stored-doi.ts';

/**
 * A sort needs the keys of all matches at once. It is refused above this many, because they would
 * fill the memory.
 */
const MAX_SORTED = 200_000;

/**
 * The entries of one numbered page in the requested order (service.md, P16). `relevance` means
 * creation order here, because all matches are equally relevant.
 *
 * @throws Refusal with 400 when too many records match for an order other than by creation or last
 *   update
 */
export function sortedPage(
  matches: Matches,
  sort: string | undefined,
  offset: number,
  count: number,
): Entry[] {
  const descending = sort?.startsWith('-') === true;
  const name = descending ? sort.slice(1) : (sort ?? '');
  if (name === 'relevance' || sort === 'created') return take(matches.walk(), offset, count);
  if (sort === '-created') return matches.latest(offset + count).slice(offset);
  const keyOf = keys(matches, name);
  if (keyOf === undefined || sort === '-updated')
    return latestUpdates(matches, offset + count).slice(offset);
  if (matches.total > MAX_SORTED) {
    throw new Refusal(
      problem(
        400,
        `The emulator sorts by ${name} only up to ${MAX_SORTED} records, ` +
          `and ${matches.total} match. Narrow the filter, or sort by created.`,
      ),
    );
  }
  const keyed = [...matches.walk()].map((entry) => ({ entry, key: keyOf(entry) }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => sign * compare(a.key, b.key));
  return keyed.slice(offset, offset + count).map(({ entry }) => entry);
}

type Key = string | number;

/** Undefined for an unknown name, which means the default, `-updated` (service.md, P16). */
function keys({ catalogue }: Matches, name: string): ((entry: Entry) => Key) | undefined {
  const { corpus } = catalogue;
  const count = (of: (hash: number) => number) =>
    [(index: number) => of(corpus.hash(index)), () => 0] as const;
  const known: Readonly<
    Record<string, readonly [(index: number) => Key, (stored: StoredDoi) => Key]>
  > = {
    updated: [(index) => corpus.timeline.updated(index), ({ times }) => times.updated ?? 0],
    published: [
      (index) => corpus.timeline.publicationYear(index),
      ({ times }) => times.published ?? 0,
    ],
    title: [(index) => corpus.title(index), ({ attributes }) => titleOf(attributes['titles'])],
    'view-count': count(COUNTS.views),
    'download-count': count(COUNTS.downloads),
    'citation-count': count(COUNTS.citations),
  };
  if (name === 'name') return (entry) => catalogue.position(entry).doi;
  const key = Object.hasOwn(known, name) ? known[name] : undefined;
  if (key === undefined) return undefined;
  return (entry) => (typeof entry === 'number' ? key[0](entry) : key[1](entry));
}

/**
 * The first matches by last update, latest first. Within each stretch, the last update rises with
 * the index, so only the ends of the stretches are compared.
 */
function latestUpdates({ catalogue, generated, stored, gone }: Matches, count: number): Entry[] {
  const { timeline } = catalogue.corpus;
  const entryAt = (index: number, low: number) => ({
    index,
    low,
    updated: timeline.updated(index),
  });
  const ends = generated.stretches.map(({ place, low, high }) =>
    entryAt((high - 1) * PERIOD + place, low * PERIOD + place),
  );
  const ahead = (a: End, b: End) =>
    a.updated === b.updated ? a.index > b.index : a.updated > b.updated;
  const found: Entry[] = [];
  while (found.length < count && ends.length > 0) {
    const first = ends.reduce((best, end) => (ahead(end, best) ? end : best));
    if (!gone.has(first.index)) found.push(first.index);
    const next = first.index > first.low ? [entryAt(first.index - PERIOD, first.low)] : [];
    ends.splice(ends.indexOf(first), 1, ...next);
  }
  if (stored.length === 0) return found;
  const updated = (entry: Entry) =>
    typeof entry === 'number' ? timeline.updated(entry) : (entry.times.updated ?? 0);
  const order = (entry: Entry) => catalogue.position(entry);
  const later = (a: Entry, b: Entry) =>
    updated(b) - updated(a) ||
    order(b).created - order(a).created ||
    compare(order(b).doi, order(a).doi);
  return [...found, ...stored].sort(later).slice(0, count);
}

/** The last record of a stretch that is not yet used. */
interface End {
  readonly index: number;
  readonly low: number;
  readonly updated: number;
}

/**
 * Up to `count` random matches, without duplicates.
 *
 * @param seed the same seed gives the same matches
 */
export function randomPage(matches: Matches, count: number, seed: number): Entry[] {
  const draw = stream(seed);
  const { generated, stored, gone } = matches;
  const chosen = new Set<Entry>();
  while (chosen.size < Math.min(count, matches.total)) {
    const rank = Math.floor(draw() * (generated.total + stored.length));
    const { start, skip } = generated.seek(rank);
    const entry = stored[rank - generated.total] ?? take(generated.from(start), skip, 1)[0];
    if (entry !== undefined && !(typeof entry === 'number' && gone.has(entry))) chosen.add(entry);
  }
  return [...chosen];
}

function titleOf(titles: unknown): string {
  const first: unknown = Array.isArray(titles) ? titles[0] : undefined;
  return typeof first === 'object' && first !== null && 'title' in first ? String(first.title) : '';
}

function compare(a: Key, b: Key): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
