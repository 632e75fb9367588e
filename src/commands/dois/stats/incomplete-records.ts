import { toCell } from '../../../formats/spreadsheet/cell.ts';
import { delimitedLine } from '../../../text/csv.ts';
import { isNonEmptyString, type JsonObject, valueAt } from '../../../text/json-values.ts';
import { visible } from '../../../text/redact.ts';
import { PROPERTIES, PROPERTY_NAMES } from './dimensions.ts';

// A spreadsheet takes no more rows.
const MOST_ROWS = 1_000_000;

/** Collects the records that lack a property of a complete record, as lines of CSV. */
export class IncompleteRecords {
  readonly #lines: string[] = [];
  #count = 0;

  add(record: JsonObject): void {
    const has = PROPERTY_NAMES.map((name) => PROPERTIES[name]?.has(record));
    if (has.every(Boolean)) return;
    this.#count += 1;
    if (this.#lines.length >= MOST_ROWS) return;
    const { id, attributes } = record;
    const texts = [id, valueAt(attributes, ['titles', 0, 'title']), valueAt(attributes, ['url'])];
    const cells = texts.map((text) => toCell(visible(isNonEmptyString(text) ? text : '')));
    this.#lines.push(delimitedLine([...cells, ...has.map((isThere) => (isThere ? '' : 'lacks'))]));
  }

  /** The number of incomplete records, and of those for which there is no room in a spreadsheet. */
  get counts(): { readonly all: number; readonly leftOut: number } {
    return { all: this.#count, leftOut: this.#count - this.#lines.length };
  }

  /** DOI, title, URL, and `lacks` in the columns of missing properties. */
  get csv(): readonly string[] {
    return [delimitedLine(['doi', 'title', 'url', ...PROPERTY_NAMES]), ...this.#lines];
  }
}
