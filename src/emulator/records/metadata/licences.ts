import list from './licences.json' with { type: 'json' };
import { type Item, present, textOf } from './values.ts';

/** Identifier, name and address of each licence, in the order of the service's SPDX list 3.9. */
const LICENCES: readonly (readonly string[])[] = list.map((line) => line.split('|'));

const COMMONS = 'https://creativecommons.org';
const KINDS = 'by by-nc by-nd-nc by-nc-sa by-nd by-sa by-nc-nd'.split(' ');
/** Other addresses of licences. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...['1.0', '2.0', '2.5', '3.0', '4.0'].flatMap((version) =>
    KINDS.map((kind) => {
      const address = `${COMMONS}/licenses/${kind}/${version}`;
      return [address, `${address}/legalcode`] as const;
    }),
  ),
  [`${COMMONS}/licenses/by/3.0/us`, `${COMMONS}/licenses/by/3.0/legalcode`],
  [`${COMMONS}/licenses/publicdomain`, `${COMMONS}/licenses/publicdomain/`],
  [`${COMMONS}/publicdomain/zero/1.0`, `${COMMONS}/publicdomain/zero/1.0/legalcode`],
]);

/** An address with https and without a slash at its end; undefined for other texts. */
function normalized(text: string): string | undefined {
  const [, host, path = ''] = /^(?:http|https|ftp):\/\/([^/\s]+)(.*)$/s.exec(text) ?? [];
  if (host === undefined) return undefined;
  const url = `https://${host}${path.replaceAll(/\/+/g, '/').replace(/\/$/, '')}`;
  return ALIASES.get(url) ?? url;
}

/** The rights for a text: the identifier, as spelled, the name or the address of a licence. */
export function namedRights(text: string): Item {
  const found = LICENCES.find(
    ([id, name, url]) => name === text || id === text || url === normalized(text),
  );
  return found === undefined ? { rights: text } : spdx(found);
}

function spdx([id = '', name, url]: readonly string[]): Item {
  return {
    rights: name,
    rightsUri: url,
    rightsIdentifier: id.toLowerCase(),
    rightsIdentifierScheme: 'SPDX',
    schemeUri: 'https://spdx.org/licenses/',
  };
}

/**
 * Rights with the name, address and identifier of the SPDX licence that has their identifier or
 * name, or the address in their text or in `rightsURI` of XML. As on the service, an address in
 * `rightsUri` does not count.
 */
export function completeRights(rights: Item): Item {
  for (const name of ['rights', 'rightsIdentifier']) {
    // The service expects texts, and fails otherwise.
    if (typeof (rights[name] ?? '') !== 'string')
      throw new TypeError(`Can't convert ${name} into String.`);
  }
  const id = textOf(rights['rightsIdentifier']).toLowerCase();
  const name = rights['rights'];
  const urls = [textOf(name), textOf(rights['rightsURI'])].map(normalized);
  const found = LICENCES.find(
    ([licenceId, text, url]) =>
      licenceId?.toLowerCase() === id || text === name || urls.includes(url),
  );
  const { lang } = rights;
  if (found !== undefined) return present({ ...spdx(found), lang });
  const { rightsURI, rightsUri, rightsIdentifierScheme, schemeUri } = rights;
  return present({
    rights: name,
    rightsUri: rightsURI ?? rightsUri,
    rightsIdentifier: id.trim() === '' ? null : id,
    ...{ rightsIdentifierScheme, schemeUri, lang },
  });
}
