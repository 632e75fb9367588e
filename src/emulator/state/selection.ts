import type { Corpus } from '../records/corpus.ts';
import { PERIOD, type Slot } from '../records/pattern.ts';
import { type Range, TIME_FIELDS, type TimeField } from '../records/ranges.ts';
import { lowest } from '../records/timeline.ts';
import type { Filter } from './filter.ts';

/**
 * The matching records of one slot: those of turns `low` to `high`, exclusive. Index = turn × PERIOD + slot.
 */
interface Stretch {
  readonly slot: Slot;
  readonly place: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The generated records that match a filter, as one stretch of turns per slot of the pattern. Counting,
 * jumping to a rank and resuming anywhere cost the same for a thousand records and for a hundred million.
 */
export class Selection {
  readonly stretches: readonly Stretch[];
  readonly total: number;

  constructor(corpus: Corpus, filter: Filter) {
    const only = filter.doi === undefined ? undefined : (corpus.find(filter.doi) ?? -1);
    const stretches: Stretch[] = [];
    for (const [place, slot] of corpus.pattern.slots.entries()) {
      if (!filter.matchesKind(slot)) continue;
      if (only !== undefined && only % PERIOD !== place) continue;
      let { low, high } = turnsOf(corpus, place);
      if (only !== undefined) {
        low = Math.floor(only / PERIOD);
        high = low + 1;
      }
      for (const field of TIME_FIELDS) {
        const range = filter.ranges[field];
        if (range !== undefined) [low, high] = narrow(corpus, field, range, place, low, high);
      }
      if (low < high) stretches.push({ slot, place, low, high });
    }
    this.stretches = stretches;
    this.total = stretches.reduce((sum, { low, high }) => sum + high - low, 0);
  }

  /** The matching indices from `start` on, ascending. */
  *from(start: number): Generator<number, void> {
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

  /** An index at or before the one with `rank` matches below it, and how many matches lie between the two. */
  seek(rank: number): { start: number; skip: number } {
    const below = (turn: number) =>
      this.stretches.reduce((sum, { low, high }) => sum + Math.max(0, Math.min(turn, high) - low), 0);
    const last = this.stretches.reduce((most, { high }) => Math.max(most, high), 0);
    const turn = Math.max(0, lowest(0, last, (n) => below(n) > rank) - 1);
    return { start: turn * PERIOD, skip: rank - below(turn) };
  }

  /** How many of a slot's matches fall into a range of times. */
  static count(corpus: Corpus, stretch: Stretch, field: TimeField, range: Range): number {
    const [low, high] = narrow(corpus, field, range, stretch.place, stretch.low, stretch.high);
    return Math.max(0, high - low);
  }
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
