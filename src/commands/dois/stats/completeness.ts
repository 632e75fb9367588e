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

/** What records should have, for people who look for them or reuse them. */
const ASPECTS = {
  'ORCID iD': ({ creators }) =>
    objectsOf(creators).some(({ nameIdentifiers }) =>
      objectsOf(nameIdentifiers).some((one) => /orcid/i.test(`${one['nameIdentifierScheme']}`)),
    ),
  'ROR id': ({ creators }) =>
    objectsOf(creators).some(({ affiliation }) =>
      objectsOf(affiliation).some((one) =>
        /\bror\b/i.test(`${one['affiliationIdentifierScheme']} ${one['affiliationIdentifier']}`),
      ),
    ),
  license: ({ rightsList }) =>
    objectsOf(rightsList).some((one) =>
      isNonEmptyString(one['rightsIdentifier'] ?? one['rightsUri']),
    ),
  abstract: ({ descriptions }) =>
    objectsOf(descriptions).some((one) => one['descriptionType'] === 'Abstract'),
  'related works': ({ relatedIdentifiers, relatedItems }) =>
    listOf(relatedIdentifiers ?? []).length + listOf(relatedItems ?? []).length > 0,
} as const satisfies Readonly<Record<string, (attributes: JsonObject) => boolean>>;
const NAMES = Object.keys(ASPECTS) as (keyof typeof ASPECTS)[];

/** The attributes that {@link CompletenessCounter} reads; affiliations have to be objects. */
export const COUNTED_FIELDS =
  'url,titles,creators,rightsList,descriptions,relatedIdentifiers,relatedItems';

export interface Completeness {
  readonly total: number;
  /** How many records have what. */
  readonly has: readonly { readonly name: string; readonly count: number }[];
  /** How many lack something. */
  readonly lacking: number;
}

// More rows than a spreadsheet takes help nobody.
const MOST_ROWS = 1_000_000;

/** Counts what records have, and keeps a line for each that lacks something. */
export class CompletenessCounter {
  readonly #counts = new Map<string, number>();
  readonly #lines: string[] = [];
  #total = 0;
  #lacking = 0;

  add({ id, attributes }: JsonObject): void {
    const own = isObject(attributes) ? attributes : {};
    const has = NAMES.map((name) => ASPECTS[name](own));
    this.#total += 1;
    for (const [index, name] of NAMES.entries()) {
      if (has[index]) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
    if (has.every(Boolean)) return;
    this.#lacking += 1;
    if (this.#lines.length >= MOST_ROWS) return;
    const [title, url] = [valueAt(own, ['titles', 0, 'title']), own['url']];
    const cells = [id, title, url].map((cell) =>
      toCell(visible(isNonEmptyString(cell) ? cell : '')),
    );
    this.#lines.push(delimitedLine([...cells, ...has.map((one) => (one ? '' : 'lacks'))]));
  }

  get result(): Completeness {
    const has = NAMES.map((name) => ({ name, count: this.#counts.get(name) ?? 0 }));
    return { total: this.#total, has, lacking: this.#lacking };
  }

  /**
   * The records that lack something as CSV: the DOI, its title and address, and `lacks` below what
   * it lacks.
   */
  get csv(): string {
    return delimitedLine(['doi', 'title', 'url', ...NAMES]) + this.#lines.join('');
  }
}
