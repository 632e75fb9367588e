import { intersect, type Range, type TimeField } from '../records/ranges.ts';
import { fieldKind, withIndexNames } from './index-fields.ts';
import { type Bounds, QueryError, timeRange } from './query-times.ts';

/** A part of a query that is compared with the metadata of each record. */
export type Clause =
  | { readonly kind: 'all' | 'any'; readonly clauses: readonly Clause[] }
  | { readonly kind: 'not'; readonly clause: Clause }
  | { readonly kind: 'everything' }
  | { readonly kind: 'time'; readonly field: TimeField; readonly range: Range }
  | { readonly kind: 'range'; readonly field: string; readonly bounds: Bounds }
  | {
      readonly kind: 'term';
      readonly field: string | undefined;
      readonly text: string;
      readonly quoted: boolean;
    };

/** The conditions of a `query`; a record must meet all of them. */
export interface Query {
  readonly ranges: Partial<Record<TimeField, Range>>;
  /** The required values, one for each clause, with their fields. */
  readonly terms: readonly { readonly field: TermField; readonly value: string }[];
  /** The other conditions, for which the metadata of a record are needed. */
  readonly rest: readonly Clause[];
}

export type TermField = 'doi' | 'prefix' | 'client' | 'provider' | 'state' | 'type' | 'generalType';

/** The fields that need no metadata. */
const TERM_FIELDS: Readonly<Record<string, TermField>> = {
  doi: 'doi',
  uid: 'doi',
  id: 'doi',
  prefix: 'prefix',
  client_id: 'client',
  'client.uid': 'client',
  provider_id: 'provider',
  'provider.uid': 'provider',
  aasm_state: 'state',
  resource_type_id: 'type',
  'types.resourceTypeGeneral': 'generalType',
};

/** The dates in the index. Its field `published` is empty (service.md, P17). */
const TIMES: Readonly<Record<string, TimeField>> = {
  created: 'created',
  updated: 'updated',
  registered: 'registered',
  publication_year: 'published',
};

/**
 * Reads the usual part of the syntax of the search engine: words and phrases, `field:value`,
 * `field:(a b)`, ranges with inclusive and exclusive bounds, wildcards, `*`, parentheses, AND
 * (written or implied), OR and NOT. Boosts and fuzziness (`^2`, `~1`) are read and have no effect.
 *
 * @throws QueryError for text that the search engine rejects
 */
export function parseQuery(text: string): Query {
  const clause = new Parser(withIndexNames(text)).query();
  const ranges: Partial<Record<TimeField, Range>> = {};
  const terms: { field: TermField; value: string }[] = [];
  const rest: Clause[] = [];
  for (const part of clause.kind === 'all' ? clause.clauses : [clause]) {
    const field = part.kind === 'term' ? TERM_FIELDS[part.field ?? ''] : undefined;
    if (part.kind === 'time') {
      ranges[part.field] = intersect(ranges[part.field] ?? part.range, part.range);
    } else if (
      part.kind === 'term' &&
      field !== undefined &&
      (part.quoted || !/[*?]/.test(part.text))
    ) {
      const value = part.text.replaceAll(/\\(.)/g, '$1');
      const isFolded = fieldKind(part.field ?? '') === 'folded';
      terms.push({ field, value: isFolded ? value.toLowerCase() : value });
    } else if (part.kind !== 'everything') rest.push(part);
  }
  return { ranges, terms, rest };
}

/**
 * A word, up to white space, a parenthesis or a quotation mark; a backslash escapes the next
 * character.
 */
const WORD = /(?:\\.|[^\s()"\\[\]{}])+/y;
const FIELD = /((?:\\.|[\w.@*-])+):(?!\/\/)/y;
const RANGE = /([[{])\s*("[^"]*"|[^\s"]+)\s+TO\s+("[^"]*"|[^\s\]}"]+)\s*([\]}])/y;
const COMPARED = /(>=|<=|>|<)\s*("[^"]*"|[^\s()]+)/y;
const PHRASE = /"((?:\\.|[^"\\])*)"/y;
const SUFFIX = /(?:[~^][\d.]*)+/y;

/** The search engine also has a limit. */
const MAX_DEPTH = 100;

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text.trimEnd();
  }

  query(): Clause {
    const clause = this.#any(undefined);
    this.#blank();
    if (this.#at < this.#text.length) throw this.#rejected();
    return clause;
  }

  /** @param field the field in front of a group */
  #any(field: string | undefined): Clause {
    const clauses = [this.#all(field)];
    while (this.#take(/(?:OR\b|\|\|)/y)) clauses.push(this.#all(field));
    return clauses.length === 1 ? (clauses[0] as Clause) : { kind: 'any', clauses };
  }

  #all(field: string | undefined): Clause {
    const clauses: Clause[] = [];
    do {
      const clause = this.#one(field);
      if (clause.kind === 'all') clauses.push(...clause.clauses);
      else clauses.push(clause);
    } while (this.#take(/(?:AND\b|&&)/y) || this.#goesOn());
    return clauses.length === 1 ? (clauses[0] as Clause) : { kind: 'all', clauses };
  }

  #goesOn(): boolean {
    this.#blank();
    return this.#at < this.#text.length && !/(?:\)|OR\b|\|\|)/y.test(this.#text.slice(this.#at));
  }

  #one(group: string | undefined): Clause {
    if (++this.#depth > MAX_DEPTH) throw this.#rejected();
    const clause = this.#operand(group);
    this.#depth--;
    return clause;
  }

  #operand(group: string | undefined): Clause {
    if (this.#take(/(?:NOT\b|!|-)/y)) return { kind: 'not', clause: this.#one(group) };
    this.#take(/\+/y);
    if (this.#take(/\(/y)) return this.#group(group);
    if (this.#take(/\*(?::\*)?(?=$|[\s)])/y)) {
      return group === undefined ? { kind: 'everything' } : this.#term(group, '*', false);
    }
    const field = this.#take(FIELD)?.[1]?.replaceAll('\\', '') ?? group;
    return this.#value(field);
  }

  #group(field: string | undefined): Clause {
    const clause = this.#any(field);
    if (!this.#take(/\)/y)) throw this.#rejected();
    this.#take(SUFFIX);
    return clause;
  }

  #value(field: string | undefined): Clause {
    if (field !== undefined && this.#take(/\(/y)) return this.#group(field);
    const range = this.#take(RANGE);
    if (range !== undefined) {
      const [, open, low = '*', high = '*', close] = range;
      return this.#range(field, { low, high, withLow: open === '[', withHigh: close === ']' });
    }
    const compared = field === undefined ? undefined : this.#take(COMPARED);
    if (compared !== undefined) {
      const [, sign = '', value = ''] = compared;
      const inclusive = sign.length === 2;
      const [low, high] = sign.startsWith('>') ? [value, '*'] : ['*', value];
      return this.#range(field, { low, high, withLow: inclusive, withHigh: inclusive });
    }
    const quoted = this.#take(PHRASE)?.[1];
    const text = quoted ?? this.#take(WORD)?.[0].replace(/[~^][\d.]*$/, '');
    if (quoted !== undefined) this.#take(SUFFIX);
    if (text === undefined || /^(?:AND|OR|NOT|&&|\|\|)$/.test(text)) throw this.#rejected();
    return this.#term(field, text, quoted !== undefined);
  }

  #term(field: string | undefined, text: string, quoted: boolean): Clause {
    const time = TIMES[field ?? ''];
    // A date is the range from its beginning to its end (service.md, F17).
    if (time !== undefined) {
      const bounds = { low: text, high: text, withLow: true, withHigh: true };
      return { kind: 'time', field: time, range: timeRange(time, bounds) };
    }
    const isNumber = fieldKind(field ?? '') === 'number';
    if (isNumber && Number.isNaN(Number(text)) && text !== '*')
      throw new QueryError(`For input string: "${text}"`);
    return { kind: 'term', field, text, quoted };
  }

  #range(field: string | undefined, written: Bounds): Clause {
    if (field === undefined) throw this.#rejected();
    const bare = (text: string) => text.replaceAll(/^"|"$/g, '');
    const bounds = { ...written, low: bare(written.low), high: bare(written.high) };
    const time = TIMES[field];
    if (time !== undefined) return { kind: 'time', field: time, range: timeRange(time, bounds) };
    return { kind: 'range', field, bounds };
  }

  #blank(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  /** Reads a match of a pattern after white space. */
  #take(pattern: RegExp): RegExpExecArray | undefined {
    this.#blank();
    const here = new RegExp(pattern);
    here.lastIndex = this.#at;
    const match = here.exec(this.#text) ?? undefined;
    if (match !== undefined) this.#at = here.lastIndex;
    return match;
  }

  #rejected(): QueryError {
    return new QueryError(`Failed to parse query [${this.#text}] at character ${this.#at + 1}`);
  }
}
