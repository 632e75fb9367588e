import { isNonEmptyString, type JsonObject, listOf, valueAt } from '../../../text/json-values.ts';

const MOST_NAMES = 10;

/**
 * A citation in the form that DataCite recommends: `Creators (Year). Title. Version. Publisher. Type. Address`.
 * @returns undefined unless the record has all that a citation needs.
 */
export function citationOf(attributes: JsonObject, address: string): string | undefined {
  const { creators, titles, publicationYear: year, publisher, types, version } = attributes;
  const names = listOf(creators).map((creator) => valueAt(creator, ['name']));
  const title = valueAt(titles, [0, 'title']);
  const from = isNonEmptyString(publisher) ? publisher : valueAt(publisher, ['name']);
  const isComplete = names.length > 0 && names.every(isKnown) && isKnown(title) && isKnown(from) && !!year;
  if (!isComplete) return undefined;
  const by = names.slice(0, MOST_NAMES).join('; ') + (names.length > MOST_NAMES ? '; et al.' : '');
  const type = valueAt(types, ['resourceTypeGeneral']);
  const edition = isNonEmptyString(version) ? `Version ${version}` : undefined;
  const parts = [`${by} (${String(year)})`, title, edition, from, type, address];
  return parts.filter(isNonEmptyString).map(withoutStop).join('. ');
}

/** Codes such as `:unav` stand for what is not known. */
function isKnown(value: unknown): value is string {
  return isNonEmptyString(value) && !/^\s*(:|$)/.test(value);
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, '');
}
