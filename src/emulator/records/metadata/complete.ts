import { cleanHtml } from './html.ts';
import { completeRights, namedRights } from './licences.ts';
import { completeTypes } from './types.ts';
import { type Item, isBlank, isItem, items, present, wrap } from './values.ts';

/**
 * Metadata as the service stores it: lists instead of single objects, types with their names in
 * other formats, rights from SPDX, codes instead of names of languages, numbers for years and
 * degrees, and the publisher as an object.
 */
export function completed(attributes: Item): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const complete = Object.hasOwn(COMPLETE, name) ? COMPLETE[name] : undefined;
      return [name, complete === undefined ? value : complete(value)];
    }),
  );
}

const LISTED = `creators contributors titles descriptions dates sizes formats contentUrl
  relatedIdentifiers relatedItems fundingReferences`.split(/\s+/);

const COMPLETE: Readonly<Record<string, (value: unknown) => unknown>> = {
  ...Object.fromEntries(LISTED.map((name) => [name, wrap])),
  subjects: unique,
  identifiers: (value) =>
    wrap(value).filter((item) => !isItem(item) || item['identifierType'] !== 'DOI'),
  rightsList: (value) =>
    wrap(value)
      .filter((item) => !isBlank(item))
      .map(rights),
  geoLocations: (value) => wrap(value).map((item) => (isItem(item) ? withNumbers(item) : item)),
  types: (value) => (isItem(value ?? {}) ? completeTypes((value ?? {}) as Item) : value),
  source: (value) => (isBlank(value) ? 'api' : columnText(value)),
  container: (value) => value ?? {},
  version: (value) => (value === false ? null : columnText(value)),
  reason: columnText,
  language,
  publicationYear: year,
  publisher: (value) => (typeof value === 'string' ? { name: value } : publisher(value)),
};

/** Subjects without duplicates, with their texts as HTML (service.md, S10). A text is a subject. */
function unique(value: unknown): unknown[] {
  const items = wrap(value).map((item) => (typeof item === 'string' ? { subject: item } : item));
  const subjects = items.filter(isItem).map(present).map(cleanSubject);
  const seen = new Map(subjects.map((subject) => [JSON.stringify(subject), subject]));
  return [...seen.values()];
}

function cleanSubject(item: Item): Item {
  const { subject } = item;
  if (typeof subject !== 'string') return item;
  return { ...item, subject: cleanHtml(subject).replaceAll(/\s+/g, ' ').trim() };
}

/** Rights that are a text; the text may be the name, the identifier or the address of a licence. */
function rights(value: unknown): unknown {
  if (isItem(value)) return completeRights(value);
  return typeof value === 'string' ? namedRights(value) : value;
}

function publisher(value: unknown): unknown {
  if (!isItem(value) || Object.values(value).every((member) => member === null)) return null;
  return present(value);
}

/** The whole number at the beginning of a text, which the database stores. */
function year(value: unknown): unknown {
  if (isBlank(value)) return null;
  return Number.parseInt(String(value), 10) || 0;
}

/** A value in a text column; json-body.ts has replaced numbers by texts. */
function columnText(value: unknown): unknown {
  return typeof value === 'boolean' ? String(Number(value)) : value;
}

/** Members of a place whose text is a decimal number become numbers; a polygon is a list. */
function withNumbers(place: Item): Item {
  const numbers = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(numbers);
    if (isItem(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, numbers(member)]),
      );
    }
    if (typeof value !== 'string' || !/^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(value))
      return value;
    return value.includes('.') ? Number(value) : Number.parseInt(value, 10);
  };
  return Object.fromEntries(
    Object.entries(place).map(([name, value]) => {
      if (name === 'geoLocationPlace') return [name, value];
      return [name, numbers(name === 'geoLocationPolygon' ? wrap(value) : value)];
    }),
  );
}

/** Codes that are not in ISO 639-2. The service keeps them; Intl would replace them. */
const WITHIN = /^(arb|azj|cmn|ekk|khk|kmr|lvs|npi|ory|pes|plt|prs|src|swc|swh|uzn|zsm)$/;
const TAG = /^[a-z]{1,8}(-[a-z\d]{1,8})*$/i;

/** The code of two letters for a language by its code or English name; null for other texts. */
function language(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value;
  const first = value.split('-')[0] ?? '';
  const code =
    /^[a-z]{2,3}$/.test(first) && !WITHIN.test(first)
      ? new Intl.Locale(first).language
      : codes().get(first.charAt(0).toUpperCase() + first.slice(1));
  if (code?.length === 2) return code;
  return TAG.test(value) ? value : null;
}

let known: ReadonlyMap<string, string> | undefined;

/** The codes of languages by their English names. */
function codes(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  known ??= new Map(letters.flatMap((a) => letters.map((b) => [names.of(a + b) ?? '', a + b])));
  return known;
}

/** People as answers contain them: always with both lists. */
export function people(value: unknown): Item[] {
  return items(value).map((person) => ({
    ...person,
    affiliation: wrap(person['affiliation']),
    nameIdentifiers: wrap(person['nameIdentifiers']),
  }));
}
