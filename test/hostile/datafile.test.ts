import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { answer, serve } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const put = (emulator: TestEmulator, key: string, body: string, etag?: string) =>
  emulator.control('datafile', { key, etag, body: Buffer.from(body).toString('base64') });
const download = (emulator: TestEmulator, dir: string, ...more: string[]) =>
  emulator.run(['datafile', 'download', '--dir', dir, ...more]);
const outcomes = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { outcome, verified } = JSON.parse(line) as { outcome: string; verified: boolean };
      return [outcome, verified];
    });

const NO_MD5 = `${'0'.repeat(32)}-2`;

describe('a file that nothing has verified', () => {
  it.each([
    ['with a checksum', undefined, [['downloaded', true]], [['present', true]]],
    ['without one', NO_MD5, [['downloaded', false]], [['present', false]]],
  ])('is not called verified (%s)', async (_, etag, first, checked) => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'x', 'content', etag);
    const dir = temporaryDirectory();
    const fetch = async (...more: string[]) => {
      const { code, stdout, stderr } = await download(emulator, dir, '--include', 'x', ...more);
      expect(code, stderr).toBe(0);
      return outcomes(stdout);
    };
    expect(await fetch()).toEqual(first);
    expect(await fetch()).toEqual([['present', false]]);
    expect(await fetch('--check')).toEqual(checked);
  });

  it.each(['manifest', 'etag'])(
    'is read with --check, and fetched again when it is damaged (%s)',
    async (source) => {
      const emulator = await emulate({ records: 5 });
      await put(emulator, 'x', 'content', source === 'etag' ? undefined : NO_MD5);
      const sha256 = createHash('sha256').update('content').digest('base64');
      if (source === 'manifest') {
        await put(emulator, 'MANIFEST.json', JSON.stringify([{ filename: 'x', size: 7, sha256 }]));
      }
      const dir = temporaryDirectory();
      const path = join(dir, 'x');
      await download(emulator, dir, '--include', 'x');
      const { atime, mtime } = statSync(path);
      writeFileSync(path, 'CONTENT');
      utimesSync(path, atime, mtime);
      const unread = await download(emulator, dir, '--include', 'x');
      expect(outcomes(unread.stdout)).toEqual([['present', false]]);
      expect(unread.stderr).toContain(
        '1 already present by size and time; --check compares their content',
      );
      const checked = await download(emulator, dir, '--include', 'x', '--check');
      expect(checked).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('x is damaged here; fetching it again'),
      });
      expect(outcomes(checked.stdout)).toEqual([['downloaded', true]]);
      expect(readFileSync(path, 'utf8')).toBe('content');
    },
  );
});

describe('a listing', () => {
  const MEGABYTES = 2 * 1024 * 1024;
  const fill = (text: string) => text.repeat(MEGABYTES / text.length);

  // Quadratic time would take many minutes.
  it.each([
    ['elements without end', fill('<Contents>')],
    ['ends without elements', fill('</Contents>')],
    ['blanks', fill(' ')],
    ['keys without end', `<Contents>${fill('<Key>')}</Contents>`],
    ['an entity without end', `<Contents><Key>${fill('&a')}</Key></Contents>`],
  ])('of %s is refused in time', async (_, text) => {
    const emulator = await emulate({ records: 5 });
    const body = `<ListBucketResult><KeyCount>1</KeyCount>${text}</ListBucketResult>`;
    const { url } = await serve(answer(200, body, { 'content-type': 'application/xml' }));
    const { code } = await emulator.run(['datafile', 'list', '--retries', '0'], {
      env: { DOI_CLI_DATAFILE_ENDPOINT: url.href },
    });
    expect(code).toBe(5);
  });
});

it('a key that a listing names twice is downloaded once', async () => {
  const emulator = await emulate({ records: 5 });
  const object =
    '<Contents><Key>x</Key><Size>7</Size><LastModified>2024-05-01T00:00:00.000Z</LastModified>' +
    `<ETag>"${NO_MD5}"</ETag></Contents>`;
  const { url, asked } = await serve(
    ...Array.from(
      { length: 8 },
      () =>
        (response: ServerResponse, { url }: { readonly url: string }) => {
          const isListing = url.includes('list-type');
          if (isListing) response.setHeader('content-type', 'application/xml');
          response.writeHead(isListing || url.endsWith('/x') ? 200 : 404);
          response.end(
            isListing ? `<ListBucketResult>${object}${object}</ListBucketResult>` : 'content',
          );
        },
    ),
  );
  const dir = temporaryDirectory();
  const { code, stdout, stderr } = await emulator.run(['datafile', 'download', '--dir', dir], {
    env: { DOI_CLI_DATAFILE_ENDPOINT: url.href },
  });
  expect([code, outcomes(stdout)], stderr).toEqual([0, [['downloaded', false]]]);
  expect(readFileSync(join(dir, 'x'), 'utf8')).toBe('content');
  expect(asked.filter((one) => one.url.endsWith('/x'))).toHaveLength(1);
});

describe('a directory that is none', () => {
  it('is refused before any request', async () => {
    const emulator = await emulate({ records: 5 });
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    for (const dir of [file, join(file, 'x')]) {
      const { code, stderr } = await download(emulator, dir);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/file is not a directory\nhint: /)]);
    }
    expect(await emulator.log()).toEqual([]);
  });
});

describe.skipIf(lacks('posixShell'))('a FIFO', () => {
  it.each([
    ['.doi-cli.lock', 2, /is not a lock file/],
    ['x', 1, /something else is in its place/],
    [
      `.x.${createHash('md5').update('content').digest('hex')}.part`,
      1,
      /something else is in its place/,
    ],
  ])('as %s is refused, and blocks nothing', async (name, expected, message) => {
    const emulator = await emulate({ records: 5 });
    await put(emulator, 'x', 'content');
    const dir = temporaryDirectory();
    execFileSync('mkfifo', [join(dir, name)]);
    const { code, stderr } = await download(emulator, dir, '--include', 'x');
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });
});
