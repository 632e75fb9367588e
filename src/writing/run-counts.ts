import { isOutage } from '../errors.ts';
import { InDoubt } from './create-record.ts';
import { OUTCOMES, type OutcomeName } from './ledger/outcome.ts';
import type { FinishedLine } from './run.ts';

/**
 * The outcome of a line, and other facts about it:
 * - `before`: it was done by an earlier run.
 * - `wrong`: it was done, but not as requested, for example in another state.
 * - `doubtful`: it failed, but the record may exist: the next run looks for it.
 * - `unavailable`: it failed because the service did not answer as it should.
 */
type CountName = OutcomeName | 'before' | 'wrong' | 'doubtful' | 'unavailable';

/** The numbers of lines of a run. */
export class RunCounts {
  readonly #numbers = new Map<CountName, number>();

  of(name: CountName): number {
    return this.#numbers.get(name) ?? 0;
  }

  /** The number of lines that this run has finished. */
  get all(): number {
    return OUTCOMES.reduce((sum, outcome) => sum + this.of(outcome), 0);
  }

  add({ result: { outcome, errors }, error, isBefore = false }: FinishedLine): void {
    const facts: CountName[] = [isBefore ? 'before' : outcome];
    if (outcome !== 'failed' && errors.length > 0) facts.push('wrong');
    if (error instanceof InDoubt) facts.push('doubtful');
    const reason = error instanceof InDoubt ? error.reason : error;
    if (reason !== undefined && isOutage(reason)) facts.push('unavailable');
    for (const fact of facts) this.#numbers.set(fact, this.of(fact) + 1);
  }
}
