import { isItem, items, textOf } from '../records/metadata/values.ts';
import type { Kind, Slot } from '../records/pattern.ts';
import { contains } from '../records/ranges.ts';
import { fieldKind } from './index-fields.ts';
import type { Clause } from './query.ts';
import type { Searched } from './searched.ts';

/** The fields in which words without a field are searched. */
const SEARCHED = [
  ...['uid', 'related_identifiers.relatedIdentifier', 'titles.title', 'creator_names'],
  ...['publisher', 'descriptions.description', 'subjects.subject'],
];

/** Whether a record matches a part of a query. */
export function matchesClause(clause: Clause, record: Searched): boolean {
  switch (clause.kind) {
    case 'everything':
      return true;
    case 'all':
      return clause.clauses.every((part) => matchesClause(part, record));
    case 'any':
      return clause.clauses.some((part) => matchesClause(part, record));
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
  const kind = fieldKind(field);
  const folded = (value: string) => (kind === 'exact' ? value : value.toLowerCase());
  const values = valuesOf(record, field).map((value) => folded(String(value)));
  const wanted = folded(text);
  const pattern = quoted ? undefined : wildcards(wanted);
  const plain = wanted.replaceAll(/\\(.)/g, '$1');
  if (kind !== 'words') {
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

/** The words of a text, divided as by the search engine: each ideograph is a word. */
function wordsIn(text: string): string[] {
  return (
    text.match(
      /[\p{sc=Han}\p{sc=Hiragana}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}])[\p{L}\p{N}\p{M}_])+/gu,
    ) ?? []
  );
}

/** A pattern for a text that contains `*` or `?`; undefined for any other text. */
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

/** The values of a field of the index; none for an unknown field. */
function valuesOf(record: Searched, field: string): (string | number | boolean)[] {
  if (fieldKind(field) === undefined) return [];
  const name = field.replace(/\.keyword$/, '');
  const special = specialValues(record)[name];
  if (special !== undefined) return special;
  const { creators, contributors, titles, publisher } = record.attributes;
  const [object = '', ...rest] = name.split('.');
  if (object === 'creators_and_contributors')
    return valuesAt([...items(creators), ...items(contributors)], rest);
  if (object === 'primary_title') return valuesAt(items(titles)[0], rest);
  if (object.startsWith('publisher')) return valuesAt(publisher, rest.length > 0 ? rest : ['name']);
  const camel = object.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return valuesAt(record.attributes, [camel, ...rest]);
}

/** Fields that are not attributes of the record, or have another name there. */
function specialValues({ attributes, doi, kind }: Searched): Readonly<Record<string, string[]>> {
  const [prefix = '', suffix = ''] = doi.split(/\/(.*)/s);
  const { clientId, providerId, client } = kind as Kind & Partial<Slot>;
  const organization = (name: string, id: string, title: string | undefined) => ({
    [`${name}.id`]: [id],
    [`${name}.uid`]: [id],
    [`${name}.symbol`]: [id.toUpperCase()],
    [`${name}.name`]: [title ?? id.toUpperCase()],
  });
  return {
    ...{ uid: [doi], id: [doi], doi: [doi], identifier: [`https://doi.org/${doi}`] },
    ...{ prefix: [prefix], suffix: [suffix], agency: ['datacite'], aasm_state: [kind.state] },
    ...{ client_id: [clientId], provider_id: [providerId] },
    resource_type_id: [kind.resourceTypeId],
    version_info: valuesAt(attributes['version'], []).map(String),
    creator_names: items(attributes['creators']).map(({ name, givenName, familyName }) =>
      textOf(familyName) === '' ? textOf(name) : `${textOf(givenName)} ${textOf(familyName)}`,
    ),
    ...organization('client', clientId, client?.name),
    ...organization('provider', providerId, client?.providerName),
    'client.provider_id': [providerId],
  };
}

function valuesAt(value: unknown, path: readonly string[]): (string | number | boolean)[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
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
