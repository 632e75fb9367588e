import { toCell } from '../../../formats/spreadsheet/cell.ts';
import { delimitedLine } from '../../../text/csv.ts';
import {
  isNonEmptyString,
  isObject,
  type JsonObject,
  listOf,
  objectsOf,
  valueAt,
} from '../../../text/json-values.ts';
import { visible } from '../../../text/redact.ts';

/** Properties that make records easy to find and reuse. */
const ASPECTS = {
  'ORCID iD': ({ creators }) =>
    objectsOf(creators).some(({ nameIdentifiers }) =>
      objectsOf(nameIdentifiers).some((item) => /orcid/i.test(`${item['nameIdentifierScheme']}`)),
    ),
  'ROR id': ({ creators }) =>
    objectsOf(creators).some(({ affiliation }) =>
      objectsOf(affiliation).some((item) =>
        /\bror\b/i.test(`${item['affiliationIdentifierScheme']} ${item['affiliationIdentifier']}`),
      ),
    ),
  license: ({ rightsList }) =>
    objectsOf(rightsList).some((item) =>
      isNonEmptyString(item['rightsIdentifier'] ?? item['rightsUri']),
    ),
  abstract: ({ descriptions }) =>
    objectsOf(descriptions).some((item) => item['descriptionType'] === 'Abstract'),
  'related works': ({ relatedIdentifiers, relatedItems }) =>
    listOf(relatedIdentifiers ?? []).length + listOf(relatedItems ?? []).length > 0,
} as const satisfies Readonly<Record<string, (attributes: JsonObject) => boolean>>;
const NAMES = Object.keys(ASPECTS) as (keyof typeof ASPECTS)[];

/** The attributes that {@link CompletenessCounter} reads. Affiliations must be objects. */
export const COUNTED_FIELDS =
  'url,titles,creators,rightsList,descriptions,relatedIdentifiers,relatedItems';

export interface Completeness {
  readonly total: number;
  /** The number of records with each property. */
  readonly has: readonly { readonly name: string; readonly count: number }[];
  /** The number of records that lack a property. */
  readonly lacking: number;
}

// A spreadsheet takes no more rows.
const MOST_ROWS = 1_000_000;

/** Counts the properties of records, and keeps a line of CSV for each incomplete record. */
export class CompletenessCounter {
  readonly #counts = new Map<string, number>();
  readonly #lines: string[] = [];
  #total = 0;
  #lacking = 0;

  add({ id, attributes }: JsonObject): void {
    const record = isObject(attributes) ? attributes : {};
    const has = NAMES.map((name) => ASPECTS[name](record));
    this.#total += 1;
    for (const [index, name] of NAMES.entries()) {
      if (has[index]) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
    if (has.every(Boolean)) return;
    this.#lacking += 1;
    if (this.#lines.length >= MOST_ROWS) return;
    const [title, url] = [valueAt(record, ['titles', 0, 'title']), record['url']];
    const cells = [id, title, url].map((cell) =>
      toCell(visible(isNonEmptyString(cell) ? cell : '')),
    );
    this.#lines.push(delimitedLine([...cells, ...has.map((isThere) => (isThere ? '' : 'lacks'))]));
  }

  get result(): Completeness {
    const has = NAMES.map((name) => ({ name, count: this.#counts.get(name) ?? 0 }));
    return { total: this.#total, has, lacking: this.#lacking };
  }

  /** The incomplete records as CSV: DOI, title, address, and `lacks` below missing properties. */
  get csv(): string {
    return delimitedLine(['doi', 'title', 'url', ...NAMES]) + this.#lines.join('');
  }
}
