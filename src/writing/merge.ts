import { same } from '../api/record-match.ts';
import type { JsonObject } from '../text/json-values.ts';

/** An attribute that both sides changed, differently. */
export interface Conflict {
  readonly name: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/**
 * Merges edits into the stored record, see docs/dev/edits.md. An attribute is one value: items of
 * lists are never matched, because no version shows which item became which.
 * Returns the attributes to send, each as in `mine`, also in a conflict.
 * @param base the attributes when they were read; if undefined, each difference is a conflict.
 * @param mine the attributes after the edits; attributes that it lacks do not change.
 * @param theirs the attributes that are stored now.
 */
export function merge(base: JsonObject | undefined, mine: JsonObject, theirs: JsonObject) {
  const attributes: Record<string, unknown> = {};
  const conflicts: Conflict[] = [];
  for (const [name, edited] of Object.entries(mine)) {
    const [before, stored] = [base?.[name], theirs[name]];
    if ((base !== undefined && same(before, edited)) || same(stored, edited)) continue;
    attributes[name] = edited;
    if (base === undefined || !same(before, stored))
      conflicts.push({ name, base: before, mine: edited, theirs: stored });
  }
  return { attributes, conflicts };
}
