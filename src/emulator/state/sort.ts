import { problem, Refusal } from '../http/answer.ts';
import { COUNTS } from '../records/source.ts';
import { type Entry, type Matches, take } from './catalogue.ts';

/**
 * A sort needs the keys of every match at once; above this many it is refused instead of filling the memory.
 */
const MAX_SORTED = 200_000;

/**
 * The entries of one numbered page in a given order (service.md, P16). The default is creation order here,
 * and so is `relevance`, because without full text every match is equally relevant. The service's default is
 * `-updated`.
 *
 * @throws Refusal with 400 when too many records match for an order other than by creation
 */
export function sortedPage(
  matches: Matches,
  sort: string | undefined,
  offset: number,
  count: number,
): Entry[] {
  const descending = sort?.startsWith('-') === true;
  const name = descending ? sort.slice(1) : (sort ?? '');
  const keyOf = keys(matches, name);
  if (keyOf === undefined) {
    if (name === 'created' && descending) return matches.latest(offset + count).slice(offset);
    return take(matches.walk(), offset, count);
  }
  if (matches.total > MAX_SORTED) {
    throw new Refusal(
      problem(
        400,
        `The emulator sorts by ${name} only up to ${MAX_SORTED} records, and ${matches.total} match. ` +
          'Narrow the filter, or sort by created.',
      ),
    );
  }
  const keyed = [...matches.walk()].map((entry) => ({ entry, key: keyOf(entry) }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => sign * compare(a.key, b.key));
  return keyed.slice(offset, offset + count).map(({ entry }) => entry);
}

type Key = string | number;

/** Undefined for creation order and for any other name, which counts as the default (service.md, P16). */
function keys({ catalogue }: Matches, name: string): ((entry: Entry) => Key) | undefined {
  const { corpus } = catalogue;
  switch (name) {
    case 'name':
      return (entry) => catalogue.position(entry).doi;
    case 'updated':
      return (entry) =>
        typeof entry === 'number' ? corpus.timeline.updated(entry) : (entry.times.updated ?? 0);
    case 'published':
      return (entry) =>
        typeof entry === 'number' ? corpus.timeline.publicationYear(entry) : (entry.times.published ?? 0);
    case 'title':
      return (entry) =>
        typeof entry === 'number' ? corpus.title(entry) : titleOf(entry.attributes['titles']);
    case 'view-count':
      return (entry) => (typeof entry === 'number' ? COUNTS.views(corpus.hash(entry)) : 0);
    case 'download-count':
      return (entry) => (typeof entry === 'number' ? COUNTS.downloads(corpus.hash(entry)) : 0);
    case 'citation-count':
      return (entry) => (typeof entry === 'number' ? COUNTS.citations(corpus.hash(entry)) : 0);
    default:
      return undefined;
  }
}

function titleOf(titles: unknown): string {
  const first: unknown = Array.isArray(titles) ? titles[0] : undefined;
  return typeof first === 'object' && first !== null && 'title' in first ? String(first.title) : '';
}

function compare(a: Key, b: Key): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
