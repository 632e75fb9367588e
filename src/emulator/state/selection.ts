import { problem, Refusal } from '../http/answer.ts';
import type { Corpus } from '../records/corpus.ts';
import { PERIOD, type Slot } from '../records/pattern.ts';
import { type Range, TIME_FIELDS, type TimeField } from '../records/ranges.ts';
import { lowest } from '../records/timeline.ts';
import { type Filter, passes } from './filter.ts';
import { searchedAt } from './searched.ts';

/**
 * The matching records of one slot: turns from `low` up to but not including `high`. The index of a
 * record is turn × PERIOD + slot.
 */
interface Stretch {
  readonly slot: Slot;
  readonly place: number;
  readonly low: number;
  readonly high: number;
}

/**
 * A search reads every record that passes the rest of the filter. It is refused if there are more
 * than this.
 */
const MAX_SEARCHED = 100_000;

/**
 * The generated records that match a filter, as one stretch of turns for each slot of the pattern.
 * So counting, jumping to a rank and resuming take as long for a hundred million records as for a
 * thousand. Only the results of a search of metadata are kept as a list.
 */
export class Selection {
  readonly stretches: readonly Stretch[];
  readonly total: number;
  /** The indices that a search has found, ascending. */
  readonly #found: readonly number[] | undefined;

  /** @throws Refusal with 400 when a search would read too many records */
  constructor(corpus: Corpus, filter: Filter) {
    this.stretches = stretchesOf(corpus, filter);
    this.total = this.stretches.reduce((sum, { low, high }) => sum + high - low, 0);
    if (filter.dois === undefined && filter.search === undefined) return;
    const found =
      filter.dois === undefined ? this.#search(corpus, filter) : named(corpus, filter, filter.dois);
    this.#found = found;
    this.stretches = found.map((index) => {
      const [place, low] = [index % PERIOD, Math.floor(index / PERIOD)];
      return { slot: corpus.timeline.slot(index), place, low, high: low + 1 };
    });
    this.total = found.length;
  }

  /** The matching indices from `start` on, ascending. */
  *from(start: number): Generator<number, void> {
    if (this.#found !== undefined) {
      const found = this.#found;
      yield* found.slice(lowest(0, found.length, (n) => Number(found[n]) >= start));
      return;
    }
    let turn = Math.floor(start / PERIOD);
    for (;;) {
      let next = Infinity;
      for (const { place, low, high } of this.stretches) {
        const index = turn * PERIOD + place;
        if (turn >= low && turn < high && index >= start) yield index;
        // No slot has a match here: jump to the next turn that has one.
        if (high > turn + 1) next = Math.min(next, Math.max(low, turn + 1));
      }
      if (next === Infinity) return;
      turn = next;
    }
  }

  /**
   * Where {@link from} should start to reach the match that has `rank` matches before it, and how
   * many matches must be skipped then.
   */
  seek(rank: number): { start: number; skip: number } {
    if (this.#found !== undefined) return { start: this.#found[rank] ?? Infinity, skip: 0 };
    const below = (turn: number) =>
      this.stretches.reduce(
        (sum, { low, high }) => sum + Math.max(0, Math.min(turn, high) - low),
        0,
      );
    const last = this.stretches.reduce((most, { high }) => Math.max(most, high), 0);
    const turn = Math.max(0, lowest(0, last, (n) => below(n) > rank) - 1);
    return { start: turn * PERIOD, skip: rank - below(turn) };
  }

  #search(corpus: Corpus, { search }: Filter): number[] {
    if (this.total > MAX_SEARCHED) {
      throw new Refusal(
        problem(
          400,
          `The emulator searches metadata only in up to ${MAX_SEARCHED} records, ` +
            `and ${this.total} match the rest of the request. ` +
            'Narrow it, for example by client-id or created.',
        ),
      );
    }
    return [...this.from(0)].filter((index) => search?.(searchedAt(corpus, index)) !== false);
  }

  /** How many of a slot's matches are in a range of times. */
  static count(corpus: Corpus, stretch: Stretch, field: TimeField, range: Range): number {
    const [low, high] = narrow(corpus, field, range, stretch.place, stretch.low, stretch.high);
    return Math.max(0, high - low);
  }
}

function stretchesOf(corpus: Corpus, filter: Filter): Stretch[] {
  const stretches: Stretch[] = [];
  for (const [place, slot] of corpus.pattern.slots.entries()) {
    if (!filter.matchesKind(slot)) continue;
    let { low, high } = turnsOf(corpus, place);
    for (const field of TIME_FIELDS) {
      const range = filter.ranges[field];
      if (range !== undefined) [low, high] = narrow(corpus, field, range, place, low, high);
    }
    if (low < high) stretches.push({ slot, place, low, high });
  }
  return stretches;
}

/** The records listed in the request that pass the rest of the filter. */
function named(corpus: Corpus, filter: Filter, dois: ReadonlySet<string>): number[] {
  const known = [...dois].map((doi) => corpus.find(doi)).filter((index) => index !== undefined);
  return known.filter((index) => passes(filter, searchedAt(corpus, index))).sort((a, b) => a - b);
}

function turnsOf(corpus: Corpus, place: number): { low: number; high: number } {
  return { low: 0, high: Math.max(0, Math.ceil((corpus.size - place) / PERIOD)) };
}

function narrow(
  { timeline }: Corpus,
  field: TimeField,
  range: Range,
  place: number,
  low: number,
  high: number,
): [low: number, high: number] {
  if (field === 'registered' && timeline.slot(place).state === 'draft') return [low, low];
  return [
    Math.max(low, timeline.firstTurn(field, place, range.from)),
    Math.min(high, timeline.firstTurn(field, place, range.to)),
  ];
}
