import type { Problem } from '../errors.ts';

export type Outcome = 'created' | 'updated' | 'failed';

/** What became of one line, as it is printed and kept. */
export interface LineResult {
  readonly line: number;
  /** Null for a record that got none. */
  readonly doi: string | null;
  /** Null when it is not known. */
  readonly state: string | null;
  readonly outcome: Outcome;
  /** Empty when all is well. A record may be `created` and yet be in another state than the one asked for. */
  readonly errors: readonly Problem[];
}
