/**
 * How a text spells its characters: the unit that begins at each index, as its value and the number of
 * characters that it takes up. A value is a UTF-16 code unit.
 */
export type Spelling = (text: string, at: number) => number;

const VALUE_BITS = 16;
const VALUE_MASK = (1 << VALUE_BITS) - 1;

/** A unit as one number, for a {@link Spelling} to return. */
export const unit = (value: number, length: number): number => (length << VALUE_BITS) | value;

/** The unit that begins at each index of a text, in a spelling. */
export function unitsOf(text: string, spelling: Spelling): Int32Array {
  return Int32Array.from({ length: text.length }, (_, at) => spelling(text, at));
}

/** What to do at the index where a match begins, and at the one where it ends. */
interface Edges {
  readonly before: (start: number) => void;
  /** Not called where another match goes on. */
  readonly after: (end: number) => void;
}

/**
 * A text to search for, of any length. The search takes time in proportion to the text that is searched, even
 * when both repeat themselves. It is the algorithm of Knuth, Morris and Pratt from right to left: a unit can
 * begin at every index, also within another unit, but only one unit begins at each index.
 */
export class Needle {
  readonly #reversed: Int32Array;
  /** For each state (the number of units matched, from the end), the state to try when the next unit differs. */
  readonly #fallback: Int32Array;

  /** @param text at least one character. */
  constructor(text: string) {
    this.#reversed = unitsOf(text, (_, at) => text.charCodeAt(at)).reverse();
    this.#fallback = fallbackOf(this.#reversed);
  }

  /**
   * Sets `covered` to 1 for each character of each match, overlapping matches included.
   * @param units of the text to search, see {@link unitsOf}.
   */
  cover(units: Int32Array, covered: Uint8Array, edges?: Edges): void {
    const starts = this.#starts(units);
    if (starts === undefined) return;
    const length = this.#reversed.length;
    // How many units from each index on belong to a match.
    const left = new Int32Array(units.length + 1);
    for (let at = 0; at < units.length; at += 1) {
      if (starts[at] === 1) {
        left[at] = length;
        edges?.before(at);
      }
      const unitsLeft = left[at] as number;
      if (unitsLeft === 0) continue;
      const end = at + ((units[at] as number) >> VALUE_BITS);
      covered.fill(1, at, end);
      if (unitsLeft > 1) left[end] = Math.max(left[end] as number, unitsLeft - 1);
      else edges?.after(end);
    }
  }

  /** 1 for each index at which a match begins; undefined when there is none. */
  #starts(units: Int32Array): Uint8Array | undefined {
    const [reversed, fallback] = [this.#reversed, this.#fallback];
    const { length } = reversed;
    if (length > units.length) return undefined;
    const states = new Int32Array(units.length + 1);
    let starts: Uint8Array | undefined;
    for (let at = units.length - 1; at >= 0; at -= 1) {
      const here = units[at] as number;
      const value = here & VALUE_MASK;
      let state = states[at + (here >> VALUE_BITS)] as number;
      while (state >= 0 && reversed[state] !== value) state = fallback[state] as number;
      state += 1;
      states[at] = state;
      if (state < length) continue;
      starts ??= new Uint8Array(units.length);
      starts[at] = 1;
    }
    return starts;
  }
}

function fallbackOf(values: Int32Array): Int32Array {
  const fallback = new Int32Array(values.length + 1);
  fallback[0] = -1;
  let border = 0;
  for (let state = 1; state <= values.length; state += 1) {
    // A state that waits for the same value fails in the same way. Skipping it bounds the steps for one unit.
    fallback[state] = values[state] === values[border] ? (fallback[border] as number) : border;
    while (border >= 0 && values[state] !== values[border]) border = fallback[border] as number;
    border += 1;
  }
  return fallback;
}
