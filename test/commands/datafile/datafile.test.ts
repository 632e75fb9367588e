import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { stopReason } from '../../../src/errors.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../../helpers/emulator.ts';
import { run } from '../../helpers/run.ts';
import { answer, serve } from '../../helpers/server.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

interface Listed {
  readonly key: string;
  readonly size: number;
  readonly lastModified: string;
  readonly etag: string;
}

const lines = <T>(text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
const list = async (emulator: TestEmulator, ...more: string[]) =>
  lines<Listed>((await emulator.run(['datafile', 'list', ...more])).stdout);
const put = (emulator: TestEmulator, key: string, body: string | undefined, etag?: string) =>
  emulator.control('datafile', {
    key,
    etag,
    ...(body === undefined ? {} : { body: Buffer.from(body).toString('base64') }),
  });
const download = (emulator: TestEmulator, dir: string, ...more: string[]) =>
  emulator.run(['datafile', 'download', '--dir', dir, ...more]);
const downloadFrom = (endpoint: URL, emulator: TestEmulator, dir: string, ...more: string[]) =>
  emulator.run(['datafile', 'download', '--dir', dir, ...more], {
    env: { DOI_CLI_DATAFILE_ENDPOINT: endpoint.href },
  });
const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(dir.length + 1)
        .replaceAll('\\', '/'),
    );
const objectRequests = async (emulator: TestEmulator) =>
  (await emulator.log()).filter(({ path }) => /^\/s3\/[^/]+\/./.test(path));

describe('datafile credentials', () => {
  it('prints what the service sends, for shells, and for the AWS CLI', async () => {
    const emulator = await emulate();
    const print = (...more: string[]) => emulator.run(['datafile', 'credentials', ...more]);
    const json = await print();
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual({
      bucket: 'monthly-datafile.datacite.org',
      access_key_id: expect.stringMatching(/^ASIA/),
      secret_access_key: expect.any(String),
      session_token: expect.any(String),
      expires_in: 3600,
    });
    const env = await print('--format', 'env');
    expect(env.stdout).toMatch(
      /^export AWS_ACCESS_KEY_ID='ASIA\w+'\nexport AWS_SECRET_ACCESS_KEY='[^'\n]+'\nexport AWS_SESSION_TOKEN='[^'\n]+'\nexport AWS_CREDENTIAL_EXPIRATION='[\dT:-]+Z'\n$/,
    );
    const aws = await print('--format', 'aws');
    const process = JSON.parse(aws.stdout) as Record<string, unknown>;
    expect(Object.keys(process)).toEqual(
      'Version AccessKeyId SecretAccessKey SessionToken Expiration'.split(' '),
    );
    expect(process['Version']).toBe(1);
    expect(Date.parse(String(process['Expiration'])) - Date.now()).toBeGreaterThan(3_590_000);
    const { key } = await emulator.newKey('data');
    const withKey = {
      DOI_CLI_REPOSITORY: undefined,
      DOI_CLI_PASSWORD: undefined,
      DOI_CLI_API_KEY: key,
    };
    expect((await emulator.run(['datafile', 'credentials'], { env: withKey })).code).toBe(0);
  });

  it('warns where the secret is on a screen', async () => {
    const emulator = await emulate();
    const { stderr } = await emulator.run(['datafile', 'credentials'], {
      terminal: { stdout: true },
    });
    expect(stderr).toBe('warning: this screen shows a secret, valid for 60 minutes\n');
  });

  it('says what is wrong with the credentials of the account, or with the answer', async () => {
    const emulator = await emulate();
    const get = ['datafile', 'credentials'];
    const none = await emulator.anonymous(get);
    expect([none.code, none.stderr]).toEqual([
      4,
      expect.stringContaining('the monthly data file needs'),
    ]);
    const wrong = await emulator.run(get, { env: { DOI_CLI_PASSWORD: 'wrong' } });
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('Bad credentials')]);
    for (const body of [
      {},
      {
        bucket: '../x',
        access_key_id: 'a',
        secret_access_key: 'b',
        session_token: 'c',
        expires_in: 1,
      },
      {
        bucket: 'abc',
        access_key_id: "a'\n",
        secret_access_key: 'b',
        session_token: 'c',
        expires_in: 1,
      },
    ]) {
      const { url } = await serve(answer(200, body));
      const env = { DOI_CLI_BASE_URL: url.href, DOI_CLI_REPOSITORY: 'A.B', DOI_CLI_PASSWORD: 'x' };
      expect((await run([...get, '--retries', '0'], { env })).code).toBe(5);
    }
  });
});

describe('datafile list', () => {
  it('walks through all pages of the bucket', async () => {
    const emulator = await emulate();
    const more = Array.from({ length: 1000 }, (_, n) => `more/${n}`);
    await emulator.control('datafile', { key: more.join('\n'), body: '' });
    const objects = await list(emulator);
    expect(objects.length).toBeGreaterThan(1150);
    expect(new Set(objects.map(({ key }) => key)).size).toBe(objects.length);
    expect(objects.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['MANIFEST', 'MANIFEST.json', 'STATUS.json']),
    );
    expect(objects[0]).toEqual({
      key: expect.any(String),
      size: expect.any(Number),
      lastModified: expect.stringMatching(/^\d{4}-.*Z$/),
      etag: expect.stringMatching(/^[\da-f]{32}$/),
    });
    expect(
      (await emulator.log()).filter(({ path }) => path.includes('continuation-token')).length,
    ).toBeGreaterThan(0);
  });

  it('selects by name, path and folder', async () => {
    const emulator = await emulate();
    const keys = async (...globs: string[]) =>
      (await list(emulator, ...globs.flatMap((glob) => ['--include', glob]))).map(({ key }) => key);
    expect(await keys('MANIFEST*')).toEqual(['MANIFEST', 'MANIFEST.json']);
    const csv = await keys('*.csv.gz');
    expect(csv.length).toBeGreaterThan(10);
    expect(csv.every((key) => /^dois\/updated_([\d-]+)\/\1\.csv\.gz$/.test(key))).toBe(true);
    const [month = ''] = /updated_[\d-]+/.exec(csv[0] ?? '') ?? [];
    expect((await keys(`dois/${month}/`)).every((key) => key.startsWith(`dois/${month}/`))).toBe(
      true,
    );
    expect(await keys('STATUS.json', `dois/*/${month.slice(8)}.csv.gz`)).toHaveLength(2);
    expect(await keys('ST*S*.json', 'S*TATUS.json*n', 'dois')).toEqual(['STATUS.json']);
    const include = ['--include', 'nothing', '--include', 'STATUS.json'];
    const { code, stderr } = await emulator.run(['datafile', 'list', ...include]);
    expect([code, stderr]).toEqual([0, 'warning: no file matches --include nothing\n']);
    const none = await emulator.run(['datafile', 'list', '--include', 'nothing']);
    expect(none).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: the bucket contains no such files\nhint: doi-cli datafile list shows all files\n',
    });
  });

  it('is a table on a terminal, in which no key can do harm', async () => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'evil\u001b[2J & <b>+%41 ü.txt', 'x');
    const { stdout } = await emulator.run(['datafile', 'list'], {
      terminal: { stdout: true, columns: 200 },
    });
    expect(stdout).toContain('SIZE');
    expect(stdout).toContain('evil\\x1b[2J & <b>+%41 ü.txt');
    expect((await list(emulator)).map(({ key }) => key)).toContain('evil\u001b[2J & <b>+%41 ü.txt');
    const json = await emulator.run('datafile list --format json --include STATUS.json'.split(' '));
    expect(JSON.parse(json.stdout)).toMatchObject([{ key: 'STATUS.json' }]);
  });

  it('masks what signs the requests', async () => {
    const emulator = await emulate({ records: 5 });
    let secrets: string[] = [];
    const { url } = await serve(async (response, exchange) => {
      const given = await fetch(`${emulator.baseUrl}/credentials/datafile`, {
        headers: {
          authorization: `Basic ${Buffer.from(`${REPOSITORY}:${PASSWORD}`).toString('base64')}`,
        },
      });
      const body = (await given.json()) as Record<string, string>;
      secrets = [body['secret_access_key'] ?? '', body['session_token'] ?? ''];
      answer(200, body)(response, exchange);
    });
    const leaky = await serve((response, { headers }) =>
      response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end(
          `<Error><Code>X</Code><Message>${secrets[0]} ${String(headers['x-amz-security-token'])}</Message></Error>`,
        ),
    );
    const env = {
      ...emulator.env,
      DOI_CLI_BASE_URL: url.href,
      DOI_CLI_DATAFILE_ENDPOINT: leaky.url.href,
    };
    const { code, stderr, stdout } = await run(['datafile', 'list', '--verbose'], { env });
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('the object store refused the temporary credentials: *** *** (X)');
    for (const secret of secrets) expect(stderr).not.toContain(secret.slice(0, 20));
    // Only the service may receive the account's credentials.
    for (const { headers } of leaky.asked) {
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=ASIA/);
      expect(JSON.stringify(headers)).not.toContain(
        Buffer.from(`${REPOSITORY}:`).toString('base64').slice(0, 8),
      );
    }
  });

  it('refuses an endpoint that nothing may be sent to, before any request', async () => {
    const emulator = await emulate();
    for (const [endpoint, message] of [
      ['http://s3.example.org', 'must be https'],
      ['', 'set but empty'],
    ]) {
      const { code, stderr } = await emulator.run(['datafile', 'list'], {
        env: { DOI_CLI_DATAFILE_ENDPOINT: endpoint },
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining(message ?? '')]);
    }
    expect(await emulator.log()).toEqual([]);
  });
});

describe('datafile download', () => {
  it('brings every file, and the second time none', async () => {
    const emulator = await emulate({ records: 100 });
    const dir = temporaryDirectory();
    const first = await download(emulator, dir, '--jobs', '8');
    expect(first.code, first.stderr).toBe(0);
    const objects = await list(emulator);
    expect(lines(first.stdout)).toHaveLength(objects.length);
    expect(filesIn(dir).sort()).toEqual(objects.map(({ key }) => key).sort());
    for (const { key, size, etag, lastModified } of objects) {
      const bytes = readFileSync(join(dir, key));
      expect([bytes.length, createHash('md5').update(bytes).digest('hex')]).toEqual([size, etag]);
      expect(statSync(join(dir, key)).mtime.toISOString()).toBe(lastModified);
    }
    const parts = objects.filter(({ key }) => key.endsWith('.jsonl.gz'));
    const records = parts.flatMap(({ key }) =>
      lines<{ id: string }>(gunzipSync(readFileSync(join(dir, key))).toString()),
    );
    expect(records).toHaveLength(
      Number((await emulator.run(['dois', 'list', '--count', '--state', 'findable'])).stdout),
    );
    const before = (await objectRequests(emulator)).length;
    const second = await download(emulator, dir);
    expect(second.stderr).toMatch(/^0 files downloaded, \d+ already present/);
    expect(
      lines<{ outcome: string }>(second.stdout).every(({ outcome }) => outcome === 'present'),
    ).toBe(true);
    // Only the manifest and the status.
    expect((await objectRequests(emulator)).length).toBe(before + 2);
  });

  it('takes what has the right content for what it is, whatever its time', async () => {
    const emulator = await emulate({ records: 20 });
    const dir = temporaryDirectory();
    await download(emulator, dir, '--include', '*.json');
    utimesSync(join(dir, 'STATUS.json'), new Date(0), new Date(0));
    writeFileSync(join(dir, 'MANIFEST.json'), 'other');
    const again = lines<{ key: string; outcome: string }>(
      (await download(emulator, dir, '--include', '*.json')).stdout,
    );
    expect(Object.fromEntries(again.map(({ key, outcome }) => [key, outcome]))).toEqual({
      'STATUS.json': 'present',
      'MANIFEST.json': 'downloaded',
    });
    expect(statSync(join(dir, 'STATUS.json')).mtimeMs).toBeGreaterThan(1e12);
  });

  it('goes on where a transfer was cut, and fetches nothing twice', async () => {
    const emulator = await emulate({ records: 20 });
    await put(emulator, 'big', 'b'.repeat(100_000));
    await emulator.control('faults', { faults: ['cut-object@1,2'] });
    const dir = temporaryDirectory();
    const { code, stderr } = await download(emulator, dir, '--include', 'big');
    // A slow system says before that it tries again.
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^1 file downloaded \(100 kB in all\)\n$/m),
    ]);
    expect(readFileSync(join(dir, 'big'), 'utf8')).toBe('b'.repeat(100_000));
  });

  it('keeps what has arrived when it is stopped, and resumes it the next time', async () => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'big', 'abcd'.repeat(50_000));
    const dir = temporaryDirectory();
    // Two requests are for the manifest and the status.
    await emulator.control('faults', { faults: ['cut-object@3', 'slow-down@5+'] });
    const stopped = await download(emulator, dir, '--include', 'big', '--retries', '1');
    expect([stopped.code, existsSync(join(dir, 'big'))]).toEqual([5, false]);
    expect(stopped.stderr).toContain('SlowDown');
    const [part = ''] = filesIn(dir);
    expect(statSync(join(dir, part)).size).toBeGreaterThan(0);
    await emulator.control('faults', { faults: [] });
    const wholes = async () =>
      (await emulator.log()).filter(({ path, status }) => path.endsWith('/big') && status === 200);
    const before = (await wholes()).length;
    expect((await download(emulator, dir, '--include', 'big')).code).toBe(0);
    expect(await wholes()).toHaveLength(before);
    expect(filesIn(dir)).toEqual(['big']);
    expect(readFileSync(join(dir, 'big'), 'utf8')).toBe('abcd'.repeat(50_000));
  });

  it('ends at once when interrupted, and keeps what has arrived', async () => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'big', 'abcd'.repeat(50_000));
    const dir = temporaryDirectory();
    // Credentials, listing, manifest and status come before.
    await emulator.control('faults', { faults: ['stall@5'] });
    const stop = new AbortController();
    const running = emulator.run(['datafile', 'download', '--dir', dir, '--include', 'big'], {
      signal: stop.signal,
    });
    const parts = () => filesIn(dir).filter((name) => name.startsWith('.big.'));
    await vi.waitFor(
      () => expect(statSync(join(dir, parts()[0] ?? 'none')).size).toBeGreaterThan(0),
      120_000,
    );
    stop.abort(stopReason('SIGINT'));
    expect((await running).code).toBe(130);
    expect(parts()).toHaveLength(1);
    expect((await download(emulator, dir, '--include', 'big')).code).toBe(0);
    expect(filesIn(dir)).toEqual(['big']);
    expect((await emulator.log()).at(-1)).toMatchObject({ status: 206 });
  });

  it('does not resume a part of another version of an object', async () => {
    const emulator = await emulate({ records: 5 });
    const dir = temporaryDirectory();
    await put(emulator, 'big', 'old '.repeat(1000));
    await emulator.control('faults', { faults: ['cut-object@3', 'slow-down@5+'] });
    await download(emulator, dir, '--include', 'big', '--retries', '1');
    expect(filesIn(dir)).toHaveLength(1);
    await emulator.control('faults', { faults: [] });
    await put(emulator, 'big', 'new '.repeat(1000));
    expect((await download(emulator, dir, '--include', 'big')).code).toBe(0);
    expect(filesIn(dir)).toEqual(['big']);
    expect(readFileSync(join(dir, 'big'), 'utf8')).toBe('new '.repeat(1000));
  });

  it('leaves alone what is there of a file with a similar name', async () => {
    const emulator = await emulate({ records: 5 });
    const dir = temporaryDirectory();
    const similar = `.MANIFEST.json.${'a'.repeat(32)}.part`;
    writeFileSync(join(dir, similar), 'half of it');
    writeFileSync(join(dir, `.MANIFEST.${'a'.repeat(32)}.part`), 'an older version');
    expect((await download(emulator, dir, '--include', 'MANIFEST')).code).toBe(0);
    expect(filesIn(dir).sort()).toEqual([similar, 'MANIFEST']);
  });

  it('checks a part that is whole already', async () => {
    const emulator = await emulate({ records: 5 });
    const dir = temporaryDirectory();
    await put(emulator, 'x', 'right');
    const { etag } = (await list(emulator, '--include', 'x'))[0] ?? { etag: '' };
    writeFileSync(join(dir, `.x.${etag}.part`), 'wrong');
    expect((await download(emulator, dir, '--include', 'x')).code).toBe(0);
    expect(readFileSync(join(dir, 'x'), 'utf8')).toBe('right');
    writeFileSync(join(dir, `.x.${etag}.part`), 'far too long');
    truncateSync(join(dir, 'x'), 1);
    expect((await download(emulator, dir, '--include', 'x')).code).toBe(0);
    expect(readFileSync(join(dir, 'x'), 'utf8')).toBe('right');
  });

  it('keeps nothing of a file with a wrong checksum, and fetches the others', async () => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'a/bad', 'content', '0'.repeat(32));
    await put(emulator, 'a/good', 'content');
    const dir = temporaryDirectory();
    const { code, stderr, stdout } = await download(emulator, dir, '--include', 'a/');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: a\/bad has a wrong checksum and was not kept\nerror: 1 of 2 files could not/,
    );
    expect(lines(stdout)).toMatchObject([{ key: 'a/good', outcome: 'downloaded', verified: true }]);
    expect(filesIn(dir)).toEqual(['a/good']);
  });

  it('fetches once more what was damaged on the way', async () => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'x', 'content');
    await emulator.control('faults', { faults: ['damage-object@3'] });
    const dir = temporaryDirectory();
    expect((await download(emulator, dir, '--include', 'x')).code).toBe(0);
    expect(readFileSync(join(dir, 'x'), 'utf8')).toBe('content');
  });

  it('believes the manifest more than an ETag, and says when nothing tells a checksum', async () => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'x', 'content', `${'0'.repeat(32)}-2`);
    const dir = temporaryDirectory();
    const { code, stderr, stdout } = await download(emulator, dir, '--include', 'x');
    expect(code).toBe(0);
    expect(stderr).toContain('warning: of 1 file only the size could be checked');
    expect(lines(stdout)).toMatchObject([{ verified: false }]);
    rmSync(join(dir, 'x'));
    const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');
    await put(
      emulator,
      'MANIFEST.json',
      JSON.stringify([{ filename: 'x', size: 7, sha256: sha256('content') }]),
    );
    expect(lines((await download(emulator, dir, '--include', 'x')).stdout)).toMatchObject([
      { verified: true },
    ]);
    rmSync(join(dir, 'x'));
    await put(
      emulator,
      'MANIFEST.json',
      JSON.stringify([{ filename: 'x', size: 7, sha256: sha256('another') }]),
    );
    expect((await download(emulator, dir, '--include', 'x')).code).toBe(1);
  });

  it('says when the data file is still being made', async () => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'STATUS.json', JSON.stringify({ month: '2026-02', status: 'Uploading' }));
    const { code, stderr } = await download(
      emulator,
      temporaryDirectory(),
      '--include',
      'MANIFEST',
    );
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: the data file of 2026-02 is not complete yet: Uploading\n/),
    ]);
  });

  it('renews credentials before they expire, and when they are refused', async () => {
    const emulator = await emulate({ records: 5 });
    const asked = async () =>
      (await emulator.log()).filter(({ path }) => path === '/credentials/datafile').length;
    await emulator.control('faults', { faults: ['expired-token@2'] });
    expect((await download(emulator, temporaryDirectory(), '--include', '*.json')).code).toBe(0);
    expect(await asked()).toBe(2);
    await emulator.control('faults', { faults: [] });
    // Each reading of the clock is ten minutes later: the credentials expire during the run.
    let minutes = 0;
    const now = () => {
      minutes += 10;
      return Date.now() + 60_000 * minutes;
    };
    expect(
      (
        await emulator.run(['datafile', 'download', '--dir', temporaryDirectory(), '--jobs', '1'], {
          now,
        })
      ).code,
    ).toBe(0);
    expect(await asked()).toBeGreaterThan(3);
    // The emulator rejects every token as expired.
    await emulator.control('faults', { faults: ['expired-token'] });
    const { code, stderr } = await download(emulator, temporaryDirectory());
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/refused the temporary credentials: .*ExpiredToken/),
    ]);
  });

  it.each([
    ...'../x a/../../x /x a//x ./x a\\..\\x c:x bell\u0007 a/.. x.'.split(' '),
    'a /x',
    // Our own files.
    ...'.doi-cli.lock .DOI-CLI.lock a/.doi-cli.lock/x .doi-cli.lock.0123456789abcdef'.split(' '),
    ...'.x.d41d8cd98f00b204e9800998ecf8427e.part a/.x.0.PART'.split(' '),
  ])('refuses the key %j before anything is fetched', async (key) => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, key, 'x');
    const outer = temporaryDirectory();
    const dir = join(outer, 'dir');
    const { code, stderr } = await download(emulator, dir);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('is not a safe file name; nothing was downloaded'),
    ]);
    expect(stderr).not.toContain('\u0007');
    expect(filesIn(outer)).toEqual([]);
    expect((await download(emulator, dir, '--include', 'STATUS.json')).code).toBe(0);
    expect(filesIn(outer)).toEqual(['dir/STATUS.json']);
  });

  it('fetches names that must be encoded, and empty files', async () => {
    const emulator = await emulate({ records: 5 });
    // Names on Windows have neither of the two.
    const odd = process.platform === 'win32' ? '' : '*?';
    const names = [`a b+c%41'(!)&=#~${odd}.txt`, 'ü/中.gz', 'empty'];
    for (const name of names) await put(emulator, name, name === 'empty' ? '' : name);
    const dir = temporaryDirectory();
    expect((await download(emulator, dir, '--include', '*')).code).toBe(0);
    for (const name of names)
      expect(readFileSync(join(dir, name), 'utf8')).toBe(name === 'empty' ? '' : name);
  });

  it('fails for a file that was replaced after it was listed, and fetches the others', async () => {
    const emulator = await emulate({ records: 5 });
    const dir = temporaryDirectory();
    const item = (key: string, body: string) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00Z</LastModified><ETag>"${createHash('md5').update(body).digest('hex')}"</ETag><Size>${body.length}</Size></Contents>`;
    const listing = `<ListBucketResult>${item('x', 'old')}${item('y', 'same')}</ListBucketResult>`;
    const { url } = await serve((response, { url: path }) => {
      if (path.includes('list-type'))
        response.setHeader('content-type', 'application/xml').end(listing);
      else if (path.endsWith('/y')) response.end('same');
      else if (path.endsWith('/x'))
        response
          .writeHead(412, { 'content-type': 'application/xml' })
          .end('<Error><Code>PreconditionFailed</Code></Error>');
      else response.writeHead(404).end();
    });
    const { code, stderr } = await downloadFrom(url, emulator, dir);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('1 of 2 files could not be downloaded'),
    ]);
    expect(stderr).toContain('hint: run the same command again');
    expect(filesIn(dir).filter((name) => !name.endsWith('.part'))).toEqual(['y']);
  });

  it('keeps the bytes as they are stored, whatever they are declared to be, and trusts no proxy', async () => {
    const emulator = await emulate({ records: 5 });
    const dir = temporaryDirectory();
    const bytes = gzipSync('record\n');
    const etag = createHash('md5').update(bytes).digest('hex');
    const listing = `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>x.gz</Key><LastModified>2026-01-01T00:00:00Z</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${bytes.length}</Size></Contents></ListBucketResult>`;
    const { url, asked } = await serve((response, { url: path }) => {
      if (path.includes('list-type'))
        response.setHeader('content-type', 'application/xml').end(listing);
      else if (path.endsWith('.gz')) response.setHeader('content-encoding', 'gzip').end(bytes);
      else response.writeHead(404).end();
    });
    expect((await downloadFrom(url, emulator, dir)).code).toBe(0);
    expect(readFileSync(join(dir, 'x.gz'))).toEqual(bytes);
    expect(asked.map(({ headers }) => headers['accept-encoding'])).not.toContain('gzip');
    const proxy = await serve(answer(403, '<html>slow down</html>'));
    const throttled = await downloadFrom(proxy.url, emulator, dir, '--retries', '1');
    expect([throttled.code, proxy.asked.length]).toEqual([5, 2]);
  });

  it('refuses a place that is taken, and answers that are nothing of the kind', async () => {
    const emulator = await emulate({ records: 5 });
    const dir = temporaryDirectory();
    mkdirSync(join(dir, 'STATUS.json'));
    const taken = await download(emulator, dir, '--include', 'STATUS.json');
    expect([taken.code, taken.stderr]).toEqual([
      1,
      expect.stringContaining('something else is in its place'),
    ]);
    for (const body of [
      '<html>log in</html>',
      '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
      '<ListBucketResult><KeyCount>2</KeyCount></ListBucketResult>',
      '',
    ]) {
      const { url } = await serve((response) =>
        response.writeHead(200, { 'content-type': 'application/xml' }).end(body),
      );
      const { code } = await downloadFrom(url, emulator, dir, '--retries', '1');
      expect(code, body).toBe(5);
    }
    const circle =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>';
    const { url } = await serve((response) =>
      response.writeHead(200, { 'content-type': 'application/xml' }).end(circle),
    );
    const round = await downloadFrom(url, emulator, dir);
    expect([round.code, round.stderr]).toEqual([
      1,
      'error: the listing of the bucket does not end\n',
    ]);
  });
});
