import { describe, expect, it } from 'vitest';
import { ClosedPipe, stopReason } from '../../../src/errors.ts';
import { shellWord } from '../../../src/text/shell-word.ts';
import { emulate, REPOSITORY } from '../../helpers/emulator.ts';
import { idsIn, jsonLines } from '../../helpers/json-lines.ts';
import { run as runBare } from '../../helpers/run.ts';
import { type Answer, answer, serve } from '../../helpers/server.ts';

const WARNING = /only time the key is shown/;

/** A key as the service lists it. */
const key = (id: string, name: string, revokedAt: string | null = null) => ({
  id,
  type: 'apiKeys',
  attributes: {
    name,
    keyPrefix: 'DC.12345678',
    created: '',
    updated: '',
    lastUsedAt: null,
    revokedAt,
  },
});
const ACCOUNT = { DOI_CLI_REPOSITORY: 'A.B', DOI_CLI_PASSWORD: 'secret' };

/** Runs a command against a service with these answers. */
async function against(argv: readonly string[], ...answers: Answer[]) {
  const { url, asked } = await serve(...answers);
  return { ...(await runBare(argv, { env: { ...ACCOUNT, DOI_CLI_BASE_URL: url.href } })), asked };
}

describe('keys create', () => {
  it('prints the key on stdout, once, and warns on stderr', async () => {
    const { run } = await emulate();
    const { code, stdout, stderr } = await run(['keys', 'create', '--name', 'ci', '--verbose']);
    expect(code).toBe(0);
    const [key = ''] = stdout.match(/DC\.[A-Za-z0-9]{32}/) ?? [];
    expect(stdout.split(key)).toHaveLength(2);
    expect(stdout).toMatch(/^Name +ci$/m);
    expect(stderr).toMatch(WARNING);
    expect(stderr).toMatch(/^POST .*api-keys 201/m);
    expect(stderr).not.toContain(key);
  });
  it('prints the bare key with --key-only, and the resource object as JSON', async () => {
    const { run } = await emulate();
    const bare = await run(['keys', 'create', '--name', 'ci', '--key-only']);
    expect(bare.stdout).toMatch(/^DC\.[A-Za-z0-9]{32}\n$/);
    const json = await run(['keys', 'create', '--name', 'ci2', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      type: 'apiKeys',
      attributes: { name: 'ci2', key: /^DC\./, revokedAt: null },
      relationships: { client: { data: { id: REPOSITORY, type: 'clients' } } },
    });
  });
  it('warns of a second key of the same name', async () => {
    const { run } = await emulate();
    await run(['keys', 'create', '--name', 'ci']);
    const { code, stderr } = await run(['keys', 'create', '--name', 'ci']);
    expect([code, stderr]).toEqual([0, /active key named 'ci' exists already/]);
  });
  it.each([[[]], [['--format', 'json']]])(
    'with --if-absent makes one key of a name only: %j',
    async (options) => {
      const { run, log } = await emulate();
      const argv = ['keys', 'create', '--name', 'ci', '--if-absent', ...options];
      const [first, second] = [await run(argv), await run(argv)];
      expect([first.code, first.stdout]).toEqual([0, /DC\.\w{32}/]);
      const [made, found] = [first, second].flatMap(({ stdout }) =>
        options.length > 0 ? [JSON.parse(stdout)] : [],
      );
      expect([second.code, second.stdout]).toEqual([0, made ? /^\{/ : '']);
      expect(second.stdout).not.toMatch(/DC\.\w{9}/);
      expect(second.stderr).toMatch(
        /^nothing was created: an active key with this name exists, \S+ 'ci'/,
      );
      if (made) expect([made.outcome, found.outcome]).toEqual(['created', 'exists']);
      expect(found?.id).toBe(made?.id);
      await run(['keys', 'revoke', 'ci', '--yes']);
      expect((await run(argv)).stdout).toMatch(/DC\.\w{32}/);
      expect((await log()).filter(({ method }) => method === 'POST')).toHaveLength(2);
    },
  );
  it('refuses --if-absent with --key-only, which would write nothing into a pipe', async () => {
    const { run, log } = await emulate();
    const { code, stderr } = await run('keys create --name ci --if-absent --key-only'.split(' '));
    expect([code, stderr]).toEqual([2, /--if-absent and --key-only.*\nhint: .*--format json/]);
    expect(await log()).toEqual([]);
  });
  it('reports a wrong password as that, and creates nothing', async () => {
    const { run, log } = await emulate();
    const { code, stderr } = await run(['keys', 'create', '--name', 'ci'], {
      env: { DOI_CLI_PASSWORD: 'wrong' },
    });
    expect(code).toBe(4);
    expect(stderr).not.toMatch(/not found/i);
    expect((await log()).map(({ method, status }) => [method, status])).toEqual([['GET', 401]]);
  });
  it.each([
    ['a missing name', [], /--name/],
    ['a blank name', ['--name', '  '], /the name is empty: write what/],
    ['a whole key', ['--name', `DC.${'a1'.repeat(16)}`], /names are not secret/],
    ['a line break in the name', ['--name', 'ci\nx'], /must not contain line breaks/],
    ['a long name', ['--name', 'x'.repeat(192)], /191/],
    ['two formats', ['--name', 'x', '--key-only', '--format', 'json'], /exclude/],
    ['an unknown option', ['--name', 'x', '--password', 'y'], /unknown option/],
  ])('refuses %s before any request', async (_, args, message) => {
    const { run, log } = await emulate();
    const { code, stderr } = await run(['keys', 'create', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(await log()).toEqual([]);
  });
  it('revokes a key that nobody can read, and says so where it can', async () => {
    const { run } = await emulate();
    const broken = { write: async () => Promise.reject(new ClosedPipe(new Error('EPIPE'))) };
    for (const streams of [{ stdout: broken }, { stdout: broken, stderr: broken }]) {
      const { code, stderr } = await run(['keys', 'create', '--name', 'ci'], streams);
      expect(code).toBe(1);
      if (!('stderr' in streams))
        expect(stderr).toMatch(/key with id \S+ was created, .* is revoked again/);
      expect(stderr).not.toMatch(WARNING);
    }
    const listed = await run(['keys', 'list', '--include-revoked', '--format', 'csv']);
    expect(listed.stdout.match(/,revoked$/gm)).toHaveLength(2);
  });
  it('names a key that nobody can read, and that cannot be revoked', async () => {
    const { run } = await emulate({ faults: ['500@3', '500@4', '500@5', '500@6'] });
    const stdout = { write: async () => Promise.reject(new Error('EIO')) };
    const { code, stderr } = await run(['keys', 'create', '--name', 'ci', '--retries', '0'], {
      stdout,
    });
    expect(code).toBe(1);
    const [, id] = /key with id (\S+) was created.*lost, and may be active/.exec(stderr) ?? [];
    expect(stderr).toContain(`hint: doi-cli keys revoke ${id} --yes`);
  });
});

describe('keys create, in doubt', () => {
  // core/key-changes.test.ts has the doubts.
  it('waits for the answer when interrupted, and tells what became of the key', async () => {
    const stop = new AbortController();
    const { url } = await serve(
      answer(200, { data: [] }),
      (response) => {
        stop.abort(stopReason('SIGINT'));
        setTimeout(() => response.writeHead(504).end(), 20);
      },
      answer(200, { data: [key('lost', 'ci')] }),
    );
    const env = { ...ACCOUNT, DOI_CLI_BASE_URL: url.href };
    const { code, stderr } = await runBare(['keys', 'create', '--name', 'ci'], {
      env,
      signal: stop.signal,
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /waiting for the answer[\s\S]*has appeared \(id lost\)[\s\S]*hint: doi-cli keys revoke lost/,
    );
  });
  it('creates nothing when stdout is closed or /dev/null', async () => {
    const { run, log } = await emulate();
    expect(await run(['keys', 'create', '--name', 'x'], { stdoutIsNowhere: true })).toMatchObject({
      code: 2,
    });
    expect(await log()).toEqual([]);
  });
});

describe('hints', () => {
  it('are commands for the same service, quoted for a shell', async () => {
    const { anonymous, env, baseUrl } = await emulate();
    const { DOI_CLI_BASE_URL: _, ...credentials } = env;
    const { stderr } = await anonymous(['keys', 'revoke', "it's", '--base-url', baseUrl], {
      env: credentials,
    });
    expect(stderr).toContain(
      `hint: doi-cli keys revoke ${shellWord("it's")} --base-url ${baseUrl} --yes\n`,
    );
  });
});

describe('keys, with credentials that cannot manage keys', () => {
  // credentials/resolve.test.ts has what else they can lack.
  it.each([['create', '--name', 'x'], ['list'], ['revoke', 'x', '--yes']])(
    '%s refuses before any request',
    async (...argv) => {
      const { run, log } = await emulate();
      const env = { DOI_CLI_PASSWORD: undefined, DOI_CLI_API_KEY: `DC.${'a'.repeat(32)}` };
      expect(await run(['keys', ...argv], { env })).toMatchObject({
        code: 4,
        stderr: /API key cannot.*\nhint: set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD/,
      });
      expect((await run(['keys', ...argv, '--anonymous'])).code).toBe(2);
      expect(await log()).toEqual([]);
    },
  );
});

describe('keys list', () => {
  it('shows what people need, in a table that is not cut off', async () => {
    const { run, newKey, anonymous } = await emulate();
    const name = `a rather long name ${'n'.repeat(120)}`;
    const used = await newKey(name);
    const unused = await newKey('unused');
    await anonymous(['dois', 'list', '--count'], { env: { DOI_CLI_API_KEY: used.key } });
    await run(['keys', 'revoke', unused.id, '--yes']);
    const active = await run(['keys', 'list']);
    expect(active.stdout.split('\n')[0]).toMatch(/^ID +NAME +PREFIX +CREATED +LAST USED +STATUS$/);
    expect(active.stdout).toMatch(
      new RegExp(`${used.id}  ${name}  ${used.prefix}  \\S+  \\d{4}-\\S+  active`),
    );
    expect(active.stdout).not.toContain(unused.id);
    const all = await run(['keys', 'list', '--include-revoked']);
    expect(all.stdout).toMatch(new RegExp(`${unused.id}.*never +revoked \\d{4}-`));
    expect(all.stdout + active.stdout).not.toContain(used.key);
  });
  it('stresses active keys only', async () => {
    const { run, newKey } = await emulate();
    await newKey('in-use');
    await run(['keys', 'revoke', (await newKey('gone')).id, '--yes']);
    const { stdout } = await run(['keys', 'list', '--include-revoked'], {
      env: { NO_COLOR: '', TERM: 'xterm' },
      terminal: { stdout: true, columns: 120 },
    });
    const [bold, yellow, dim] = [1, 33, 2].map((code) => `\u001b[${code}m`);
    const line = (name: string) => stdout.split('\n').find((each) => each.includes(name));
    expect(line('in-use')).toContain(`${bold}in-use`);
    expect(line('in-use')).toContain(`${yellow}never`);
    expect(line('gone')).toContain(`${dim}gone`);
    expect(line('gone')).not.toContain(yellow);
  });
  it('prints every format', async () => {
    const { run, newKey } = await emulate();
    const { id, prefix } = await newKey('a,"b"');
    const csv = await run(['keys', 'list', '--format', 'csv']);
    expect(csv.stdout).toMatch(
      new RegExp(
        `^id,name,keyPrefix,created,lastUsedAt,revokedAt,status\n${id},"a,""b""",${prefix},\\S+Z,,,active\n$`,
      ),
    );
    const json = await run(['keys', 'list', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { id, attributes: { name: 'a,"b"', lastUsedAt: null } },
    ]);
    const ndjson = await run(['keys', 'list', '--format', 'ndjson']);
    expect(idsIn(ndjson.stdout)).toEqual([id]);
  });
  it('says on stderr that there are none', async () => {
    const { run } = await emulate();
    expect(await run(['keys', 'list'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: /no API keys/,
    });
    expect((await run(['keys', 'list', '--format', 'json'])).stdout).toBe('[]\n');
  });
});

describe('keys revoke', () => {
  it('prints one object for each key as JSON, with the time of the service', async () => {
    const { run, newKey } = await emulate();
    const [a, b] = [await newKey('a'), await newKey('b')];
    const { code, stdout } = await run(['keys', 'revoke', 'a', 'b', '--yes', '--format', 'json']);
    const list = await run(['keys', 'list', '--include-revoked', '--format', 'json']);
    const [second, first] = JSON.parse(list.stdout) as { attributes: { revokedAt: string } }[];
    const revoked = { outcome: 'revoked' };
    expect([code, jsonLines(stdout)]).toEqual([
      0,
      [
        { ...revoked, ...first },
        { ...revoked, ...second },
      ],
    ]);
    expect([first, second]).toMatchObject([
      { id: a.id, attributes: { revokedAt: /^\d{4}-/ } },
      { id: b.id },
    ]);
    const again = await run(['keys', 'revoke', 'a', '--yes', '--format', 'json']);
    expect(jsonLines(again.stdout)).toEqual([{ outcome: 'already-revoked', ...first }]);
    expect(stdout + again.stdout).not.toContain(a.key);
  });
  it('prints one error as JSON, whatever goes wrong with how many keys', async () => {
    const { run, newKey, control } = await emulate();
    for (const name of ['twin', 'twin', 'a', 'b']) await newKey(name);
    const json = ['--yes', '--format', 'json', '--retries', '0'];
    const errorOf = ({ stderr }: { stderr: string }) =>
      (JSON.parse(stderr) as { error: { message: string; problems: object[] } }).error;
    const partly = await run(['keys', 'revoke', 'twin', 'nope', 'a', ...json]);
    expect([partly.code, JSON.parse(partly.stdout)]).toMatchObject([1, { outcome: 'revoked' }]);
    const twin = { message: / 'twin' \(DC\./ };
    const [twins, nope] = [/'twin' means 2 active keys/, /the name 'nope'/];
    expect(errorOf(partly)).toMatchObject({
      message: 'not every key was revoked',
      problems: [{ message: twins }, twin, twin, { message: nope }],
    });
    await control('faults', { faults: ['500@2', '500@3'] });
    const failed = await run(['keys', 'revoke', 'b', ...json]);
    const problems = [{ message: /'b' .* may still be active: / }];
    expect([failed.code, failed.stdout, errorOf(failed)]).toMatchObject([5, '', { problems }]);
    const none = await run(['keys', 'revoke', 'nope', 'neither', ...json]);
    const error = { message: /'neither'/, problems: [{ message: nope }] };
    expect([none.code, errorOf(none)]).toMatchObject([1, error]);
  });
  it('warns when the key is the one in the environment', async () => {
    const { run, newKey } = await emulate();
    const [a, b] = [await newKey('a'), await newKey('b')];
    const env = { DOI_CLI_API_KEY: a.key };
    const other = await run(['keys', 'revoke', b.id, '--yes'], { env });
    expect([other.code, other.stderr]).toEqual([0, '']);
    const words = `warning: DOI_CLI_API_KEY in the environment is the revoked key ${a.prefix}: unset`;
    for (const _ of ['now', 'before'])
      expect((await run(['keys', 'revoke', a.id, '--yes'], { env })).stderr).toContain(words);
  });
  it('sends nothing for an id that would lead elsewhere', async () => {
    const argv = ['keys', 'revoke', 'ci', '--yes'];
    const { code, stdout, asked } = await against(argv, answer(200, { data: [key('..', 'ci')] }));
    expect([code, stdout, asked.map(({ method }) => method)]).toEqual([1, '', ['GET']]);
  });
  it('takes an id, a prefix or an exact name, several at once', async () => {
    const { run, newKey } = await emulate();
    const [a, b, c] = [await newKey('a'), await newKey('b'), await newKey('c')];
    const { code, stdout } = await run(['keys', 'revoke', a.id, b.prefix, 'c', 'c', '--yes']);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(3);
    for (const { id } of [a, b, c]) expect(stdout).toContain(`Revoked ${id}`);
    expect((await run(['keys', 'list', '--format', 'json'])).stdout).toBe('[]\n');
  });
  it('refuses a name of several keys and lists them, and still revokes the others', async () => {
    const { run, newKey } = await emulate();
    for (const name of ['twin', 'twin', 'other']) await newKey(name);
    const { code, stdout, stderr } = await run(['keys', 'revoke', 'twin', 'other', '--yes']);
    expect([code, stdout, stderr]).toEqual([
      1,
      /'other'/,
      /^PREFIX {7}NAME {2}CREATED [\s\S]*hint: /,
    ]);
    expect(await run(['keys', 'revoke', 'twin', '--yes'])).toMatchObject({ code: 2, stdout: '' });
  });
  it('sends nothing for a key that is revoked already', async () => {
    const { run, newKey, log } = await emulate();
    const { id } = await newKey('old');
    await run(['keys', 'revoke', id, '--yes']);
    const before = await run(['keys', 'list', '--include-revoked', '--format', 'json']);
    const { code, stderr } = await run(['keys', 'revoke', 'old', '--yes']);
    expect([code, stderr]).toEqual([0, /already revoked: .*old.*\d{4}-/]);
    expect((await log()).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    expect((await run(['keys', 'list', '--include-revoked', '--format', 'json'])).stdout).toBe(
      before.stdout,
    );
  });
  it('needs --yes where nobody can be asked, before any request', async () => {
    const { run, log } = await emulate();
    const interactive = { stdin: true, stderr: true };
    for (const [terminal, ...more] of [
      [{}],
      [{ stdin: true }],
      [interactive, '--no-input'],
    ] as const)
      expect(await run(['keys', 'revoke', 'my key', ...more], { terminal })).toMatchObject({
        code: 2,
        stderr: new RegExp(`hint: doi-cli keys revoke ${shellWord('my key')} .*--yes`),
      });
    expect(await log()).toEqual([]);
  });
  it('asks on a terminal, also when quiet', async () => {
    const { run, newKey, log } = await emulate();
    const { id } = await newKey('ci');
    const terminal = { stdin: true, stderr: true };
    for (const [stdin, code, more] of [
      ['n\n', 1, ['--quiet']],
      ['y\n', 0, []],
    ] as const) {
      const result = await run(['keys', 'revoke', 'ci', ...more], { terminal, stdin });
      expect(result.stderr).toMatch(/Revoke this key for good\? \[y\/N\]/);
      expect(result.stderr).toContain(id);
      expect(result.code).toBe(code);
    }
    expect((await log()).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });
  it('tells a person how long ago a key was used, and a script when', async () => {
    const { run, newKey } = await emulate();
    const { key, prefix } = await newKey('ci');
    await run(['dois', 'list', '--count'], { env: { DOI_CLI_API_KEY: key } });
    const terminal = { stdin: true, stdout: true, stderr: true };
    const asked = await run(['keys', 'revoke', prefix], { terminal, stdin: 'n\n' });
    expect(asked.stderr).toContain(`'ci' (${prefix}, last used just now)\n`);
    const revoked = await run(['keys', 'revoke', prefix, '--yes']);
    expect(revoked.stdout).toMatch(/^Revoked \S+ 'ci' \(\S+, last used \d{4}-\S+Z\)\n$/);
  });
  it('refuses a whole key on the command line without repeating it', async () => {
    const { run, newKey, log } = await emulate();
    const { key, prefix } = await newKey('ci');
    const before = (await log()).length;
    const { code, stderr } = await run(['keys', 'revoke', key, '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(prefix)]);
    expect(stderr).not.toContain(key);
    expect(await log()).toHaveLength(before);
  });
  it('says so when the account is inactive', async () => {
    const { run, newKey, control } = await emulate();
    await newKey('ci');
    await control(`accounts/${REPOSITORY}/deactivate`, {});
    expect(await run(['keys', 'list'])).toMatchObject({ code: 0 });
    expect(await run(['keys', 'revoke', 'ci', '--yes'])).toMatchObject({
      code: 4,
      stderr: /not revoked/,
    });
  });
});

it.each([['list'], ['audit'], ['create', '--name', 'x']])(
  'keys %s with the account of a member says whose keys there are',
  async (...argv) => {
    const refusal = { errors: [{ status: '403', title: 'You are not authorized.' }] };
    const { code, stderr } = await against(['keys', ...argv], answer(403, refusal));
    expect([code, stderr]).toEqual([4, /API keys belong to repositories/]);
    expect(stderr).not.toContain('owner of the prefix');
  },
);
