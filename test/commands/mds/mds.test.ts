import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../../helpers/emulator.ts';
import { MemoryKeychain } from '../../helpers/memory-keychain.ts';
import { run } from '../../helpers/run.ts';
import { answer, serve } from '../../helpers/server.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<!-- by hand -->
<resource xmlns="http://datacite.org/schema/kernel-4">
  <identifier identifierType="DOI">10.5072/MDS-1</identifier>
  <creators><creator><creatorName nameType="Personal">Lovelace, Ada</creatorName></creator></creators>
  <titles><title>Ein &lt;Titel&gt; &amp; 中</title></titles>
  <publisher>P</publisher>
  <publicationYear>2020</publicationYear>
  <resourceType resourceTypeGeneral="Dataset">Table</resourceType>
</resource>
`;
const post = (emulator: TestEmulator, ...more: string[]) =>
  emulator.run(['mds', 'metadata', 'post', ...more, '--file', '-'], { stdin: XML });
const put = (emulator: TestEmulator, doi = '10.5072/mds-1') =>
  emulator.run(['mds', 'doi', 'put', doi, '--url', 'https://example.org/1']);
const stateOf = async (emulator: TestEmulator, doi = '10.5072/mds-1') => {
  const { stdout } = await emulator.run(['dois', 'get', doi]);
  return (JSON.parse(stdout) as { data?: unknown; attributes: Record<string, unknown> }).attributes;
};

describe('mds', () => {
  it('takes a DOI from its XML to Findable and back, and gives the XML back as it came', async () => {
    const emulator = await emulate();
    expect(await post(emulator)).toMatchObject({
      code: 0,
      stdout: 'OK (10.5072/MDS-1)\n',
      // HTML, without unknown tags (service.md, S10).
      stderr: expect.stringMatching(
        /^warning: stdin:6: resource\/titles\/title\[1\]: "<Titel>" would be lost: .*\n$/,
      ) as string,
    });
    expect(await stateOf(emulator)).toMatchObject({
      state: 'draft',
      titles: [{ title: 'Ein &amp; 中' }],
      creators: [{ name: 'Lovelace, Ada', nameType: 'Personal' }],
      types: { resourceTypeGeneral: 'Dataset' },
      // The service takes white space from both ends.
      xml: Buffer.from(XML.trim()).toString('base64'),
    });
    const none = await emulator.run(['mds', 'doi', 'get', '10.5072/mds-1']);
    expect([none.code, none.stderr]).toEqual([1, 'error: 10.5072/mds-1 has no address in MDS\n']);
    expect(await put(emulator)).toMatchObject({ code: 0, stdout: 'OK\n' });
    expect(await stateOf(emulator)).toMatchObject({
      state: 'findable',
      url: 'https://example.org/1',
    });
    expect(
      (await emulator.run(['mds', 'doi', 'get', 'https://doi.org/10.5072/MDS-1'])).stdout,
    ).toBe('https://example.org/1\n');
    expect((await emulator.run(['mds', 'metadata', 'get', '10.5072/mds-1'])).stdout.trim()).toBe(
      XML.trim(),
    );
    const hide = ['mds', 'metadata', 'delete', '10.5072/mds-1'];
    expect(await emulator.run(hide)).toMatchObject({ code: 2, stdout: '' });
    expect((await stateOf(emulator))['state']).toBe('findable');
    expect(await emulator.run([...hide, '--yes'])).toMatchObject({ code: 0, stdout: 'OK\n' });
    expect((await stateOf(emulator))['state']).toBe('registered');
    expect((await post(emulator, '10.5072/mds-1')).code).toBe(0);
    expect((await stateOf(emulator))['state']).toBe('findable');
  });

  it('hides no DOI that does not exist: MDS would make a Draft of it (service.md, M7)', async () => {
    const emulator = await emulate();
    const hidden = await emulator.run(['mds', 'metadata', 'delete', '10.5072/typo', '--yes']);
    expect(hidden).toMatchObject({ code: 1, stdout: '' });
    expect(hidden.stderr).toContain('DOI is unknown to MDS (HTTP 404)');
    expect(await emulator.run(['dois', 'get', '10.5072/typo'])).toMatchObject({ code: 1 });
  });

  it('takes no answer but OK for success', async () => {
    const emulator = await emulate();
    const text = 'Not a valid HTTP(S) or FTP URL';
    const { url } = await serve(answer(200, text, { 'content-type': 'text/plain' }));
    const put = await emulator.run(['mds', 'doi', 'put', '10.5072/x', '--url', 'https://a.b'], {
      env: { DOI_CLI_MDS_URL: url.href },
    });
    expect(put.stderr).toContain(`${text} (HTTP 200)`);
    expect(put).toMatchObject({ code: 1, stdout: '' });
  });

  it('makes up a DOI under a prefix', async () => {
    const emulator = await emulate();
    const { stdout } = await post(emulator, '10.5072');
    // Also where the XML names a DOI (service.md, M6).
    expect(stdout).toMatch(/^OK \(10\.5072\/[0-9A-Z]{4}-[0-9A-Z]{4}\)\n$/);
    const without = XML.replace('10.5072/MDS-1', '');
    const made = await emulator.run(['mds', 'metadata', 'post', '10.5072', '--file', '-'], {
      stdin: without,
    });
    expect(made.stdout).toMatch(/^OK \(10\.5072\/[0-9A-Z]{4}-[0-9A-Z]{4}\)\n$/);
  });

  it('adds and prints media', async () => {
    const emulator = await emulate();
    await post(emulator);
    const media = (...words: string[]) => emulator.run(['mds', 'media', ...words]);
    expect((await media('get', '10.5072/mds-1')).stderr).toContain(
      'error: No media for the DOI (HTTP 404)',
    );
    const url = 'https://example.org/1.pdf?a';
    expect(
      (await media('post', '10.5072/mds-1', '--type', 'application/pdf', '--url', url)).code,
    ).toBe(0);
    expect((await media('get', '10.5072/mds-1')).stdout).toBe(`application/pdf=${url}\n`);
  });

  it('refuses bad input before any request', async () => {
    const emulator = await emulate();
    const before = (await emulator.log()).length;
    for (const [words, message] of [
      [['doi', 'put', '10.5072/x'], '--url'],
      [['doi', 'put', '10.5072/x', '--url', 'example.org'], 'is not a URL'],
      [['doi', 'get', 'x'], 'is not a DOI'],
      [['metadata', 'post', '--file', '/nonexistent/x'], 'cannot read /nonexistent/x'],
      [['metadata', 'post', '--file', '-'], 'stdin is empty'],
      [['media', 'post', '10.5072/x', '--type', 'a/b'], '--url'],
      [
        ['media', 'post', '10.5072/x', '--type', 'pdf', '--url', 'https://a.b/'],
        'is not a media type',
      ],
      [['media', 'post', '10.5072/x', '--type', 'a/b', '--url', 'a.b/1.pdf'], 'is not an address'],
      // Only some schemes, in lower case (service.md, M8).
      [
        ['media', 'post', '10.5072/x', '--type', 'a/b', '--url', 'no://where'],
        'ftp, gs, s3 or dos',
      ],
      [
        ['media', 'post', '10.5072/x', '--type', 'a/b', '--url', 'HTTPS://a.b/'],
        'is not an address',
      ],
      [['doi', 'put', '10.5072/x', '--url', 'https://a.b/\nurl=https://e.f/'], 'is not a URL'],
      [['doi', 'put', '10.5072/x', '--url', 'https://a.b/\u2028'], 'is not a URL'],
      [
        ['media', 'post', '10.5072/x', '--type', 'a/b', '--url', 'https://a.b/\nc/d=https://e.f/'],
        'is not an',
      ],
      [['doi', 'get', '10.5072/x', '--anonymous'], '--anonymous is for reading DOIs only'],
      [['doi', 'get', '10.5072/x', '--test', '--mds-url', 'https://a.b/'], 'exclude each other'],
      [['doi', 'get', '10.5072/x', '--mds-url', 'http://mds.datacite.org'], 'must be https'],
    ] as const) {
      const { code, stderr } = await emulator.run(['mds', ...words]);
      expect([code, stderr], words.join(' ')).toEqual([2, expect.stringContaining(message)]);
    }
    const bytes = Buffer.concat([Buffer.from('<resource>'), Buffer.from([0xfc])]);
    const bad = await emulator.run(['mds', 'metadata', 'post', '--file', '-'], { stdin: bytes });
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('is not UTF-8')]);
    expect(await emulator.log()).toHaveLength(before);
  });

  it("passes on the service's words, and its refusals are no throttling", async () => {
    const emulator = await emulate({
      accounts: [
        { id: REPOSITORY, password: PASSWORD },
        { id: 'OTHER.REPO', password: 'two' },
      ],
    });
    await post(emulator);
    const foreign = await emulator.run(
      ['mds', 'doi', 'put', '10.5072/mds-1', '--url', 'https://a.b/'],
      {
        env: { DOI_CLI_REPOSITORY: 'OTHER.REPO', DOI_CLI_PASSWORD: 'two' },
      },
    );
    expect([foreign.code, foreign.stderr, foreign.waits]).toEqual([
      4,
      expect.stringMatching(
        /^error: Access is denied \(HTTP 403\): the service does not allow it with the credentials of OTHER\.REPO \(.*\/mds\)\nhint: /,
      ),
      [],
    ]);
    const wrong = await emulator.run(['mds', 'doi', 'list'], {
      env: { DOI_CLI_PASSWORD: 'wrong-password' },
    });
    expect([wrong.code, wrong.stderr]).toEqual([
      4,
      expect.stringContaining('Bad credentials (HTTP 401)'),
    ]);
    const missing = await emulator.run(['mds', 'metadata', 'get', '10.5072/none']);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      'error: DOI is unknown to MDS (HTTP 404)\n',
    ]);
    const early = await put(emulator, '10.5072/early');
    expect(early.code).toBe(1);
    expect(early.stderr).toMatch(
      /^error: Can't be blank.*\nhint: register its metadata first: doi-cli mds/,
    );
    const malformed = await emulator.run(['mds', 'metadata', 'post', '--file', '-'], {
      stdin: '<resource>',
    });
    expect([malformed.code, malformed.stderr]).toEqual([1, expect.stringContaining('(HTTP 415)')]);
  });

  // The key goes with an empty password, which MDS refuses (service.md, M2).
  it('takes an API key', async () => {
    const emulator = await emulate();
    const { key } = await emulator.newKey('mds');
    const env = {
      DOI_CLI_REPOSITORY: undefined,
      DOI_CLI_PASSWORD: undefined,
      DOI_CLI_API_KEY: key,
    };
    const posted = await emulator.run(['mds', 'metadata', 'post', '--file', '-', '--verbose'], {
      env,
      stdin: XML,
    });
    expect(posted).toMatchObject({ code: 0, stdout: 'OK (10.5072/MDS-1)\n' });
    expect(posted.stderr).not.toContain(key);
  });

  it('repeats what can be repeated, and nothing else', async () => {
    const emulator = await emulate({ faults: ['lost-answer@1,3,5'] });
    expect((await post(emulator, '10.5072/mds-1')).code).toBe(0);
    expect((await put(emulator)).code).toBe(0);
    const bare = await post(emulator, '10.5072');
    expect([bare.code, bare.stderr]).toEqual([
      5,
      expect.stringContaining('may have been carried out'),
    ]);
  });

  it('stops at what a proxy says, and shows control characters of the service', async () => {
    const page = await serve(answer(403, '<html>slow down</html>'));
    const env = {
      DOI_CLI_REPOSITORY: 'A.B',
      DOI_CLI_PASSWORD: 'secret',
      DOI_CLI_MDS_URL: page.url.href,
    };
    const get = (more: object) =>
      run(['mds', 'doi', 'get', '10.5072/x', '--retries', '1'], { env, ...more });
    expect(await get({})).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('limits the rate'),
    });
    const evil = await serve((response) =>
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no\u001b[2J\nerror: x'),
    );
    const { stderr, code } = await get({ env: { ...env, DOI_CLI_MDS_URL: evil.url.href } });
    expect([code, stderr]).toEqual([1, 'error: no\\x1b[2J error: x (HTTP 404)\n']);
  });
});

describe('where MDS is, and who may know the credentials', () => {
  const KEPT = {
    profiles: { default: { repository: 'A.B' } },
    stored: [
      {
        baseUrl: 'https://api.datacite.org',
        kind: 'repository',
        account: 'A.B',
        place: 'keychain',
      },
    ],
  };
  const settings = (value: unknown) => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'config.json'), JSON.stringify(value));
    return folder;
  };

  it('asks for a place that goes with the base URL, before any request', async () => {
    const elsewhere = await serve();
    const env = {
      DOI_CLI_BASE_URL: elsewhere.url.href,
      DOI_CLI_REPOSITORY: 'A.B',
      DOI_CLI_PASSWORD: 'secret',
    };
    const unknown = await run(['mds', 'doi', 'get', '10.5072/x'], { env });
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringMatching(
        /the URL of the MDS API that belongs to .* is unknown\nhint: set it with --mds-url/,
      ),
    ]);
    const empty = await run(['mds', 'doi', 'get', '10.5072/x'], {
      env: { ...env, DOI_CLI_MDS_URL: '' },
    });
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('set but empty')]);
    expect(elsewhere.asked).toEqual([]);
  });

  it.each([
    [[], 'https://mds.datacite.org/doi/'],
    [['--test'], 'https://mds.test.datacite.org/doi/'],
    [['--base-url', 'https://api.test.datacite.org/'], 'https://mds.test.datacite.org/doi/'],
  ])('goes with %j to %s', async (options, place) => {
    const env = {
      DOI_CLI_REPOSITORY: 'A.B',
      DOI_CLI_PASSWORD: 'secret',
      // A proxy that does not exist: nothing leaves this machine.
      HTTPS_PROXY: 'http://127.0.0.1:1',
    };
    const argv = ['mds', 'doi', 'get', '10.5072/x', '--retries', '0', '--verbose', ...options];
    const { code, stderr } = await run(argv, { env });
    expect([code, stderr]).toEqual([5, expect.stringContaining(`GET ${place}10.5072%2Fx failed`)]);
  });

  it('sends what is kept for the REST API to no other host, and redirects nowhere', async () => {
    const other = await serve(answer(200, 'https://example.org/'));
    const keychain = new MemoryKeychain();
    const env = { DOI_CLI_CONFIG_DIR: settings(KEPT), DOI_CLI_MDS_URL: other.url.href };
    const { code, stderr } = await run(['mds', 'doi', 'get', '10.5072/x'], { env, keychain });
    expect([code, stderr]).toEqual([4, expect.stringContaining('the MDS API needs credentials')]);
    expect(other.asked).toEqual([]);
    expect(keychain.asked).toEqual([]);
    const away = await serve((response) =>
      response.writeHead(302, { location: `${other.url.href}doi/x` }).end(),
    );
    const redirected = await run(['mds', 'doi', 'get', '10.5072/x'], {
      env: {
        DOI_CLI_REPOSITORY: 'A.B',
        DOI_CLI_PASSWORD: 'secret',
        DOI_CLI_MDS_URL: away.url.href,
      },
    });
    expect([redirected.code, redirected.stderr]).toEqual([
      1,
      expect.stringContaining('another host'),
    ]);
    expect(other.asked).toEqual([]);
  });
});
