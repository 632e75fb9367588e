import { type Item, isItem } from '../records/metadata/values.ts';
import { contains } from '../records/ranges.ts';
import type { Clause } from './query.ts';
import type { Searched } from './searched.ts';

/** Fields with words; all others hold a value that must match as a whole. */
const WITH_WORDS: ReadonlySet<string> = new Set(
  `name givenName familyName title description subject publisher url reason
  relationTypeInformation`.split(/\s+/),
);

/** Where words without a field are looked for. */
const SEARCHED = [
  ...['doi', 'relatedIdentifiers.relatedIdentifier', 'titles.title', 'creators.name'],
  ...['publisher.name', 'descriptions.description', 'subjects.subject'],
];

const RENAMED: Readonly<Record<string, string>> = {
  uid: 'doi',
  id: 'doi',
  creator_names: 'creators.name',
  version_info: 'version',
  publisher: 'publisher.name',
  aasm_state: 'state',
};

/** Whether a record matches a part of a query. Upper and lower case count as equal. */
export function matchesClause(clause: Clause, record: Searched): boolean {
  switch (clause.kind) {
    case 'everything':
      return true;
    case 'all':
      return clause.clauses.every((one) => matchesClause(one, record));
    case 'any':
      return clause.clauses.some((one) => matchesClause(one, record));
    case 'not':
      return !matchesClause(clause.clause, record);
    case 'time':
      return contains(clause.range, record.times[clause.field]);
    case 'range': {
      const { low, high, withLow, withHigh } = clause.bounds;
      return valuesOf(record, clause.field).some((value) => {
        const [above, below] = [
          low === '*' ? 1 : compare(value, low),
          high === '*' ? -1 : compare(value, high),
        ];
        return (withLow ? above >= 0 : above > 0) && (withHigh ? below <= 0 : below < 0);
      });
    }
    case 'term':
      if (clause.field === '_exists_') return valuesOf(record, clause.text).length > 0;
      if (clause.field === undefined)
        return SEARCHED.some((field) => matchesTerm(record, field, clause));
      return matchesTerm(record, clause.field, clause);
  }
}

function matchesTerm(
  record: Searched,
  field: string,
  { text, quoted }: Clause & { kind: 'term' },
): boolean {
  const values = valuesOf(record, field).map((value) => String(value).toLowerCase());
  const wanted = text.toLowerCase();
  const last = (RENAMED[field] ?? field).split('.').at(-1) ?? '';
  const pattern = quoted ? undefined : wildcards(wanted);
  const plain = wanted.replaceAll(/\\(.)/g, '$1');
  if (!WITH_WORDS.has(last)) {
    return values.some((value) => (pattern === undefined ? value === plain : pattern.test(value)));
  }
  if (pattern !== undefined)
    return values.some(
      (value) => value !== '' && wordsIn(value).some((word) => pattern.test(word)),
    );
  const phrase = wordsIn(plain);
  return phrase.length > 0 && values.some((value) => hasPhrase(wordsIn(value), phrase));
}

function hasPhrase(words: readonly string[], phrase: readonly string[]): boolean {
  return words.some((_, start) => phrase.every((word, place) => words[start + place] === word));
}

/** Words as the search engine divides text: each ideograph is a word of its own. */
function wordsIn(text: string): string[] {
  return (
    text.match(
      /[\p{sc=Han}\p{sc=Hiragana}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}])[\p{L}\p{N}\p{M}_])+/gu,
    ) ?? []
  );
}

/** A pattern for text with `*` or `?` in it; undefined without. */
function wildcards(text: string): RegExp | undefined {
  const parts = text.match(/\\.|./gsu) ?? [];
  if (!parts.some((part) => part === '*' || part === '?')) return undefined;
  const source = parts.map((part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return part.replace(/^\\/, '').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${source.join('')}$`, 'su');
}

/** The values of a field; names of fields may also be written with underscores. */
function valuesOf(
  { attributes, doi, kind }: Searched,
  field: string,
): (string | number | boolean)[] {
  const name = (RENAMED[field] ?? field)
    .replace(/\.keyword$/, '')
    .replace(/^publisher_obj\./, 'publisher.');
  const [prefix = '', suffix = ''] = doi.split(/\/(.*)/s);
  const own: Item = {
    ...{
      doi,
      prefix,
      suffix,
      client_id: kind.clientId,
      provider_id: kind.providerId,
      agency: 'datacite',
    },
    resource_type_id: kind.resourceTypeId,
  };
  const path = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()).split('.');
  return own[name] === undefined ? valuesAt(attributes, path) : [String(own[name])];
}

function valuesAt(value: unknown, path: readonly string[]): (string | number | boolean)[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, path));
  const [name, ...rest] = path;
  if (name !== undefined) return isItem(value) ? valuesAt(value[name], rest) : [];
  return ['string', 'number', 'boolean'].includes(typeof value) ? [value as string] : [];
}

function compare(value: string | number | boolean, bound: string): number {
  const [a, b] = [Number(value), Number(bound)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const [text, other] = [String(value).toLowerCase(), bound.toLowerCase()];
  if (text === other) return 0;
  return text < other ? -1 : 1;
}
