import { intersect, type Range, TIME_FIELDS, type TimeField } from '../records/ranges.ts';

/** What a `query` asks for: all of it must hold. */
export interface Query {
  readonly ranges: Partial<Record<TimeField, Range>>;
  /** Accepted values by field, lower case; one set per clause. */
  readonly terms: readonly { readonly field: TermField; readonly value: string }[];
}

export type TermField = 'doi' | 'prefix' | 'client' | 'provider' | 'state' | 'type';

/** A query that the search engine rejects; the message goes into the answer. */
export class QueryError extends Error {}

const TERM_FIELDS: Readonly<Record<string, TermField>> = {
  doi: 'doi',
  uid: 'doi',
  id: 'doi',
  prefix: 'prefix',
  client_id: 'client',
  'client-id': 'client',
  clientId: 'client',
  provider_id: 'provider',
  'provider-id': 'provider',
  providerId: 'provider',
  state: 'state',
  aasm_state: 'state',
  resource_type_id: 'type',
  'resource-type-id': 'type',
  'types.resourceTypeGeneral': 'type',
};

const TOKEN =
  /\s*(?:([()])|([\w.-]+):(?:([[{])\s*(\S+)\s+TO\s+([^\s\]}]+)\s*([\]}])|"([^"]*)"|(?![[{])((?:\\.|[^\s()"])+))|(AND\b|&&)|(\*(?::\*)?))/y;

/**
 * Reads the part of Lucene syntax that the emulator understands: `field:[a TO b]` ranges over times with
 * inclusive and exclusive bounds and `*`, `field:value` over a few identifiers, parentheses, and AND (written
 * or implied).
 *
 * @throws QueryError for anything else, where the real service would search full text
 */
export function parseQuery(text: string): Query {
  const ranges: Partial<Record<TimeField, Range>> = {};
  const terms: { field: TermField; value: string }[] = [];
  const pattern = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  let depth = 0;
  // An operator needs an operand on both sides, and parentheses must not be empty.
  let operandBefore = false;
  let operatorPending = false;
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const [, bracket, field, open, low, high, close, quoted, bare, and, any] = pattern.exec(text) ?? [];
    if (bracket === '(') {
      depth++;
      operandBefore = false;
      continue;
    }
    if (bracket === ')' || and !== undefined) {
      if (!operandBefore || operatorPending) throw rejected(text, at);
      if (bracket === ')') depth--;
      if (depth < 0) throw rejected(text, at);
      operatorPending = and !== undefined;
      continue;
    }
    if (field !== undefined && open !== undefined) {
      const name = TIME_FIELDS.find((known) => known === field);
      if (name === undefined) throw new QueryError(`No range is known for the field [${field}]`);
      const range = name === 'published' ? years(low, high, open, close) : seconds(low, high, open, close);
      ranges[name] = intersect(ranges[name] ?? range, range);
    } else if (field !== undefined) {
      const name = TERM_FIELDS[field];
      if (name === undefined) throw new QueryError(`No mapping found for the field [${field}]`);
      terms.push({ field: name, value: (quoted ?? bare ?? '').replaceAll(/\\(.)/g, '$1').toLowerCase() });
    } else if (any === undefined) {
      throw rejected(text, at);
    }
    operandBefore = true;
    operatorPending = false;
  }
  if (depth !== 0 || operatorPending || !operandBefore) throw rejected(text, end);
  return { ranges, terms };
}

function rejected(text: string, at: number): QueryError {
  return new QueryError(`Failed to parse query [${text}] at character ${at + 1}`);
}

function seconds(low = '*', high = '*', open = '[', close = ']'): Range {
  return {
    from: low === '*' ? -Infinity : bound(low, open === '{'),
    to: high === '*' ? Infinity : bound(high, close === ']'),
  };
}

/**
 * The first whole second at or after a bound, or the first one after the whole bound. A date without a time
 * means the whole day: the search engine adds 23:59:59.999 to an upper bound. A missing month or day is 01.
 */
function bound(text: string, afterIt: boolean): number {
  const match =
    /^(\d{4})(-\d\d)?(-\d\d)?(?:T(\d\d)(?::?(\d\d))?(?::?(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(
      text,
    );
  if (match === null) throw new QueryError(`failed to parse date field [${text}]`);
  const [, year, month = '-01', day = '-01', hour, minute, second, fraction = '', zone = 'Z'] = match;
  const milliseconds = fraction.padEnd(4, '0').slice(1, 4);
  const time = Date.parse(
    `${year}${month}${day}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}.${milliseconds}${zone}`,
  );
  if (Number.isNaN(time)) throw new QueryError(`failed to parse date field [${text}]`);
  if (!afterIt) return Math.ceil(time / 1000);
  if (hour === undefined) return time / 1000 + 86_400;
  if (minute === undefined) return time / 1000 + 3600;
  if (second === undefined) return time / 1000 + 60;
  // Records have whole seconds, so the first second after a bound with a fraction is the next whole one.
  return Math.floor(time / 1000) + 1;
}

function years(low = '*', high = '*', open = '[', close = ']'): Range {
  const year = (text: string) => {
    const match = /^(\d{4})(?:-\d\d){0,2}(?:T.*)?$/.exec(text);
    if (match === null) throw new QueryError(`failed to parse date field [${text}]`);
    return Number(match[1]);
  };
  return {
    from: low === '*' ? -Infinity : year(low) + (open === '{' ? 1 : 0),
    to: high === '*' ? Infinity : year(high) + (close === ']' ? 1 : 0),
  };
}
