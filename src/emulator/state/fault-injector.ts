import { fraction } from '../records/hash.ts';
import { applies, type FaultRule, type Topic } from './faults.ts';

/** Decides which fault strikes a request. Each injector starts with new counters. */
export class FaultInjector {
  readonly rules: readonly FaultRule[];
  readonly #seed: number;
  readonly #counts: number[];

  constructor(rules: readonly FaultRule[], seed: number) {
    this.rules = rules;
    this.#seed = seed ^ 0xfa17;
    this.#counts = rules.map(() => 0);
  }

  /** Counts a request about a topic. Returns the first rule that strikes, if any does. */
  next(topic: Topic): FaultRule | undefined {
    const struck = this.rules.filter((rule, place) => {
      if (rule.poison !== undefined || !applies(rule.kind, topic)) return false;
      const count = (this.#counts[place] ?? 0) + 1;
      this.#counts[place] = count;
      if ('probability' in rule.when) {
        return fraction(this.#seed + place * 7919, count) < rule.when.probability;
      }
      return rule.when.requests.includes(count) || count >= rule.when.from;
    });
    return struck[0];
  }

  /** The rules for records instead of requests. */
  get poisons(): { index: number; largestSize: number }[] {
    return this.rules.map(({ poison }) => poison).filter((poison) => poison !== undefined);
  }
}
