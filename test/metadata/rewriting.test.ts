import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText, rewritten } from '../../src/metadata/rewriting.ts';
import type { JsonObject } from '../../src/text/json-values.ts';
import { runs } from '../helpers/runs.ts';

const CC0 = {
  rights: 'Creative Commons Zero v1.0 Universal',
  rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode',
  rightsIdentifier: 'cc0-1.0',
  rightsIdentifierScheme: 'SPDX',
  schemeUri: 'https://spdx.org/licenses/',
};
const NEW = { ...CC0, rights: 'New', rightsIdentifier: 'new-1.0' };
/** The name of an attribute, the value sent, the value stored, and the record, if it matters. */
type Row = [string, unknown, unknown, JsonObject?];
const rights = (item: unknown, stored: unknown, record: JsonObject = {}): Row => [
  'rightsList',
  [item],
  [stored],
  record,
];
const subject = (text: unknown, stored?: string): Row => [
  'subjects',
  [{ subject: text }],
  [stored === undefined ? {} : { subject: stored }],
];

describe('an attribute as the service writes it', () => {
  const rows: readonly Row[] = [
    ['titles', { title: 'A' }, [{ title: 'A' }]],
    ['titles', [null, { title: ' A ' }], [{ title: ' A ' }]],
    ['sizes', '1 MB', ['1 MB']],
    ['version', 3, '3'],
    ['version', 3.5, '3.5'],
    ['version', false, null],
    ['reason', false, '0'],
    ['source', true, '1'],
    ['language', 'German', 'de'],
    ['language', 'de-AT', 'de'],
    ['language', 'cmn', 'cmn'],
    ['publicationYear', '2024-01', 2024],
    ['publicationYear', 2024.7, 2024],
    ['publicationYear', 'x', 0],
    ['publicationYear', '', ''],
    ['subjects', 'a', [{ subject: 'a' }]],
    ['subjects', [{ subject: 'a', lang: null }, { subject: 'a' }], [{ subject: 'a' }]],
    subject('R & D', 'R &amp; D'),
    subject('R &amp; D &#169; &eacute;', 'R &amp; D © é'),
    subject('TNF-&alpha; &Eacute;t&eacute; &constructor;', 'TNF-α Été &amp;constructor;'),
    subject('a &amp;lt; &rare;', 'a &amp;lt; &amp;rare;'),
    subject('<b>a <i>b</b> c</i> d<br/>', '<b>a <i>b</i></b> c d<br>'),
    subject('a < b > c', 'a &lt; b &gt; c'),
    subject('H<SUB>2</SUB>O  <u>x</u>', 'H<sub>2</sub>O x'),
    subject('a<Zn and', 'a'),
    subject('a<!-- b -->c', 'ac'),
    subject(' a \n b ', 'a b'),
    subject(5),
    [
      'identifiers',
      [
        { identifier: 'x', identifierType: 'DOI' },
        { identifier: 'u', identifierType: 'URL' },
        { identifier: 'y', identifierType: 'Local' },
      ],
      [{ identifier: 'y', identifierType: 'Local' }],
      { url: 'u' },
    ],
    rights({ rightsIdentifier: 'CC0-1.0', lang: 'en' }, { ...CC0, lang: 'en' }),
    rights({ rights: CC0.rights, rightsIdentifier: 'public domain' }, CC0),
    rights({ rights: 'http://creativecommons.org/publicdomain/zero/1.0/' }, CC0),
    rights({ rightsUri: CC0.rightsUri }, { rightsUri: CC0.rightsUri }),
    rights('CC0-1.0', CC0),
    rights('cc0-1.0', { rights: 'cc0-1.0' }),
    rights({ rightsIdentifier: 'OURS' }, { rightsIdentifier: 'ours' }),
    // The license that is first in the list wins.
    rights(
      { rights: CC0.rights, rightsIdentifier: 'AAL' },
      expect.objectContaining({ rightsIdentifier: 'aal' }),
    ),
    rights({ rights: CC0.rights, rightsIdentifier: 'MIT' }, CC0),
    rights(
      { rights: 'GNU General Public License v3.0 or later' },
      expect.objectContaining({ rightsIdentifier: 'gpl-3.0+' }),
    ),
    // The service may know more licenses.
    rights({ rightsIdentifier: 'NEW-1.0' }, NEW, { rightsList: [NEW] }),
    rights({ rightsIdentifier: 'other' }, { rightsIdentifier: 'other' }, { rightsList: [NEW] }),
    ['rightsList', [{}, ' '], []],
    [
      'geoLocations',
      [
        {
          geoLocationPlace: '1',
          geoLocationPolygon: { inPolygonPoint: { pointLatitude: '1.50' } },
        },
      ],
      [{ geoLocationPlace: '1', geoLocationPolygon: [{ inPolygonPoint: { pointLatitude: 1.5 } }] }],
    ],
    [
      'geoLocations',
      { geoLocationPoint: { pointLatitude: '5e-05' } },
      [{ geoLocationPoint: { pointLatitude: 5 } }],
    ],
    ['types', { ris: 'A' }, { ris: 'A', bibtex: 'b' }, { types: { ris: 'R', bibtex: 'b' } }],
    ['types', null, { ris: 'R' }, { types: { ris: 'R', resourceType: 'x' } }],
    ['url', 'https://Example.org/ä', 'https://Example.org/ä'],
  ];
  it.each(rows)('%s: %j is %j', (name, sent, written, record) => {
    expect(rewritten({ [name]: sent }, record)).toEqual({ [name]: written });
  });

  it.each([
    ['3.0', '3.0'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['1.10', '1.1'],
    ['1e3', '1000.0'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1.0e+16'],
    ['1.25e20', '1.25e+20'],
    ['0.0001', '0.0001'],
    ['-0.00001', '-1.0e-05'],
  ])('the number %s in a text is %s (service.md, W23)', (json, text) => {
    expect(numberText(json)).toBe(text);
  });

  const scalar = fc.constantFrom(
    ...'MIT|mit|A & B|&amp;lt;|<i>x</i>|<u|5e-05| 1.5 |2024-01|German|'.split('|'),
    ...[null, true, 3, 2.5, CC0.rights, CC0.rightsUri, 'en', 'DOI'],
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('any'), { maxLength: 3 }), tie('object')),
    object: fc.dictionary(
      fc.constantFrom(
        ...'subject rights rightsIdentifier lang geoLocationPolygon ris identifierType'.split(' '),
      ),
      tie('any'),
      { maxKeys: 3 },
    ),
  })).any;
  const NAMES = `subjects rightsList version language publicationYear geoLocations types identifiers
    titles sizes`.split(/\s+/);

  it('is the same when it is written again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), value, value, (name, sent, stored) => {
        const record = rewritten({ [name]: stored });
        const written = rewritten({ [name]: sent }, record);
        expect(rewritten(written, record)).toEqual(written);
      }),
      { numRuns: runs(400) },
    );
  });

  it('is that of recorded records', () => {
    const { data } = JSON.parse(readFileSync('test/fixtures/dois-2024.json', 'utf8')) as {
      data: readonly { readonly attributes: JsonObject }[];
    };
    for (const { attributes } of data) {
      // These records are older than the numbers of degrees and than hidden identifiers.
      const { identifiers: _, geoLocations: __, ...shown } = attributes;
      const written = rewritten(shown, shown);
      expect(written).toEqual(shown);
    }
  });
});
