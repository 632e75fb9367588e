import type { Problem } from '../../../errors.ts';
import { placeText } from '../../../metadata/findings.ts';
import { visible } from '../../../text/redact.ts';
import { counted } from '../../../text/words.ts';

/** The number of lines whose problems stderr shows, unless a table follows; results show all. */
export const MAX_SHOWN = 5;
/** The number of different warnings that are counted: columns and attributes are fewer. */
const MOST_KINDS = 100;

type Warning = Pick<Problem, 'path' | 'column' | 'message'>;
interface Warned {
  /** Warnings about values that the service drops. */
  readonly dropped?: readonly Warning[] | undefined;
  readonly warnings?: readonly Warning[] | undefined;
}

/** Counts the records with warnings, and those with each kind of warning. */
export class WarningCounts {
  #records = 0;
  readonly #kinds = new Map<string, number>();

  /** Adds the warnings of a record. */
  add({ dropped = [], warnings = [] }: Warned): void {
    const kinds = new Set([...dropped, ...warnings].map(kindOf));
    if (kinds.size > 0) this.#records += 1;
    for (const kind of kinds) {
      const count = this.#kinds.get(kind) ?? 0;
      if (count > 0 || this.#kinds.size < MOST_KINDS) this.#kinds.set(kind, count + 1);
    }
  }

  /** A line for each kind, where more records have warnings than are shown. */
  lines(): readonly string[] {
    if (this.#records <= MAX_SHOWN) return [];
    return [
      `${counted(this.#records, 'record')} have warnings, and their results have all of them:`,
      ...[...this.#kinds].map(([kind, count]) => `  ${counted(count, 'record')}: ${kind}`),
    ];
  }
}

/** A warning without its value, the values in its message and the places in lists of a record. */
function kindOf({ path, column, message }: Warning): string {
  const place = placeText(path?.replace(/\[\d+\]/g, '[]') ?? '', column);
  return visible(`${place}${message.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')}`);
}
