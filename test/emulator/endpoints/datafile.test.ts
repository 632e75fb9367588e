import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { sign } from 'aws4';
import { describe, expect, it } from 'vitest';
import { isSignedWith, readSignature } from '../../../src/emulator/endpoints/sigv4.ts';
import type { Request } from '../../../src/emulator/http/answer.ts';
import { DEMO, type Reply, type Service, serviceWith } from '../service.ts';

interface Keys {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
}

const keysOf = async (service: Service, who = DEMO) =>
  JSON.parse((await service.get('/credentials/datafile', who)).text) as Keys;

/** A signed GET below the bucket. */
async function signed(
  service: Service,
  keys: Keys,
  target: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { host } = new URL(service.baseUrl);
  const path = `/s3/monthly-datafile.datacite.org${target}`;
  const credentials = {
    accessKeyId: keys.access_key_id,
    secretAccessKey: keys.secret_access_key,
    sessionToken: keys.session_token,
  };
  const made = sign(
    { service: 's3', region: 'eu-west-1', host, path, headers: { ...more } },
    credentials,
  );
  const { Host: _, ...headers } = made.headers as Record<string, string>;
  return service.get(path, undefined, headers);
}

const codeOf = ({ status, text }: Reply) => [status, /<Code>(\w+)<\/Code>/.exec(text)?.[1]];

describe('the object store', () => {
  it('checks signatures as the object store does', () => {
    // The GetObject example in the documentation of Signature Version 4.
    const headers = {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': createHash('sha256').digest('hex'),
      'x-amz-date': '20130524T000000Z',
    };
    const request = { verb: 'GET', path: '/test.txt', query: '', headers } as unknown as Request;
    const given = {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      scope: ['20130524', 'us-east-1', 's3', 'aws4_request'],
      signedHeaders: Object.keys(headers),
      signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    };
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    expect(isSignedWith(secret, request, given)).toBe(true);
    expect(isSignedWith(`${secret}x`, request, given)).toBe(false);
    expect(isSignedWith(secret, { ...request, path: '/test.txu' }, given)).toBe(false);
    expect(readSignature('AWS4-HMAC-SHA256 Credential=x')).toBeUndefined();
  });

  it('answers good signatures only', async () => {
    const service = await serviceWith({ records: 5 });
    const keys = await keysOf(service);
    expect((await signed(service, keys, '/STATUS.json')).status).toBe(200);
    const path = '/s3/monthly-datafile.datacite.org/STATUS.json';
    expect(codeOf(await service.get(path))).toEqual([403, 'AccessDenied']);
    expect(codeOf(await service.get(path, DEMO))).toEqual([400, 'AuthorizationHeaderMalformed']);
    for (const [change, status, code] of [
      [{ access_key_id: 'ASIAX' }, 403, 'InvalidAccessKeyId'],
      [{ secret_access_key: 'x' }, 403, 'SignatureDoesNotMatch'],
      [{ session_token: 'x' }, 400, 'InvalidToken'],
    ] as const) {
      expect(codeOf(await signed(service, { ...keys, ...change }, '/STATUS.json'))).toEqual([
        status,
        code,
      ]);
    }
    const old = { 'x-amz-date': '20200101T000000Z' };
    expect(codeOf(await signed(service, keys, '/STATUS.json', old))).toEqual([
      403,
      'RequestTimeTooSkewed',
    ]);
    await service.control('clock', { advanceMs: 3_600_000 });
    expect(codeOf(await signed(service, keys, '/STATUS.json'))).toEqual([400, 'ExpiredToken']);
    expect((await signed(service, await keysOf(service), '/STATUS.json')).status).toBe(200);
  });

  it('holds the data file as it is documented', async () => {
    const service = await serviceWith({ records: 50 });
    const keys = await keysOf(service);
    const manifest = JSON.parse((await signed(service, keys, '/MANIFEST.json')).text) as {
      filename: string;
      size: number;
      sha256: string;
    }[];
    expect((await signed(service, keys, '/MANIFEST')).text.split('\n')[0]).toBe(
      `${manifest[0]?.filename} ${manifest[0]?.size} ${manifest[0]?.sha256}`,
    );
    expect(JSON.parse((await signed(service, keys, '/STATUS.json')).text)).toMatchObject({
      status: 'Complete',
    });
    const table = manifest.find(({ filename }) => filename.endsWith('.csv.gz'));
    const reply = await fetchBytes(service, keys, `/${table?.filename}`);
    expect(createHash('sha256').update(reply).digest('base64')).toBe(table?.sha256);
    expect(gunzipSync(reply).toString()).toMatch(
      /^doi,state,client_id,updated\n10\.\S+,(findable|registered),/,
    );
  });

  it('knows ranges and conditions', async () => {
    const service = await serviceWith({ records: 5 });
    await service.control('datafile', {
      key: 'x',
      body: Buffer.from('0123456789').toString('base64'),
    });
    const keys = await keysOf(service);
    const get = (headers: Record<string, string>) => signed(service, keys, '/x', headers);
    const rest = await get({ range: 'bytes=4-' });
    expect([rest.status, rest.text, rest.headers.get('content-range')]).toEqual([
      206,
      '456789',
      'bytes 4-9/10',
    ]);
    for (const [range, text] of [
      ['bytes=2-3', '23'],
      ['bytes=-3', '789'],
      ['bytes=-30', '0123456789'],
      ['bytes=8-30', '89'],
      ['bytes=3-2', '0123456789'],
      ['bytes=0-1,3-4', '0123456789'],
    ] as const)
      expect((await get({ range })).text, range).toBe(text);
    for (const range of ['bytes=10-', 'bytes=-0'])
      expect(codeOf(await get({ range })), range).toEqual([416, 'InvalidRange']);
    const [etag, modified] = ['etag', 'last-modified'].map((name) => rest.headers.get(name) ?? '');
    for (const [name, value, status] of [
      ['if-match', '"other"', 412],
      ['if-match', `"other", ${etag}`, 200],
      ['if-none-match', etag, 304],
      ['if-none-match', '*', 304],
      ['if-none-match', '"other"', 200],
      ['if-modified-since', modified, 304],
      ['if-unmodified-since', 'Thu, 01 Jan 2015 00:00:00 GMT', 412],
    ] as const)
      expect((await get({ [name]: value ?? '' })).status, `${name}: ${value}`).toBe(status);
    const whole = await get({ 'x-amz-checksum-mode': 'ENABLED' });
    expect(whole.headers.get('x-amz-checksum-sha256')).toBe(
      createHash('sha256').update('0123456789').digest('base64'),
    );
    expect(codeOf(await signed(service, keys, '/none'))).toEqual([404, 'NoSuchKey']);
    await service.control('datafile', { key: 'x' });
    expect(codeOf(await get({}))).toEqual([404, 'NoSuchKey']);
  });

  it('lists by prefix, page by page', async () => {
    const service = await serviceWith({ records: 5 });
    const keys = await keysOf(service);
    const page = (query: string) =>
      signed(service, keys, `?list-type=2&encoding-type=url&${query}`);
    const first = await page('max-keys=2');
    const token = /<NextContinuationToken>([^<]*)</.exec(first.text)?.[1] ?? '';
    expect(first.text).toContain(
      '<KeyCount>2</KeyCount><MaxKeys>2</MaxKeys><EncodingType>url</EncodingType><IsTruncated>true',
    );
    const second = await page(`continuation-token=${token}`);
    expect(second.text).toContain('<IsTruncated>false');
    const keysIn = ({ text }: Reply) =>
      [...text.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key);
    expect([...keysIn(first), ...keysIn(second)]).toEqual(keysIn(await page('max-keys=1000')));
    expect(keysIn(await page('prefix=STATUS'))).toEqual(['STATUS.json']);
    for (const wrong of ['continuation-token=', 'max-keys=-1', 'max-keys=x'])
      expect(codeOf(await page(wrong)), wrong).toEqual([400, 'InvalidArgument']);
    expect((await page('max-keys=2000')).text).toContain('<MaxKeys>1000</MaxKeys>');
    expect((await page('max-keys=0')).text).toContain('<IsTruncated>false');
    expect(keysIn(await page('start-after=MANIFEST.json'))).toEqual(
      keysIn(await page('')).filter((key) => String(key) > 'MANIFEST.json'),
    );
    const folders = await page('delimiter=/');
    expect(keysIn(folders)).toEqual(['MANIFEST', 'MANIFEST.json', 'STATUS.json']);
    expect(folders.text).toContain('<CommonPrefixes><Prefix>dois/</Prefix></CommonPrefixes>');
    const months = (await page('delimiter=/&prefix=dois/&max-keys=1')).text;
    expect(months).toMatch(/<KeyCount>1<.*<IsTruncated>true<.*<Prefix>dois\/updated_[\d-]+\/</);
    expect(keysIn(await signed(service, keys, '?max-keys=1&marker=MANIFEST'))).toEqual([
      'MANIFEST.json',
    ]);
  });

  it('fails on request, and is not counted by the rate limit of the service', async () => {
    const service = await serviceWith({ records: 5, rateLimit: { requests: 1, windowMs: 60_000 } });
    const keys = await keysOf(service);
    for (const [fault, status, code] of [
      ['slow-down', 503, 'SlowDown'],
      ['expired-token', 400, 'ExpiredToken'],
    ] as const) {
      await service.control('faults', { faults: [fault] });
      expect(codeOf(await signed(service, keys, '/STATUS.json'))).toEqual([status, code]);
      expect(codeOf(await signed(service, keys, '?list-type=2'))).toEqual([status, code]);
    }
    await service.control('faults', { faults: ['cut-object'] });
    await expect(signed(service, keys, '/STATUS.json')).rejects.toThrow('terminated');
    expect((await signed(service, keys, '?list-type=2')).status).toBe(200);
    await service.control('faults', { faults: ['damage-object'] });
    expect((await signed(service, keys, '/STATUS.json')).text).not.toMatch(/\}$/);
  });
});

async function fetchBytes(service: Service, keys: Keys, target: string): Promise<Buffer> {
  const { host } = new URL(service.baseUrl);
  const path = `/s3/monthly-datafile.datacite.org${target}`;
  const made = sign(
    { service: 's3', region: 'eu-west-1', host, path },
    {
      accessKeyId: keys.access_key_id,
      secretAccessKey: keys.secret_access_key,
      sessionToken: keys.session_token,
    },
  );
  const { Host: _, ...headers } = made.headers as Record<string, string>;
  return Buffer.from(await (await fetch(service.baseUrl + path, { headers })).arrayBuffer());
}
