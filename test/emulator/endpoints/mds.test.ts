import { describe, expect, it } from 'vitest';
import { DEMO, MEMBER, OTHER, type Service, serviceWith } from '../service.ts';

const xml = (identifier: string, more = '') =>
  `<?xml version="1.0"?><r:resource xmlns:r="http://datacite.org/schema/kernel-4"><r:identifier identifierType="DOI">${identifier}</r:identifier>
<r:creators><r:creator><r:creatorName>A &#x4e2d;</r:creatorName><r:affiliation>K</r:affiliation></r:creator></r:creators>
<r:titles><r:title titleType='Subtitle'><![CDATA[A < T]]></r:title></r:titles><r:publisher>P</r:publisher>
<r:publicationYear>2020</r:publicationYear><r:resourceType resourceTypeGeneral="Dataset"/>${more}</r:resource>`;
const TEXT = { 'content-type': 'text/plain;charset=UTF-8' };
const XML = { 'content-type': 'application/xml;charset=UTF-8' };
const send = (service: Service, method: string, path: string, body?: string, who = DEMO) =>
  service.send(method, `/mds/${path}`, body, who, path.startsWith('metadata') ? XML : TEXT);

describe('the MDS API', () => {
  it('reads XML of the schema, whatever its prefixes, and keeps it', async () => {
    const service = await serviceWith();
    const reply = await send(service, 'POST', 'metadata', xml('10.5072/A'));
    expect([reply.status, reply.text]).toEqual([201, 'OK (10.5072/A)']);
    expect(reply.headers.get('location')).toBe(`${service.baseUrl}/mds/metadata/10.5072/a`);
    const { data } = JSON.parse((await service.get('/dois/10.5072/a', DEMO)).text) as {
      data: { attributes: object };
    };
    expect(data.attributes).toMatchObject({
      state: 'draft',
      source: 'mds',
      creators: [{ name: 'A 中', affiliation: ['K'] }],
      titles: [{ title: 'A &lt; T', titleType: 'Subtitle' }],
      publicationYear: 2020,
      xml: Buffer.from(xml('10.5072/A')).toString('base64'),
    });
    expect((await send(service, 'GET', 'metadata/10.5072%2FA')).text).toBe(xml('10.5072/A'));
    // A change through the REST API makes new XML.
    await service.send('PUT', '/dois/10.5072/a', { data: { attributes: { version: '2' } } }, DEMO);
    expect((await send(service, 'GET', 'metadata/10.5072/a')).text).toContain(
      '<version>2</version>',
    );
  });

  it('refuses in plain text', async () => {
    const service = await serviceWith();
    await send(service, 'PUT', 'metadata/10.5072/a', xml(''));
    for (const [method, path, body, who, status, text] of [
      ['GET', 'metadata/10.5072/a', undefined, OTHER, 404, 'DOI is unknown to MDS'],
      ['PUT', 'metadata/10.5072/b', xml(''), MEMBER, 403, 'Access is denied'],
      ['POST', 'metadata', '', DEMO, 404, 'DOI not found'],
      ['POST', 'metadata', '<resource><a></resource>', DEMO, 415, 'Metadata format not recognized'],
      ['POST', 'metadata', '<a/><b/>', DEMO, 415, 'Metadata format not recognized'],
      ['POST', 'metadata', xml('none'), DEMO, 404, 'DOI not found'],
    ] as const) {
      const reply = await send(service, method, path, body, who);
      expect([reply.status, reply.text], `${method} ${path}`).toEqual([status, text]);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
  });
});
