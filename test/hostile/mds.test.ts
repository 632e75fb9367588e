import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryKeychain } from '../helpers/memory-keychain.ts';
import { type RunOptions, run } from '../helpers/run.ts';
import { type Answer, answer, serve } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const KEY = `DC.${'0123456789abcdef'.repeat(2)}`;
const XML = '<resource xmlns="http://datacite.org/schema/kernel-4"/>';

const text =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);

/** A service with one answer, as MDS and as the REST API, and the environment that leads there. */
async function mds(
  answers: readonly Answer[],
  env: Readonly<Record<string, string | undefined>> = {},
) {
  const { url, asked } = await serve(...answers);
  const own = {
    DOI_CLI_BASE_URL: url.origin,
    DOI_CLI_MDS_URL: url.origin,
    DOI_CLI_REPOSITORY: 'DEMO.REPO',
    DOI_CLI_PASSWORD: 'secret',
    ...env,
  };
  return {
    url,
    asked,
    run: (argv: readonly string[], options: RunOptions = {}) =>
      run(['mds', ...argv], { ...options, env: { ...own, ...options.env } }),
    /** The user names and passwords that were sent. */
    basic: () =>
      asked.map(({ headers }) =>
        Buffer.from(String(headers.authorization).replace('Basic ', ''), 'base64').toString(),
      ),
  };
}

const KEY_ALONE = {
  DOI_CLI_REPOSITORY: undefined,
  DOI_CLI_PASSWORD: undefined,
  DOI_CLI_API_KEY: KEY,
};

describe('an API key for MDS', () => {
  it('is the password of the account of the environment', async () => {
    const service = await mds([text(200, 'https://example.org/')], {
      ...KEY_ALONE,
      DOI_CLI_REPOSITORY: 'DEMO.REPO',
    });
    expect(await service.run(['doi', 'get', '10.5072/x'])).toMatchObject({ code: 0 });
    expect(service.basic()).toEqual([`DEMO.REPO:${KEY}`]);
  });

  it('is the password of the account that the REST API names', async () => {
    const named = answer(200, { data: [], meta: { total: 0 } });
    const service = await mds([named, text(200, 'https://example.org/')], KEY_ALONE);
    expect(await service.run(['doi', 'get', '10.5072/x'])).toMatchObject({ code: 0 });
    expect(service.basic()).toEqual([`${KEY}:`, `demo.repo:${KEY}`]);
    expect(service.asked.map(({ url }) => url.split('?')[0])).toEqual([
      '/dois',
      '/doi/10.5072%2Fx',
    ]);
  });

  it('is the password of the account that it was stored for', async () => {
    const service = await mds([text(200, 'https://example.org/')], {
      ...KEY_ALONE,
      DOI_CLI_API_KEY: undefined,
    });
    const baseUrl = service.url.origin;
    const folder = temporaryDirectory();
    const stored = [{ baseUrl, kind: 'api-key', account: 'DEMO.REPO', place: 'keychain' }];
    const settings = { profiles: { default: { repository: 'DEMO.REPO' } }, stored };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(settings));
    const keychain = new MemoryKeychain();
    await keychain.set(`${baseUrl}|api-key|demo.repo`, KEY);
    const env = { DOI_CLI_CONFIG_DIR: folder };
    expect(await service.run(['doi', 'get', '10.5072/x'], { keychain, env })).toMatchObject({
      code: 0,
    });
    expect(service.basic()).toEqual([`DEMO.REPO:${KEY}`]);
  });

  it('is the user name with a word as password where nobody names its account', async () => {
    // A key for another service: it is not sent to the REST API of the base URL.
    const service = await mds([text(200, 'https://example.org/')], {
      ...KEY_ALONE,
      DOI_CLI_BASE_URL: 'https://api.test.datacite.org',
    });
    expect(await service.run(['doi', 'get', '10.5072/x'])).toMatchObject({ code: 0 });
    expect(service.basic()).toEqual([`${KEY}:api-key`]);
  });

  it.each([`DC.${'0123456789abcdef'.repeat(2)}`, 'a-key-of-another-shape'])(
    'is masked where MDS repeats it: %s',
    async (key) => {
      const basic = Buffer.from(`${key}:api-key`).toString('base64');
      const repeated = text(422, `${key} and Basic ${basic} are wrong`, {
        'x-credential-username': key,
      });
      const service = await mds([repeated], {
        ...KEY_ALONE,
        DOI_CLI_API_KEY: key,
        DOI_CLI_BASE_URL: 'https://api.test.datacite.org',
      });
      const { code, stdout, stderr } = await service.run(['doi', 'get', '10.5072/x', '--verbose']);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('***');
      expect(stderr).not.toContain(key);
      expect(stderr).not.toContain(basic.slice(0, 20));
    },
  );

  it('is refused where the REST API refuses it, before MDS is asked', async () => {
    const silent = answer(200, { data: [], meta: { total: 0 } }, { 'x-credential-username': '' });
    const service = await mds([silent, text(201, 'OK')], KEY_ALONE);
    expect(await service.run(['doi', 'put', '10.5072/x', '--url', 'https://a.b/'])).toMatchObject({
      code: 4,
      stdout: '',
    });
    expect(service.asked).toHaveLength(1);
  });
});

describe('mds doi put', () => {
  // Each as MDS reads it: CGI.unescape of the rest of the line (service.md, M4).
  it.each(
    `https://example.org/a+b https://example.org/a%20b https://example.org/?a=1%26b&c=%2B+%25
    https://example.org/100% https://example.org/é/%C3%A9`.split(/\s+/),
  )('registers %s and no other address', async (url) => {
    const service = await mds([text(201, 'OK')]);
    expect(await service.run(['doi', 'put', '10.5072/a+b%41', '--url', url])).toMatchObject({
      code: 0,
    });
    const lines = service.asked[0]?.body.split('\n').map((line) => unescapedAsForm(line.slice(4)));
    expect(lines).toEqual(['10.5072/a+b%41', url]);
  });
});

function unescapedAsForm(value: string): string {
  return decodeURIComponent(value.replaceAll('+', ' '));
}

describe('mds media post', () => {
  it.each([
    ['https://example.org/?a=b', 'https://example.org/?a'],
    ['https://example.org/=', 'https://example.org/'],
    ['s3://bucket/a==', 's3://bucket/a'],
  ])('refuses %s, which MDS would cut off, before any request', async (url, kept) => {
    const service = await mds([text(200, 'OK')]);
    const message = expect.stringContaining(`keep '${kept}'`);
    const post = ['media', 'post', '10.5072/x'];
    expect(await service.run([...post, '--type', 'a/b', '--url', url])).toMatchObject({
      code: 2,
      stderr: message,
    });
    expect(service.asked).toEqual([]);
  });

  it.each(['http', 'https', 'ftp', 'gs', 's3', 'dos'])('takes an address of %s', async (scheme) => {
    const service = await mds([text(200, 'OK')]);
    const argv = ['media', 'post', '10.5072/x', '--type', 'a/b', '--url', `${scheme}://x/y`];
    expect(await service.run(argv)).toMatchObject({ code: 0 });
    expect(service.asked[0]?.body).toBe(`a/b=${scheme}://x/y`);
  });
});

describe('mds metadata post', () => {
  it.each([
    ['10.5072/X', 'OK (10.5072/x)', 0],
    ['10.5072/x', 'OK (10.5072/X)\n', 0],
    ['10.5072/x', 'OK', 0],
    ['10.5072/x', 'OK (10.5072/Y)', 1],
    ['10.5072/x', 'OK (10.5072/X1)', 1],
    ['10.5072/x', 'OK ()', 1],
    // A prefix always gets a random DOI (service.md, M6).
    ['10.5072', 'OK (10.5072/ABCD-1234)', 0],
    ['10.5072', 'OK (10.50721/ABCD-1234)', 1],
    ['10.5072', 'OK (10.5072)', 1],
  ])('of %s with the answer %j ends with %i', async (name, body, expected) => {
    const service = await mds([text(201, body)]);
    const argv = ['metadata', 'post', name, '--file', '-'];
    const { code, stdout, stderr } = await service.run(argv, { stdin: XML });
    expect(code).toBe(expected);
    if (expected === 0) expect(stdout).toBe(`${body.trim()}\n`);
    else expect([stdout, stderr]).toEqual(['', expect.stringContaining('another DOI')]);
  });
});

describe('a line of MDS', () => {
  it.each([
    ['https://example.org/\nerror: fake\r\u001b[2J', ['doi', 'get', '10.5072/x']],
    ['OK\nerror: fake\r\u001b[2J', ['doi', 'put', '10.5072/x', '--url', 'https://example.org/']],
  ])('stays one on a terminal, and as it is elsewhere: %j', async (body, argv) => {
    const service = await mds([text(200, body)]);
    const shown = await service.run(argv, { terminal: { stdout: true } });
    expect(shown.stdout).toBe(`${body.replace('\n', '\\x0a').replace('\r\u001b', '\\x0d\\x1b')}\n`);
    expect((await service.run(argv)).stdout).toBe(`${body}\n`);
  });
});

describe('mds doi list', () => {
  it('prints what MDS lists, and says when there is nothing', async () => {
    const service = await mds([text(200, '10.5072/A\n10.5072/B')]);
    expect(await service.run(['doi', 'list'])).toMatchObject({
      code: 0,
      stdout: '10.5072/A\n10.5072/B\n',
      stderr: '',
    });
    expect(service.asked).toMatchObject([{ method: 'GET', url: '/doi' }]);
    const none = await mds([text(204, '')]);
    expect(await none.run(['doi', 'list'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: /lists no DOIs/,
    });
    const other = await mds([text(200, '10.5072/A\nerror: fake')]);
    expect(await other.run(['doi', 'list'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: /not a list of DOIs/,
    });
  });

  it('uses the password, and refuses an API key alone before any request', async () => {
    const both = await mds([text(200, '10.5072/A')], { DOI_CLI_API_KEY: KEY });
    expect(await both.run(['doi', 'list'])).toMatchObject({ code: 0 });
    expect(both.basic()).toEqual(['DEMO.REPO:secret']);
    const alone = await mds([text(200, '10.5072/A')], KEY_ALONE);
    expect(await alone.run(['doi', 'list'])).toMatchObject({
      code: 4,
      stderr: /listing DOIs with MDS needs repository credentials, which an API key cannot replace/,
    });
    expect(alone.asked).toEqual([]);
  });
});
