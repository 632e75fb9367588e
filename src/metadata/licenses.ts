import { isObject, type JsonObject, objectsOf } from '../text/json-values.ts';
import list from './schema/licenses.json' with { type: 'json' };

/**
 * The licenses that the service knows, in its order: the SPDX list 3.9, old identifiers first;
 * `written` is how it writes them.
 */
const LICENSES = list.map((line) => {
  const [id = '', rights = '', rightsUri = ''] = line.split('|');
  const names = { rights, rightsUri, rightsIdentifier: id.toLowerCase() };
  return {
    id,
    written: { ...names, rightsIdentifierScheme: 'SPDX', schemeUri: 'https://spdx.org/licenses/' },
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

/** An address in the form in which the service looks it up; undefined for other texts. */
function addressOf(text: string): string | undefined {
  if (!/^(?:https?|ftp):\/\/[^/\s]/.test(text)) return undefined;
  const url = text
    .replace(/^\w+/, 'https')
    .replace(/(?<!:)\/{2,}/g, '/')
    .replace(/\/$/, '');
  return SHORT.test(url) ? `${url}/legalcode` : (ADDRESSES.get(url) ?? url);
}

/**
 * `rightsList` as the service writes it (service.md, W22). It replaces rights by the first license
 * in its list with the same identifier, name or, as `rights`, address. Other identifiers become
 * lower case.
 * @param stored the rights of a record: the service may know licenses that are not in this list.
 */
export function writtenRights(value: unknown, stored: unknown): unknown {
  if (value === undefined || value === null) return value;
  const known = objectsOf(stored).filter(isCompleted);
  return (Array.isArray(value) ? value : [value]).flatMap((item) => {
    if (typeof item === 'string') return item.trim() === '' ? [] : [rightsOfText(item)];
    if (!isObject(item)) return [item];
    return Object.keys(item).length === 0 ? [] : [completedRights(item, known)];
  });
}

const isCompleted = ({ rightsIdentifierScheme, schemeUri }: JsonObject) =>
  rightsIdentifierScheme === 'SPDX' && schemeUri === 'https://spdx.org/licenses/';

/** Rights that are a text. It counts as an identifier only in the letter case of SPDX. */
function rightsOfText(text: string): JsonObject {
  const address = addressOf(text);
  const license = LICENSES.find(
    ({ id, written }) => id === text || written.rights === text || written.rightsUri === address,
  );
  return license?.written ?? { rights: text };
}

function completedRights(item: JsonObject, known: readonly JsonObject[]): JsonObject {
  const { rights, rightsIdentifier, lang } = item;
  const id = lower(rightsIdentifier);
  const address = typeof rights === 'string' ? addressOf(rights) : undefined;
  const license = LICENSES.find(
    ({ written }) =>
      written.rightsIdentifier === id || written.rights === rights || written.rightsUri === address,
  )?.written;
  const wanted = license?.rightsIdentifier ?? id;
  const newer = known.find((other) =>
    wanted ? other['rightsIdentifier'] === wanted : other['rights'] === rights,
  );
  const completed: JsonObject | undefined = newer ?? license;
  if (completed === undefined) return id ? { ...item, rightsIdentifier: id } : item;
  const { lang: _, ...written } = completed;
  return lang === undefined || lang === null ? written : { ...written, lang };
}

const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : undefined);
