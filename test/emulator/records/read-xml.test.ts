import { describe, expect, it } from 'vitest';
import { DEMO, serviceWith } from '../service.ts';

const document = (inner: string, attributes = '') =>
  `<?xml version="1.0"?><resource xmlns="http://datacite.org/schema/kernel-4" ${attributes}><identifier identifierType="DOI">10.5072/A</identifier>
<creators><creator><creatorName>J. Miller - Doe</creatorName><givenName>Jo</givenName><familyName>Miller</familyName></creator>
<creator><creatorName>Library - Archive</creatorName></creator></creators><titles><title>Cats &amp; <i>dogs</i></title></titles>
<publisher>P</publisher><publicationYear>2020</publicationYear><resourceType resourceTypeGeneral="Text">Journal article</resourceType>${inner}</resource>`;

async function created(text: string) {
  const service = await serviceWith();
  const xml = Buffer.from(text).toString('base64');
  const attributes = { doi: '10.5072/a', url: 'https://example.org/a', event: 'publish', xml };
  const reply = await service.send('POST', '/dois', { data: { attributes } }, DEMO);
  const { data } = JSON.parse(reply.text) as {
    data?: { attributes: Readonly<Record<string, unknown>> };
  };
  return { status: reply.status, held: data?.attributes ?? {} };
}

/**
 * bolognese: lib/bolognese/readers/datacite_reader.rb, author_utils.rb, utils.rb (`sanitize`,
 * `hsh_to_spdx`).
 */
describe('the metadata of XML', () => {
  it('has clean texts, names as they are, and types by their exact names', async () => {
    const { status, held } = await created(document(''));
    expect(status).toBe(201);
    expect(held).toMatchObject({
      titles: [{ title: 'Cats &amp; <i>dogs</i>' }],
      creators: [{ name: 'J. Miller - Doe', givenName: 'Jo' }, { name: 'Library - Archive' }],
      types: { ris: 'RPRT' },
    });
  });

  it.each([
    ['Salt &amp;amp; Pepper', 'Salt &amp; Pepper'],
    ['<![CDATA[H<sub>2</sub>O <u>&</u> &lt;]]>', 'H&lt;sub&gt;2&lt;/sub&gt;O &amp; &lt;'],
    [
      '&amp;quot;&amp;#233;t&amp;#xe9;&amp;quot; &amp;unknown; a &lt; b',
      '"été" &amp;unknown; a &lt; b',
    ],
  ])('has %s as HTML', async (title, held) => {
    const { held: record } = await created(document('').replace('Cats &amp; <i>dogs</i>', title));
    expect(record['titles']).toEqual([{ title: held }]);
  });

  it('has the dates that the service can read (service.md, S12)', async () => {
    const date = (text: string, attributes = 'dateType="Collected"') =>
      `<date ${attributes}>${text}</date>`;
    const texts = ['2021-06-01T08:30Z', '2020-05/', '2021-06-01T08:30:00.5Z', '2020/2021', ' '];
    const { status, held } = await created(
      document(`<dates>${texts.map((text) => date(text)).join('')}</dates>`),
    );
    expect([status, held['dates']]).toEqual([201, [{ date: '2020/2021', dateType: 'Collected' }]]);
  });

  it('has rights by their address, DOIs without a resolver, and no empty values', async () => {
    const related = (text: string) =>
      `<relatedIdentifier relatedIdentifierType="DOI" relationType="Cites">${text}</relatedIdentifier>`;
    const { held } = await created(
      document(`<rightsList><rights rightsURI="http://creativecommons.org/publicdomain/zero/1.0/"/></rightsList>
<relatedIdentifiers>${related('https://doi.org/10.5072/B')}${related('none')}</relatedIdentifiers><sizes><size> </size></sizes>
<language>GER</language>`),
    );
    expect(held).toMatchObject({
      rightsList: [{ rightsIdentifier: 'cc0-1.0', rights: 'Creative Commons Zero v1.0 Universal' }],
      relatedIdentifiers: [{ relatedIdentifier: '10.5072/b' }, { relationType: 'Cites' }],
      sizes: [],
      language: 'GER',
    });
    expect((held['relatedIdentifiers'] as object[])[1]).not.toHaveProperty('relatedIdentifier');
  });

  it('may name the place of its schema with any prefix', async () => {
    const place = 'xmlns:n="http://www.w3.org/2001/XMLSchema-instance" n:schemaLocation="a b"';
    expect((await created(document('', place))).status).toBe(201);
  });

  it.each([
    ['n:schemaLocation="x"', 201],
    ['n:noNamespaceSchemaLocation="x"', 201],
    ['n:nil="false"', 422],
    ['n:foo="x"', 422],
    ['m:schemaLocation="x"', 422],
  ])('may have the attribute %s of XML Schema further down: %i', async (attribute, status) => {
    const spaces =
      'xmlns:n="http://www.w3.org/2001/XMLSchema-instance" xmlns:m="https://example.org"';
    for (const inner of [
      '',
      '<geoLocations><geoLocation><geoLocationPlace/></geoLocation></geoLocations>',
    ]) {
      const text = document(inner, spaces);
      const element = inner === '' ? '<titles' : '<geoLocationPlace';
      // The schema does not check this element.
      const expected = inner !== '' && attribute.startsWith('m') ? 201 : status;
      const { status: found } = await created(text.replace(element, `${element} ${attribute}`));
      expect([element, found]).toEqual([element, expected]);
    }
  });

  it.each([
    '<!DOCTYPE resource>',
    '<!DOCTYPE resource SYSTEM "a.dtd">',
    `<!DOCTYPE resource [\n<!ENTITY foo "b]>ar"> <!-- ]> isn't -->\n<!ELEMENT title ANY>]>`,
  ])('is read behind %s', async (type) => {
    const { status, held } = await created(document('').replace('<resource', `${type}<resource`));
    expect([status, held['publicationYear']]).toEqual([201, 2020]);
  });

  it('cannot be read if a list is there twice or is a text, or has several points', async () => {
    const place = (inner: string) =>
      `<geoLocations><geoLocation>${inner}</geoLocation></geoLocations>`;
    const point =
      '<geoLocationPoint><pointLongitude>1</pointLongitude>' +
      '<pointLatitude>2</pointLatitude></geoLocationPoint>';
    const two = place(point + point);
    const texts = ['<sizes/><sizes/>', '<dates>2020</dates>', '<resourceType/>', two];
    for (const text of texts) expect((await created(document(text))).status).toBe(500);
    const item = (number: string) =>
      `<relatedItems><relatedItem relatedItemType="Book" relationType="Cites">
        <relatedItemIdentifier>1</relatedItemIdentifier>${number}</relatedItem></relatedItems>`;
    const one = '<number>1</number>';
    expect((await created(document(item(one + one)))).status).toBe(500);
    expect((await created(document(place(point) + item(one)))).status).toBe(201);
  });

  it('is refused with an identifier without attributes, or an empty person', async () => {
    const library = /<creatorName>Lib.*?<\/creatorName>/;
    for (const inner of ['$&<nameIdentifier>1</nameIdentifier>', ''])
      expect((await created(document('').replace(library, inner))).status).toBe(422);
  });

  it('takes nothing away that is no list', async () => {
    const service = await serviceWith();
    const send = (attributes: object) =>
      service.send('PUT', '/dois/10.5072/a', { data: { attributes } }, DEMO);
    const kept = { container: { title: 'C' }, language: 'de', version: '1' };
    await send({ ...kept, sizes: ['1 B'] });
    const { text } = await send({ xml: Buffer.from(document('')).toString('base64') });
    const { attributes } = (JSON.parse(text) as { data: { attributes: object } }).data;
    expect(attributes).toMatchObject({ ...kept, sizes: [] });
  });
});
