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

/** A text that is the identifier, as it is spelled, the name or the address of a licence. */
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
 * Rights with the name, address and identifier of SPDX when they name one of its licences by
 * identifier or by name, or have its address as their text or as `rightsURI` of XML. One in
 * `rightsUri` does not count, as on the service.
 */
export function completeRights(rights: Item): Item {
  for (const name of ['rights', 'rightsIdentifier']) {
    // The service takes them for texts without a look.
    if (typeof (rights[name] ?? '') !== 'string')
      throw new TypeError(`Can't convert ${name} into String.`);
  }
  const id = textOf(rights['rightsIdentifier']).toLowerCase();
  const name = rights['rights'];
  const urls = [textOf(name), textOf(rights['rightsURI'])].map(normalized);
  const found = LICENCES.find(
    (one) => one[0]?.toLowerCase() === id || one[1] === name || urls.includes(one[2]),
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
