import { describe, expect, it } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const OTHERS = `DC.${'Zz9'.repeat(10)}ab`;

describe('keys identify', () => {
  it.each<[string, (key: string) => string | Buffer]>([
    ['bare', (key) => key],
    ['with a newline', (key) => `${key}\n`],
    ['in a URL', (key) => `GET https://api.datacite.org/dois?key=${key}&x=1`],
    ['percent-encoded', (key) => `key=${key.replace('.', '%2E')}`],
    ['in JSON', (key) => JSON.stringify({ env: { DOI_KEY: key } })],
    ['cut off', (key) => `… ${key.slice(0, 15)}…`],
    ['in a Basic header', (key) => `authorization: Basic ${base64(`${key}:`)}`],
    ['as a password in a Basic header', (key) => `Basic ${base64(`DEMO.REPO:${key}`)}`],
    ['among bytes', (key) => Buffer.concat([Buffer.from([0xff, 0x00, 0xfe]), Buffer.from(key)])],
    ['in UTF-16', (key) => Buffer.from(`\ufeffkey: ${key}\r\n`, 'utf16le')],
    ['in UTF-16, big-endian', (key) => Buffer.from(`key: ${key}\n`, 'utf16le').swap16()],
    ['in base64 between zeros', (key) => `TERM=x\0TOKEN=${base64(`${key}:`)}\0A=b\0`],
    [
      'in a command that is UTF-16 in base64',
      (key) => Buffer.from(`$key = '${key}'`, 'utf16le').toString('base64'),
    ],
    [
      'in base64 of several lines',
      (key) => base64(`${'0'.repeat(48)}${key}`).replace(/.{70}/g, '  $&\r\n  '),
    ],
    ['behind megabytes of base64 on one line', (key) => `${'A'.repeat(2_000_000)} ${key}`],
  ])('knows a key that is %s', async (_, hide) => {
    const { run, newKey } = await emulate();
    await newKey('other');
    const { key, id, prefix } = await newKey('ci');
    const { code, stdout, stderr } = await run(['keys', 'identify'], { stdin: hide(key) });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(
        `^ID .*TO REVOKE IT\n${id}  ci    ${prefix}  active  doi-cli keys revoke ${prefix}\n$`,
      ),
    );
    expect(stdout).not.toContain(key);
  });
  it.each(['Basic%20', String.raw`"Basic\n`, '/x/', '/in/a/path/'])(
    'knows a key that is in base64 behind %s',
    async (before) => {
      const { run, newKey } = await emulate();
      const { key, id } = await newKey('ci');
      const stdin = before + base64(`DEMO.REPO:${key}`);
      const { code, stdout } = await run(['keys', 'identify'], { stdin });
      expect([code, stdout]).toEqual([0, expect.stringContaining(id)]);
    },
  );
  it('shows the whole command on a terminal of 80 columns', async () => {
    const { run, newKey } = await emulate();
    const { key, prefix } = await newKey('ci-2026-05-of-the-nightly-harvest');
    const { stdout } = await run(['keys', 'identify'], { stdin: key, terminal: { stdout: true } });
    expect(stdout).toContain(`doi-cli keys revoke ${prefix}\n`);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
  it('knows several, revoked ones included, and tells of one that is not of this account', async () => {
    const { run, newKey } = await emulate();
    const [a, b] = [await newKey('a'), await newKey('b')];
    await run(['keys', 'revoke', a.id, '--yes']);
    const stdin = `${a.key} ${OTHERS}\n${b.key}\n${b.key}`;
    const { code, stdout, stderr } = await run(['keys', 'identify', '--format', 'json'], { stdin });
    expect(code).toBe(0);
    const list = await run(['keys', 'list', '--include-revoked', '--format', 'json']);
    const [first, second] = JSON.parse(list.stdout) as object[];
    expect(JSON.parse(stdout)).toEqual([
      { ...first, revoke: `doi-cli keys revoke ${b.id}` },
      { ...second, revoke: null },
    ]);
    expect(second).toMatchObject({
      id: a.id,
      attributes: { revokedAt: /^\d{4}-/ },
    });
    const csv = await run(['keys', 'identify', '--format', 'csv'], { stdin });
    expect(csv.stdout).toMatch(
      new RegExp(
        `^id,name,keyPrefix,created,lastUsedAt,revokedAt\n${b.id},b,${b.prefix},\\S+Z,,\n${a.id},a,`,
      ),
    );
    expect(stderr).toMatch(
      /^warning: something in the input looks like an API key, but not of this/,
    );
    expect(stderr + stdout).not.toContain(OTHERS);
  });
  it.each(['', 'nothing', OTHERS, 'DC.'])('finds no key in %j', async (stdin) => {
    const { run, newKey } = await emulate();
    await newKey('ci');
    const { code, stdout, stderr } = await run(['keys', 'identify'], { stdin });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/error: the input contains no key of this account\nhint: /);
  });
  it('sends no part of the input', async () => {
    const { run, newKey, log } = await emulate();
    const { key } = await newKey('ci');
    const before = (await log()).length;
    await run(['keys', 'identify'], { stdin: `GET /dois?key=${key}` });
    expect((await log()).slice(before)).toMatchObject([
      { method: 'GET', path: '/credentials/api-keys?include_revoked=true', status: 200 },
    ]);
  });
  it('asks for it on a terminal', async () => {
    const { run, newKey } = await emulate();
    const { key, id } = await newKey('ci');
    const terminal = { stdin: true, stderr: true };
    const { code, stdout, stderr } = await run(['keys', 'identify'], {
      stdin: `${key}\n`,
      terminal,
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining(id)]);
    expect(stderr).toBe('The key, or a line with it: \n');
  });
  it('needs repository credentials, and reads nothing before it has them', async () => {
    const { anonymous, log } = await emulate();
    expect(await anonymous(['keys', 'identify'], { stdin: OTHERS })).toMatchObject({ code: 4 });
    expect(await log()).toEqual([]);
  });
});
