import { LEAST_TRUST, TELLING, TRUST, TRUST_WEIGHT } from './tuning.ts';
import type { Window } from './window.ts';

/** The share of the records of a burst that lies in front of a cut if it has gone on, and if it has not. */
interface Guess {
  readonly left: number;
  readonly ifSo: number;
  readonly ifNot: number;
}

/** How likely a burst at the end of a page goes on, judged by what lay in front of the cuts so far. */
export class Trust {
  #share = TRUST;
  readonly #guesses = new WeakMap<Window, Guess>();

  /** From 0 to 1, and neither of them. */
  get share(): number {
    return this.#share;
  }

  /** Remembers what a cut of a window should tell, before it is made. */
  expect(window: Window, cut: number): void {
    const { burst, rest } = window;
    const { from } = rest;
    if (burst === undefined || from === null) return;
    const shareOf = (end: number) => Math.min(1, (cut - from) / (end - from));
    this.#guesses.set(window, { left: burst.count, ifSo: shareOf(burst.to), ifNot: shareOf(burst.until) });
  }

  /** Learns from the service's first count of a window that was cut. */
  learn(window: Window, count: number): void {
    const guess = this.#guesses.get(window);
    this.#guesses.delete(window);
    if (guess === undefined || guess.ifSo - guess.ifNot < TELLING) return;
    const share = (count - window.held) / guess.left;
    const told = Math.min(1, Math.max(0, (share - guess.ifNot) / (guess.ifSo - guess.ifNot)));
    const next = this.#share + TRUST_WEIGHT * (told - this.#share);
    this.#share = Math.min(1 - LEAST_TRUST, Math.max(LEAST_TRUST, next));
  }
}
