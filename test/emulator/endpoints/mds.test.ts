import { describe, expect, it } from 'vitest';
import { basic, DEMO, MEMBER, OTHER, type Service, serviceWith } from '../service.ts';

const xml = (identifier: string, more = '') =>
  `<?xml version="1.0"?><r:resource xmlns:r="http://datacite.org/schema/kernel-4"><r:identifier identifierType="DOI">${identifier}</r:identifier>
<r:creators><r:creator><r:creatorName>A &#x4e2d;</r:creatorName><r:affiliation>K</r:affiliation></r:creator></r:creators>
<r:titles><r:title titleType='Subtitle'><![CDATA[<T>]]></r:title></r:titles><r:publisher>P</r:publisher>
<r:publicationYear>2020</r:publicationYear><r:resourceType resourceTypeGeneral="Dataset"/>${more}</r:resource>`;
const TEXT = { 'content-type': 'text/plain;charset=UTF-8' };
const XML = { 'content-type': 'application/xml;charset=UTF-8' };
const send = (service: Service, method: string, path: string, body?: string, who = DEMO) =>
  service.send(method, `/mds/${path}`, body, who, path.startsWith('metadata') ? XML : TEXT);
const told = async (reply: ReturnType<typeof send>) => {
  const { status, text } = await reply;
  return [status, text];
};

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
      titles: [{ title: '<T>', titleType: 'Subtitle' }],
      publicationYear: 2020,
      xml: Buffer.from(xml('10.5072/A')).toString('base64'),
    });
    expect((await send(service, 'GET', 'metadata/10.5072%2FA')).text).toBe(xml('10.5072/A'));
    // A change through the REST API makes new XML.
    await service.send('PUT', '/dois/10.5072/a', { data: { attributes: { version: '2' } } }, DEMO);
    expect((await send(service, 'GET', 'metadata/10.5072/a')).text).toContain('<version>2</version>');
  });

  it('deletes drafts, and hides what is Findable', async () => {
    const service = await serviceWith();
    await send(service, 'PUT', 'metadata/10.5072/a', xml(''));
    expect(await told(send(service, 'DELETE', 'doi/10.5072/a'))).toEqual([200, 'OK']);
    expect(await told(send(service, 'DELETE', 'doi/10.5072/a'))).toEqual([404, 'DOI not found']);
    await send(service, 'PUT', 'metadata/10.5072/a', xml(''));
    const body = 'doi=10.5072/a\nurl=https://example.org/';
    expect(await told(send(service, 'PUT', 'doi/10.5072/a', body))).toEqual([201, 'OK']);
    expect(await told(send(service, 'DELETE', 'doi/10.5072/a'))).toEqual([405, 'Method not allowed']);
    expect(await told(send(service, 'DELETE', 'metadata/10.5072/a'))).toEqual([200, 'OK']);
    expect((await service.get('/dois/10.5072/a')).status).toBe(404);
  });

  it('refuses in plain text', async () => {
    const service = await serviceWith();
    await send(service, 'PUT', 'metadata/10.5072/a', xml(''));
    for (const [method, path, body, who, status, text] of [
      [
        'GET',
        'doi/10.5072/a',
        undefined,
        '',
        401,
        'An Authentication object was not found in the SecurityContext',
      ],
      ['GET', 'doi/10.5072/a', undefined, basic('DEMO.REPO', 'x'), 401, 'Bad credentials'],
      ['GET', 'doi/10.5072/a', undefined, OTHER, 403, 'Access is denied'],
      ['GET', 'metadata/10.5072/a', undefined, OTHER, 404, 'DOI is unknown to MDS'],
      ['PUT', 'metadata/10.5072/b', xml(''), MEMBER, 403, 'Access is denied'],
      ['PUT', 'metadata/10.5281/b', xml(''), DEMO, 403, 'Access is denied'],
      ['PUT', 'doi/10.5072/a', 'url=https://a.b/', DEMO, 400, "param 'doi' required"],
      ['PUT', 'doi/10.5072/a', 'doi=10.5072/a', DEMO, 400, "param 'url' required"],
      [
        'PUT',
        'doi/10.5072/a',
        'doi=10.5072/b\nurl=https://a.b/',
        DEMO,
        400,
        'doi parameter does not match doi of resource',
      ],
      // 200, because MDS refuses it before it asks the REST API, and has no status of its own for that.
      ['PUT', 'doi/10.5072/a', 'doi=10.5072/a\nurl=a.b', DEMO, 200, 'Not a valid HTTP(S) or FTP URL'],
      ['PUT', 'doi/10.5072/new', 'doi=10.5072/new\nurl=https://a.b/', DEMO, 422, "Can't be blank"],
      ['POST', 'metadata', '', DEMO, 404, 'DOI not found'],
      ['PUT', 'metadata/10.5072/c', '', DEMO, 422, "Can't be blank"],
      ['GET', 'metadata/none', undefined, DEMO, 404, 'DOI not found'],
      ['POST', 'metadata', '<resource><a></resource>', DEMO, 415, 'Metadata format not recognized'],
      ['POST', 'metadata', '<a/><b/>', DEMO, 415, 'Metadata format not recognized'],
      ['POST', 'metadata', xml('none'), DEMO, 404, 'DOI not found'],
      ['GET', 'media/10.5072/none', undefined, DEMO, 404, 'DOI is unknown to MDS'],
      ['POST', 'media/10.5072/a', '', DEMO, 200, 'Media type and URL missing'],
      ['GET', 'nothing', undefined, DEMO, 404, 'Resource not found'],
    ] as const) {
      const reply = await send(service, method, path, body, who);
      expect([reply.status, reply.text], `${method} ${path}`).toEqual([status, text]);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await service.send('POST', '/mds/metadata', xml(''), DEMO, form)).status).toBe(415);
  });
});
