import { filled, type Item, textOf } from './values.ts';

interface Licence {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

const CONDITIONS: Readonly<Record<string, string>> = {
  NC: ' Non Commercial',
  ND: ' No Derivatives',
  SA: ' Share Alike',
};
const COMMONS = 'https://creativecommons.org';
const PUBLIC_DOMAIN = `${COMMONS}/licenses/publicdomain/`;
const GNU = 'https://www.gnu.org/licenses';
const EDITIONS: Readonly<Record<string, string>> = { '3.0': ' Unported', '4.0': ' International' };

const creativeCommons = ['BY', 'BY-NC', 'BY-NC-ND', 'BY-NC-SA', 'BY-ND', 'BY-SA'].flatMap((kind) =>
  ['1.0', '2.0', '2.5', '3.0', '4.0'].map((version) => {
    const words = kind
      .split('-')
      .map((part) => CONDITIONS[part] ?? '')
      .join('');
    const edition = EDITIONS[version] ?? ' Generic';
    const name = `Creative Commons Attribution${words} ${version}${edition}`;
    const url = `${COMMONS}/licenses/${kind.toLowerCase()}/${version}/legalcode`;
    return { id: `CC-${kind}-${version}`, name, url };
  }),
);

/** The most frequent licences of the SPDX list; the service knows all of them. */
const LICENCES: readonly Licence[] = [
  ...creativeCommons,
  ...`CC0-1.0|Creative Commons Zero v1.0 Universal|${COMMONS}/publicdomain/zero/1.0/legalcode
CC-PDDC|Creative Commons Public Domain Dedication and Certification|${PUBLIC_DOMAIN}
AGPL-3.0|GNU Affero General Public License v3.0|${GNU}/agpl.txt
Apache-2.0|Apache License 2.0|http://www.apache.org/licenses/LICENSE-2.0
BSD-2-Clause|BSD 2-Clause "Simplified" License|https://opensource.org/licenses/BSD-2-Clause
BSD-3-Clause|BSD 3-Clause "New" or "Revised" License|https://opensource.org/licenses/BSD-3-Clause
GPL-2.0|GNU General Public License v2.0 only|${GNU}/old-licenses/gpl-2.0-standalone.html
GPL-3.0|GNU General Public License v3.0 only|${GNU}/gpl-3.0-standalone.html
GPL-3.0-or-later|GNU General Public License v3.0 or later|${GNU}/gpl-3.0-standalone.html
LGPL-3.0|GNU Lesser General Public License v3.0 only|${GNU}/lgpl-3.0-standalone.html
MIT|MIT License|https://opensource.org/licenses/MIT
MPL-2.0|Mozilla Public License 2.0|http://www.mozilla.org/MPL/2.0/
ODbL-1.0|ODC Open Database License v1.0|http://www.opendatacommons.org/licenses/odbl/1.0/
ODC-By-1.0|Open Data Commons Attribution License v1.0|https://opendatacommons.org/licenses/by/1.0/
PDDL-1.0|ODC Public Domain Dedication & License 1.0|http://opendatacommons.org/licenses/pddl/1.0/`
    .split('\n')
    .map((line) => {
      const [id = '', name = '', url = ''] = line.split('|');
      return { id, name, url };
    }),
];

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
  const name = textOf(rights['rights']);
  const urls = [name, textOf(rights['rightsURI'])].flatMap((one) => {
    const url = one.replace(/^http:/, 'https:').replace(/\/$/, '');
    return [url, `${url}/legalcode`];
  });
  const licence = LICENCES.find(
    (one) => one.id.toLowerCase() === id || one.name === name || urls.includes(one.url),
  );
  const { lang } = rights;
  if (licence === undefined) {
    const { rightsURI, rightsUri = rightsURI, rightsIdentifierScheme, schemeUri } = rights;
    const named = {
      rights: rights['rights'],
      rightsUri,
      rightsIdentifier: id,
      rightsIdentifierScheme,
    };
    return filled({ ...named, schemeUri, lang });
  }
  return filled({
    rights: licence.name,
    rightsUri: licence.url,
    rightsIdentifier: licence.id.toLowerCase(),
    rightsIdentifierScheme: 'SPDX',
    schemeUri: 'https://spdx.org/licenses/',
    lang,
  });
}
