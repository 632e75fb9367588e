import { isObject, type JsonObject, objectsOf } from '../text/json-values.ts';
import list from './schema/licenses.json' with { type: 'json' };

/** The licenses that the service knows, in its order: the SPDX list 3.9, old identifiers first. */
const LICENSES = list.map((line) => {
  const [id = '', rights = '', rightsUri = ''] = line.split('|');
  const named = { rights, rightsUri, rightsIdentifier: id.toLowerCase() };
  return {
    id,
    named: { ...named, rightsIdentifierScheme: 'SPDX', schemeUri: 'https://spdx.org/licenses/' },
  };
});

/** The addresses of Creative Commons that the service completes. */
const SHORT = new RegExp(
  '^https://creativecommons\\.org/(?:publicdomain/zero/1\\.0|' +
    'licenses/(?:by(?:-nc)?(?:-nd|-sa)?|by-nd-nc)/(?:1\\.0|2\\.0|2\\.5|3\\.0|4\\.0))$',
);
const ADDRESSES: ReadonlyMap<string, string> = new Map([
  [
    'https://creativecommons.org/licenses/by/3.0/us',
    'https://creativecommons.org/licenses/by/3.0/legalcode',
  ],
  [
    'https://creativecommons.org/licenses/publicdomain',
    'https://creativecommons.org/licenses/publicdomain/',
  ],
]);

/** An address as the service looks it up; undefined for other texts. */
function addressOf(text: string): string | undefined {
  if (!/^(?:https?|ftp):\/\/[^/\s]/.test(text)) return undefined;
  const url = text
    .replace(/^\w+/, 'https')
    .replace(/(?<!:)\/{2,}/g, '/')
    .replace(/\/$/, '');
  return SHORT.test(url) ? `${url}/legalcode` : (ADDRESSES.get(url) ?? url);
}

/**
 * `rightsList` as the service writes it (service.md, W22): the license that is first in its list
 * and has the identifier, the name or, as `rights`, the address; other identifiers in lower case.
 * @param stored the rights of a record: the service may know licenses that are not in this list.
 */
export function writtenRights(value: unknown, stored: unknown): unknown {
  if (value === undefined || value === null) return value;
  const known = objectsOf(stored).filter(isCompleted);
  return (Array.isArray(value) ? value : [value]).flatMap((item) => {
    if (typeof item === 'string') return item.trim() === '' ? [] : [ofText(item)];
    if (!isObject(item)) return [item];
    return Object.keys(item).length === 0 ? [] : [ofObject(item, known)];
  });
}

const isCompleted = ({ rightsIdentifierScheme, schemeUri }: JsonObject) =>
  rightsIdentifierScheme === 'SPDX' && schemeUri === 'https://spdx.org/licenses/';

/** A text in the place of the object counts as an identifier only in its own spelling. */
function ofText(text: string): JsonObject {
  const address = addressOf(text);
  const license = LICENSES.find(
    ({ id, named }) => id === text || named.rights === text || named.rightsUri === address,
  );
  return license?.named ?? { rights: text };
}

function ofObject(item: JsonObject, known: readonly JsonObject[]): JsonObject {
  const { rights, rightsIdentifier, lang } = item;
  const id = lower(rightsIdentifier);
  const address = typeof rights === 'string' ? addressOf(rights) : undefined;
  const license = LICENSES.find(
    ({ named }) =>
      named.rightsIdentifier === id || named.rights === rights || named.rightsUri === address,
  )?.named;
  const wanted = license?.rightsIdentifier ?? id;
  const newer = known.find((other) =>
    wanted ? other['rightsIdentifier'] === wanted : other['rights'] === rights,
  );
  const completed: JsonObject | undefined = newer ?? license;
  if (completed === undefined) return id ? { ...item, rightsIdentifier: id } : item;
  const { lang: _, ...named } = completed;
  return lang === undefined || lang === null ? named : { ...named, lang };
}

const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : undefined);
