import { describe, expect, it } from 'vitest';
import { checkRecord } from '../../src/metadata/check.ts';
import { MalformedXml } from '../../src/metadata/xml/parse.ts';
import { storedFromXml, xmlDifference, xmlOf } from '../../src/metadata/xml-attributes.ts';
import { emulate } from '../helpers/emulator.ts';

const TITLE = '<title>T</title>';
const TITLES = `<titles>${TITLE}</titles>`;
const YEAR = '<publicationYear>2024</publicationYear>';
const PUBLISHER = '<publisher>P</publisher>';
const TEXT = `<?xml version="1.0"?>
<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5072/ABC</identifier>
<creators><creator><creatorName>A</creatorName></creator></creators>${TITLES}${PUBLISHER}${YEAR}
<resourceType resourceTypeGeneral="Dataset"/></resource>`;
const xmlWith = (from: string, to: string) => ({
  xml: Buffer.from(TEXT.replace(from, to)).toString('base64'),
});
const create = 'dois create --file - --url https://example.org/1'.split(' ');

/** What bolognese and maremma make of the same XML (service.md, S9). */
describe('what a record holds of its XML', () => {
  it.each([
    [
      'an element in a title',
      'T</title>',
      'a <it>01</it> b</title>',
      'titles',
      [{ title: 'a  b' }],
    ],
    ['an empty element in it', 'T</title>', 'a<br/>b</title>', 'titles', [{ title: 'ab' }]],
    ['an empty title', TITLE, `${TITLE}<title/>`, 'titles', [{ title: 'T' }, {}]],
    [
      'a reference in HTML',
      'T</title>',
      'Caf&amp;eacute;</title>',
      'titles',
      [{ title: 'Caf&eacute;' }],
    ],
    ['half a tag', 'T</title>', 'x &lt;y z</title>', 'titles', [{ title: 'x <y z' }]],
    ['an upper-case tag', 'T</title>', '<B>x</B> y</title>', 'titles', [{ title: 'y' }]],
    [
      'two publishers',
      PUBLISHER,
      `${PUBLISHER}<publisher>Q</publisher>`,
      'publisher',
      { name: 'P' },
    ],
    [
      'two years',
      YEAR,
      `${YEAR}<publicationYear>2025</publicationYear>`,
      'publicationYear',
      '2024',
    ],
    ['two versions', YEAR, `${YEAR}<version>1</version><version>2</version>`, 'version', '1'],
  ])('is sure without %s, and a Draft of it is created', async (_, from, to, name, value) => {
    const sent = xmlWith(from, to);
    expect(xmlOf(sent)).toMatchObject({ attributes: { [name]: value } });
    expect(storedFromXml(sent)).not.toHaveProperty(name);
    const emulator = await emulate();
    const { code, stderr } = await emulator.run(create, { stdin: TEXT.replace(from, to) });
    expect(code, stderr).toBe(0);
  });

  it.each(['Salt &amp;amp; Pepper', '<![CDATA[H<sub>2</sub>O]]>', 'H<sub>2</sub>O &amp; <i>x</i>'])(
    'is sure with the title %s, and a Draft of it is created',
    async (title) => {
      expect(storedFromXml(xmlWith(TITLE, `<title>${title}</title>`))).toHaveProperty('titles');
      const emulator = await emulate();
      const { code, stderr } = await emulator.run(create, {
        stdin: TEXT.replace('T</title>', `${title}</title>`),
      });
      expect(code, stderr).toBe(0);
    },
  );
});

describe('malformed XML', () => {
  it('has its column behind tags of HTML, too', () => {
    const found = (title: string) => xmlOf(xmlWith(TITLE, `\n<title>${title} & y</title>`));
    expect(found('H<sub>2</sub>O <b>x</b>')).toBeInstanceOf(MalformedXml);
    expect({ ...found('H<sub>2</sub>O <b>x</b>') }).toEqual({
      ...found('H(sub)2(/sub)O (b)x(/b)'),
    });
  });
});

describe('an update with XML', () => {
  const dates = '<dates><date dateType="Issued">2024</date></dates>';
  it('keeps the date of issue that the service makes of the year', () => {
    const [before, after] = xmlDifference(xmlWith(YEAR, YEAR + dates), xmlWith(YEAR, YEAR)) ?? [];
    expect(after?.['dates']).toEqual([{ date: '2024', dateType: 'Issued' }]);
    expect(before?.['dates']).toEqual(after?.['dates']);
    const [, none] = xmlDifference(xmlWith(YEAR, YEAR), xmlWith(YEAR, '')) ?? [];
    expect(none?.['dates']).toBe(null);
  });
});

const POINT =
  '<geoLocationPoint><pointLongitude>1</pointLongitude><pointLatitude>2</pointLatitude></geoLocationPoint>';
const placeOf = (inner: string) =>
  `${YEAR}<geoLocations><geoLocation>${inner}</geoLocation></geoLocations>`;

/** What the service cannot read, Draft or not (service.md, S9). */
describe('XML of a Draft', () => {
  it.each([
    ['several points', YEAR, placeOf(POINT + POINT), 'geoLocationPoint[2]'],
    ['a list that is a text', YEAR, `${YEAR}<dates>2020</dates>`, 'dates'],
    [
      'a type that is a text',
      'resourceTypeGeneral="Dataset"/>',
      '>Data</resourceType>',
      '@resourceTypeGeneral',
    ],
    [
      'an identifier without attributes',
      'A</creatorName>',
      'A</creatorName><nameIdentifier>1</nameIdentifier>',
      '@nameIdentifierScheme',
    ],
  ])('with %s is refused', async (_, from, to, end) => {
    const text = TEXT.replace(from, to).replace('<resourceType >', '<resourceType>');
    const errors = checkRecord({ xml: Buffer.from(text).toString('base64') }, 'draft').filter(
      ({ severity }) => severity === 'error',
    );
    expect(errors.map(({ path }) => path)).toEqual([
      expect.stringMatching(`${end.replace(/[[\]]/g, '.')}$`),
    ]);
    const { run } = await emulate();
    expect((await run([...create, '--no-validate'], { stdin: text })).code).not.toBe(0);
  });

  it('with one point is taken', () => {
    const sent = xmlWith(YEAR, placeOf(POINT));
    expect(checkRecord(sent, 'draft').filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});
