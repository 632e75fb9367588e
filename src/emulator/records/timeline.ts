import { fraction } from './hash.ts';
import { type Pattern, PERIOD, type Slot } from './pattern.ts';
import type { TimeField } from './ranges.ts';

/** Creation of the first generated record, in seconds since 1970. */
export const BEGIN = Date.UTC(2011, 0, 1) / 1000;
/** The approximate upper bound for all times of generated records. */
export const END = Date.UTC(2026, 6, 1) / 1000;

// Cached: all slots need the same few times while one filter is evaluated.
const REMEMBERED_BOUNDARIES = 1000;

const YEAR_STARTS = Array.from({ length: 60 }, (_, n) => Date.UTC(1990 + n, 0, 1) / 1000);

/** The year of a time in seconds, for the years the generator can reach. */
export function yearOf(seconds: number): number {
  let year = 1990 + Math.floor((seconds - Date.UTC(1990, 0, 1) / 1000) / 31_556_952);
  if (seconds >= (YEAR_STARTS[year - 1989] ?? Infinity)) year++;
  if (seconds < (YEAR_STARTS[year - 1990] ?? 0)) year--;
  return year;
}

/**
 * The times of the generated records. All are whole seconds. Within one slot, each time rises with
 * the index, so every range of times is a range of indices.
 */
export class Timeline {
  readonly records: number;
  readonly #pattern: Pattern;
  readonly #seed: number;
  readonly #secondsPerGroup: number;
  readonly #jitter: number;
  readonly #boundaries = new Map<number, number>();

  constructor(pattern: Pattern, seed: number, records: number) {
    this.records = records;
    this.#pattern = pattern;
    this.#seed = seed ^ 0x71e;
    const lastGroup = records === 0 ? 0 : this.#group(records - 1);
    this.#secondsPerGroup = (END - BEGIN) / (lastGroup + 1);
    // Two groups must never share a second: records of one second are ordered by DOI, and DOIs rise
    // with the index only inside a group. Half a step of jitter keeps a second between groups.
    this.#jitter = this.#secondsPerGroup >= 2 ? 0.5 : 0;
  }

  slot(index: number): Slot {
    const slot = this.#pattern.slots[index % PERIOD];
    if (slot === undefined) throw new RangeError(`no slot for record ${index}`);
    return slot;
  }

  created(index: number): number {
    const group = this.#group(index);
    const step = this.#jitter === 0 ? group : group + this.#jitter * fraction(this.#seed, group);
    return BEGIN + Math.floor(step * this.#secondsPerGroup);
  }

  updated(index: number): number {
    const slot = this.slot(index);
    const created = this.created(index);
    return created + slot.registerDelay + Math.floor(slot.updateShare * (END - created));
  }

  /** Undefined for a draft, which has no handle yet. */
  registered(index: number): number | undefined {
    const slot = this.slot(index);
    return slot.state === 'draft' ? undefined : this.created(index) + slot.registerDelay;
  }

  publicationYear(index: number): number {
    return yearOf(this.created(index)) - this.slot(index).age;
  }

  /** The first index created at or after a time; `records` if there is no such index. */
  firstCreatedFrom(seconds: number): number {
    const known = this.#boundaries.get(seconds);
    if (known !== undefined) return known;
    const index = lowest(0, this.records, (n) => this.created(n) >= seconds);
    if (this.#boundaries.size >= REMEMBERED_BOUNDARIES) this.#boundaries.clear();
    this.#boundaries.set(seconds, index);
    return index;
  }

  /**
   * The first turn of the pattern in which the record of a slot has reached a value; seconds, or a
   * year for `published`. Drafts count as if they were registered. May be after the last turn.
   */
  firstTurn(field: TimeField, place: number, value: number): number {
    const slot = this.slot(place);
    switch (field) {
      case 'created':
        return turnAfter(this.firstCreatedFrom(value), place);
      case 'registered':
        return turnAfter(this.firstCreatedFrom(value - slot.registerDelay), place);
      case 'published':
        // Date cannot hold such a year, so no record has it.
        return turnAfter(this.firstCreatedFrom(yearStart(value + slot.age)), place);
      case 'updated':
        return lowest(
          0,
          Math.ceil(this.records / PERIOD),
          (turn) => this.updated(turn * PERIOD + place) >= value,
        );
    }
  }

  #group(index: number): number {
    return Math.floor(index / PERIOD) * this.#pattern.groups + this.slot(index).group;
  }
}

function turnAfter(index: number, place: number): number {
  return Math.max(0, Math.ceil((index - place) / PERIOD));
}

function yearStart(year: number): number {
  if (!Number.isFinite(year)) return year;
  const time = Date.UTC(year, 0) / 1000;
  return Number.isNaN(time) ? Math.sign(year) * Infinity : time;
}

/**
 * The lowest integer in [low, high) that passes a test; `high` if none does. All integers above the
 * first one that passes must also pass.
 */
export function lowest(low: number, high: number, passes: (n: number) => boolean): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (passes(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
