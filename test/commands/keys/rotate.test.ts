import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeychainError } from '../../../src/credentials/keychain.ts';
import { CliError, ClosedPipe, stopReason } from '../../../src/errors.ts';
import { interposed } from '../../e2e/interposed.ts';
import { emulate, REPOSITORY, type TestEmulator } from '../../helpers/emulator.ts';
import { withKeychain } from '../../helpers/memory-keychain.ts';
import { lacks } from '../../helpers/platform.ts';
import type { RunOptions } from '../../helpers/run.ts';

const withLinks = it.skipIf(lacks('links'));

/** An account with one key, `ci`, which is stored. */
async function holder() {
  const emulator = await emulate();
  const old = await emulator.newKey('ci');
  const { keychain, folder, run: asAccount } = withKeychain(emulator.run);
  await asAccount(['auth', 'login', '--api-key-stdin'], { stdin: old.key });
  const before = (await emulator.log()).length;
  return {
    ...emulator,
    ...{ old, keychain, folder, run: asAccount },
    /**
     * With `--retries 0`, so that one failed attempt is a failure; `--show` tells the tests the
     * key.
     */
    rotate: (options: RunOptions = {}, ...more: string[]) =>
      asAccount(
        ['keys', 'rotate', 'ci', '--save', '--show', '--yes', '--retries', '0', ...more],
        options,
      ),
    active: () => activeKeys(emulator),
    stored: () => keychain.secrets.get(`${emulator.baseUrl}|api-key|${REPOSITORY.toLowerCase()}`),
    /** The requests since the account was set up. */
    asked: async () =>
      (await emulator.log()).slice(before).map(({ method, status }) => `${method} ${status}`),
  };
}

async function activeKeys({ control, run: asAccount }: TestEmulator): Promise<string[]> {
  await control('faults', { faults: [] });
  const { stdout } = await asAccount(['keys', 'list', '--format', 'json']);
  return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
}

const keyIn = (stdout: string) => /DC\.[A-Za-z0-9]{32}/.exec(stdout)?.[0] ?? '';
const idIn = (stderr: string) => /Created (\S+) 'ci'/.exec(stderr)?.[1] ?? 'none';

describe('keys rotate', () => {
  it('creates, prints, proves, stores and then revokes', async () => {
    const { rotate, old, active, stored, asked } = await holder();
    const { code, stdout, stderr } = await rotate();
    expect(code).toBe(0);
    expect(await asked()).toEqual(['GET 200', 'POST 201', 'GET 200', 'DELETE 204', 'GET 200']);
    expect(keyIn(stdout)).not.toBe('');
    expect(stored()).toBe(keyIn(stdout));
    expect(await active()).toEqual([idIn(stderr)]);
    expect(stderr).toContain(`Revoked ${old.id} 'ci'`);
    expect(stderr).not.toContain(keyIn(stdout));
  });
  it('prints the bare key, keeps the old one, and gives a new name when asked to', async () => {
    const { run: rotate, old, active, stored } = await holder();
    const { code, stdout, stderr } = await rotate([
      ...'keys rotate ci --key-only --keep-old --name'.split(' '),
      'ci 2',
    ]);
    expect([code, stdout]).toEqual([0, /^DC\.[A-Za-z0-9]{32}\n$/]);
    expect(stderr).toContain(
      `the old key stays active; once the new one is in use: doi-cli keys revoke ${old.id} --yes`,
    );
    expect(stderr).toMatch(/Created \S+ 'ci 2'/);
    expect(await active()).toHaveLength(2);
    expect(stored()).toBe(old.key);
  });
  it('erases the old key where it is stored, and says how to store the new one', async () => {
    const { run: rotate, old, stored } = await holder();
    const { code, stderr } = await rotate(['keys', 'rotate', old.id, '--yes']);
    expect([code, stored()]).toEqual([0, undefined]);
    expect(stderr).toMatch(
      /Erased the revoked key of DEMO\.REPO.*\nto store the new key: doi-cli auth login --api-key-stdin/,
    );
  });
  it('prints one object as JSON: the new key, and what became of the old one', async () => {
    const { rotate, old, run: asAccount } = await holder();
    const { code, stdout } = await rotate({}, '--format', 'json');
    const made = JSON.parse(stdout) as {
      id: string;
      attributes: { key: string; keyPrefix: string };
    };
    const { stdout: list } = await asAccount(
      'keys list --include-revoked --format json'.split(' '),
    );
    const [fresh, gone] = JSON.parse(list) as { id: string; attributes: { revokedAt: string } }[];
    expect([code, made]).toMatchObject([
      0,
      { outcome: 'rotated', type: 'apiKeys', id: fresh?.id, replaced: gone ?? {} },
    ]);
    expect(gone).toMatchObject({ id: old.id, attributes: { revokedAt: expect.any(String) } });
    expect(made.attributes.key.slice(0, 11)).toBe(made.attributes.keyPrefix);
    const kept = await rotate({}, '--format', 'json', '--keep-old');
    expect(JSON.parse(kept.stdout)).toMatchObject({
      replaced: { id: fresh?.id, attributes: { revokedAt: null } },
    });
  });
  it('prints no JSON that can be read when it fails, but never loses the new key', async () => {
    const { rotate, control, active, old } = await holder();
    await control('faults', { faults: ['502@4'] });
    const { code, stdout } = await rotate({}, '--format', 'json');
    expect([code, await active()]).toEqual([5, [old.id]]);
    expect(() => JSON.parse(stdout) as unknown).toThrow();
    expect(keyIn(stdout)).not.toBe('');
    expect(await rotate({}, '--format', 'json', '--key-only')).toMatchObject({ code: 2 });
  });
  it.each([
    [[], false],
    [['--show'], true],
    [['--key-only'], true],
    [['--format', 'json'], true],
  ] as const)('with --save %j prints the key: %s', async (options, shown) => {
    const { run: asAccount, stored } = await holder();
    for (const argv of [
      ['keys', 'rotate', 'ci', '--save', '--yes', ...options],
      ['keys', 'create', '--name', 'x', '--save', ...options],
    ]) {
      const { code, stdout } = await asAccount(argv);
      expect([code, keyIn(stdout)]).toEqual([0, shown ? stored() : '']);
      if (!options.some((word) => word === '--key-only'))
        expect(stdout).toContain(stored()?.slice(0, 11));
    }
  });
  it('needs --yes, or a yes on a terminal', async () => {
    const { run: rotate, old, active, asked } = await holder();
    const argv = ['keys', 'rotate', 'ci'];
    const stderr = /hint: doi-cli keys rotate ci --yes/;
    expect([await rotate(argv), await asked()]).toMatchObject([{ code: 2, stderr }, []]);
    const terminal = { stdin: true, stderr: true };
    const no = await rotate(argv, { terminal, stdin: 'n\n' });
    expect(no.stderr).toMatch(/Replace this key, and then revoke it for good\? \[y\/N\]/);
    expect([no.code, await active()]).toEqual([1, [old.id]]);
    expect((await rotate(argv, { terminal, stdin: 'y\n' })).code).toBe(0);
    expect(await active()).not.toContain(old.id);
  });
  // reference.test.ts has how a key is named.
  it.each([
    ['none', 1, /no key has/],
    ['ci', 2, /means 2 active keys[\s\S]*hint: doi-cli keys rotate/],
    ['gone', 1, /already revoked/],
  ])('creates no key in place of %s', async (name, code, stderr) => {
    const { run: rotate, newKey, asked } = await holder();
    await newKey('ci');
    await rotate(['keys', 'revoke', (await newKey('gone')).id, '--yes']);
    expect(await rotate(['keys', 'rotate', name, '--yes'])).toMatchObject({ code, stderr });
    expect((await asked()).filter((line) => line === 'POST 201')).toHaveLength(2);
  });
  it('refuses a stdout that leads nowhere, unless the key is stored', async () => {
    const { run: rotate, rotate: andSave } = await holder();
    const argv = ['keys', 'rotate', 'ci', '--yes'];
    expect(await rotate(argv, { stdoutIsNowhere: true })).toMatchObject({ code: 2 });
    expect(await andSave({ stdoutIsNowhere: true })).toMatchObject({ code: 0 });
  });
});

const NO_SPACE = new CliError('output', 'cannot write the output: no space left on device');

/**
 * Failures at each stage, and their exit codes. Faults count requests: list, create, verify,
 * revoke.
 */
interface Failure {
  readonly what: string;
  readonly faults?: readonly string[];
  readonly code: number;
  /** Whether the new key exists by then. */
  readonly made?: boolean;
  readonly options?: RunOptions;
}

const failing = (error: Error): RunOptions => ({
  stdout: { write: async () => Promise.reject(error) },
});

const FAILURES: readonly Failure[] = [
  { what: 'the creation, by the service', faults: ['500@2'], code: 5, made: false },
  { what: 'printing, on a full disk', code: 1, options: failing(NO_SPACE) },
  { what: 'printing, into a closed pipe', code: 1, options: failing(new ClosedPipe('EPIPE')) },
  { what: 'the proof, by the service', faults: ['500@3'], code: 5 },
  { what: 'the proof, by a refusal', faults: ['anonymous'], code: 4 },
  { what: 'the revocation, by the service', faults: ['500@4'], code: 5 },
];

describe('a rotation that fails', () => {
  it.each(FAILURES)('at $what leaves the old key alone, active and stored', async (failure) => {
    const { faults = [], code, made = true, options = {} } = failure;
    const { rotate, control, old, active, stored } = await holder();
    await control('faults', { faults });
    const result = await rotate(options);
    expect(result.code, result.stderr).toBe(code);
    expect([await active(), stored()]).toEqual([[old.id], old.key]);
    if (!made) return;
    expect(result.stderr).toMatch(
      /error: the rotation failed while .*the new key \S+ is revoked again, and the old one is untouched/,
    );
    expect(result.stderr).toContain(old.id);
  });
  it.each(['reset@2', '504@2'])(
    'at the creation by %s names the key that may exist',
    async (fault) => {
      const { rotate, control, old, active, stored } = await holder();
      await control('faults', { faults: [fault] });
      const { code, stdout, stderr } = await rotate();
      expect([code, stdout, stored()]).toEqual([5, '', old.key]);
      const others = (await active()).filter((id) => id !== old.id);
      expect(others).toHaveLength(1);
      expect(stderr).toContain(`hint: doi-cli keys revoke ${others[0]}`);
      expect(await active()).toContain(old.id);
    },
  );
  it.each(['locked', 'hanging'] as const)(
    'at storing, with a keychain that is %s, leaves the old key alone, active and stored',
    async (failure) => {
      const { rotate, keychain, old, active, stored } = await holder();
      keychain.failing = { set: failure };
      const { code, stderr } = await rotate();
      expect([code, stderr]).toEqual([4, /failed while storing the new key.*revoked again/]);
      expect([await active(), stored()]).toEqual([[old.id], old.key]);
    },
  );
  it('at storing, with a keychain that stores and then does not answer, puts the old key back', async () => {
    const { rotate, keychain, old, active, stored } = await holder();
    const set = keychain.set.bind(keychain);
    let answers = false;
    keychain.set = async (account, secret) => {
      await set(account, secret);
      if (!answers) {
        answers = true;
        throw new KeychainError('hanging', 'as the test wants it');
      }
    };
    const { code, stderr } = await rotate();
    expect([code, stderr]).toEqual([4, /failed while storing the new key.*revoked again/]);
    expect([await active(), stored()]).toEqual([[old.id], old.key]);
  });
  withLinks.each([
    ['proving', 'read', 'config.json'],
    ['storing', 'written', 'config.json.lock'],
  ])('at %s, with settings that cannot be %s, leaves the old key alone', async (stage, _, name) => {
    const { rotate, folder, old, active, stored } = await holder();
    const file = join(folder, name);
    const stdout = {
      write: async () => {
        // The key is created and not yet stored.
        rmSync(file, { force: true });
        symlinkSync('/nonexistent', file);
      },
    };
    const { code, stderr } = await rotate({ stdout });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(`failed while ${stage} .*revoked again`),
    ]);
    expect([await active(), stored()]).toEqual([[old.id], old.key]);
  });
  it('before the creation, with a keychain that does not work, creates nothing', async () => {
    const { rotate, keychain, asked } = await holder();
    keychain.failing = { check: 'locked' };
    expect(await rotate()).toMatchObject({ code: 4, stderr: /keychain is locked/ });
    expect(await asked()).toEqual([]);
  });
  it.each(['reset@4', '504@4'])(
    'at the revocation by %s, which was carried out, has succeeded',
    async (fault) => {
      const { rotate, control, active, stored } = await holder();
      await control('faults', { faults: [fault] });
      const { code, stdout, stderr } = await rotate();
      expect(code, stderr).toBe(0);
      expect([await active(), stored()]).toEqual([[idIn(stderr)], keyIn(stdout)]);
    },
  );
  it('names both keys when the new one cannot be revoked again', async () => {
    const { rotate, control, old, active, stored } = await holder();
    await control('faults', { faults: ['500@3+'] });
    const { code, stderr } = await rotate();
    const fresh = idIn(stderr);
    expect(code).toBe(5);
    expect(stderr).toMatch(/the new key could not be revoked again/);
    for (const id of [old.id, fresh]) expect(stderr.split('error: ')[1]).toContain(id);
    expect(stderr).toContain(`hint: doi-cli keys revoke ${fresh} --yes`);
    expect([(await active()).sort(), stored()]).toEqual([[fresh, old.id].sort(), old.key]);
  });
  it('takes nothing back when it cannot tell whether the old key is revoked', async () => {
    const { rotate, control, active, stored } = await holder();
    await control('faults', { faults: ['504@4', '502@5+'] });
    const { code, stdout, stderr } = await rotate();
    expect([code, stderr]).toEqual([5, /is unknown whether the old key is still active/]);
    expect([await active(), stored()]).toEqual([[idIn(stderr)], keyIn(stdout)]);
  });
  it('leaves the new key when what was stored cannot be put back', async () => {
    const { rotate, control, keychain, old, active, stored } = await holder();
    await control('faults', { faults: ['500@4'] });
    const set = keychain.set.bind(keychain);
    keychain.set = async (account, secret) => {
      await set(account, secret);
      keychain.failing = { set: 'locked' };
    };
    const { code, stdout, stderr } = await rotate();
    expect([code, stderr]).toEqual([5, /the new key is stored and stays/]);
    expect(stderr).toContain(`hint: doi-cli keys revoke ${old.id} --yes`);
    expect([(await active()).sort(), stored()]).toEqual([
      [idIn(stderr), old.id].sort(),
      keyIn(stdout),
    ]);
  });
  it.each(['print', 'get', 'set'] as const)(
    'by an interrupt at %s leaves no key unnamed',
    async (moment) => {
      const { rotate, keychain, old, active, stored } = await holder();
      const stop = new AbortController();
      const interrupt = () => stop.abort(stopReason('SIGINT'));
      if (moment === 'get' || moment === 'set') {
        const original = keychain[moment].bind(keychain) as (...args: string[]) => Promise<never>;
        Object.assign(keychain, {
          [moment]: async (...args: string[]) => {
            interrupt();
            return original(...args);
          },
        });
      }
      let printed = '';
      const stdout = {
        write: async (text: string | Uint8Array) => {
          printed += String(text);
          if (moment === 'print') interrupt();
        },
      };
      const { code, stderr } = await rotate({ signal: stop.signal, stdout });
      expect(code, stderr).toBe(130);
      const now = await active();
      for (const id of now)
        expect([old.id, ...now.filter((other) => stderr.includes(other))]).toContain(id);
      expect(now).toContain(old.id);
      expect(stored()).toBe(old.key);
      expect(printed === '' || stderr.includes('revoked again')).toBe(true);
    },
  );
  it('by an interrupt at the creation leaves no key unnamed', async () => {
    const { run: asAccount, baseUrl, old, active } = await holder();
    const stop = new AbortController();
    const between = await interposed(baseUrl, (method) => {
      if (method === 'POST') stop.abort(stopReason('SIGINT'));
      return 'pass';
    });
    const argv = ['keys', 'rotate', 'ci', '--yes'];
    const env = { DOI_CLI_BASE_URL: between };
    const { code, stdout, stderr } = await asAccount(argv, { env, signal: stop.signal });
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(
      /waiting for the answer[\s\S]*Created \S+ 'ci'[\s\S]*revoked again, and the old one/,
    );
    expect(await active()).toEqual([old.id]);
  });
});

/**
 * The points at which a rotation is killed, in order, and which of the two keys is stored
 * afterwards.
 */
const KILLS = [
  { step: 'the check of the keychain', at: 'check', stored: 'old', made: false },
  { step: 'the look at the stored key', at: 'get', stored: 'old', made: false },
  { step: 'printing', at: 'print', stored: 'old', made: true },
  { step: 'storing, before it is stored', at: 'set', stored: 'old', made: true },
  { step: 'storing, after it is stored', at: 'set, done', stored: 'new', made: true },
] as const;

describe('a rotation that is killed', () => {
  // A call that never returns stands for the kill: no next stage and no rollback runs.
  it.each(KILLS)('at $step leaves a stored key that works', async ({ at, stored: which, made }) => {
    const { rotate, run: asAccount, keychain, old, active, stored } = await holder();
    const { check, get, set } = keychain;
    let printed = '';
    await new Promise<void>((killed) => {
      const forEver = () => {
        killed();
        return new Promise<never>(() => undefined);
      };
      if (at === 'check' || at === 'get' || at === 'set')
        Object.assign(keychain, { [at]: forEver });
      if (at === 'set, done') {
        keychain.set = async (account, secret) => {
          await set.call(keychain, account, secret);
          return forEver();
        };
      }
      const stdout = {
        write: async (text: string | Uint8Array) => {
          printed += String(text);
          if (at === 'print') await forEver();
        },
      };
      void rotate({ stdout });
    });
    Object.assign(keychain, { check, get, set });
    const now = await active();
    expect([now.length, now.includes(old.id)]).toEqual([made ? 2 : 1, true]);
    expect(stored()).toBe(which === 'old' ? old.key : keyIn(printed));
    expect(await asAccount(['dois', 'list', '--mine', '--count'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    const again = await asAccount([
      'keys',
      'rotate',
      stored()?.slice(0, 11) ?? '',
      ...'--save --yes --key-only'.split(' '),
    ]);
    expect([again.code, again.stdout]).toEqual([0, `${stored()}\n`]);
  });
});

describe('a second interrupt, with --quiet', () => {
  it.each([
    ['POST', /^a key named 'ci' may just have been created/],
    [
      'DELETE',
      /^stopping while revoking the old key; if you interrupt again, both keys may stay active: /,
    ],
  ] as const)('at a %s that is stalled finds said what may be lost', async (where, words) => {
    const { run: asAccount, baseUrl, old } = await holder();
    const stop = new AbortController();
    let stalled: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    const between = await interposed(baseUrl, (method) => {
      if (method !== where) return 'pass';
      stalled();
      return 'hold';
    });
    const said: string[] = [];
    const stderr = { write: async (text: string | Uint8Array) => void said.push(String(text)) };
    const env = { DOI_CLI_BASE_URL: between };
    // It never resolves: the second interrupt ends the program.
    void asAccount(['keys', 'rotate', 'ci', '--yes', '--quiet'], {
      env,
      signal: stop.signal,
      stderr,
    });
    await reached;
    // The new key is said even with --quiet: nobody can find out later which run has made it.
    expect(said).toEqual(where === 'DELETE' ? [/^Created \S+ 'ci'/] : []);
    stop.abort(stopReason('SIGINT'));
    expect(said.at(-1)).toMatch(words);
    if (where === 'DELETE') expect(said.at(-1)).toContain(old.id);
  });
});

describe('keys rotate --save while another key is stored', () => {
  const ROTATE_OTHER = ['keys', 'rotate', 'other', '--save', '--show'];
  it.each([
    [['--yes'], '', 0],
    [['--keep-old'], '', 0],
    [[], 'y\n', 0],
    [[], 'n\n', 1],
  ])('says which one it replaces: %j %j', async (more, stdin, code) => {
    const { run: rotate, newKey, old, stored } = await holder();
    await newKey('other');
    const terminal = stdin === '' ? {} : { stdin: true, stderr: true, columns: 200 };
    expect(await rotate([...ROTATE_OTHER, ...more], { stdin, terminal })).toMatchObject({
      code,
      stderr: expect.stringContaining(
        `--save replaces another key, which stays active: ${old.id} 'ci'`,
      ),
    });
    expect(stored() === old.key).toBe(code === 1);
  });
});

describe('keys create --save', () => {
  const CREATE = ['keys', 'create', '--name', 'x', '--save'];

  it('keeps the key, prints it with --show, and says which stored key it replaces', async () => {
    const { run: create, old, stored } = await holder();
    const { code, stdout, stderr } = await create([...CREATE, '--show']);
    expect([code, stored()]).toEqual([0, keyIn(stdout)]);
    expect(stderr).toMatch(/the key is stored for DEMO\.REPO, and will not be shown again/);
    const replaced = `it replaces the stored key ${old.id} 'ci' .*, which stays active`;
    const revoke = `to revoke that: doi-cli keys revoke ${old.id}`;
    expect(stderr).toMatch(new RegExp(`${replaced}; ${revoke}`));
  });
  it.each([
    ['create', '--name', 'x'],
    ['rotate', 'ci', '--yes'],
  ])('refuses to give the profile of one account to another: keys %s', async (...argv) => {
    const { run: asAccount, control, asked, folder } = await holder();
    await control('accounts', { id: 'MY.REPO', password: 'battery staple' });
    const settings = () => readFileSync(join(folder, 'config.json'), 'utf8');
    const before = settings();
    const env = { DOI_CLI_REPOSITORY: 'MY.REPO', DOI_CLI_PASSWORD: 'battery staple' };
    expect(await asAccount(['keys', ...argv, '--save'], { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: /the profile default belongs to demo\.repo, but DOI_CLI_REPOSITORY is MY\.REPO/,
    });
    expect([await asked(), settings()]).toEqual([[], before]);
    // With another profile it works.
    await asAccount(['auth', 'login', '--profile', 'my'], { env });
    expect((await asAccount([...CREATE, '--profile', 'my'], { env })).code).toBe(0);
  });
  it('creates nothing when the keychain does not work', async () => {
    const { run: create, keychain, asked } = await holder();
    keychain.failing = { check: 'missing' };
    const stderr = /\nhint: leave out --save, or .*: doi-cli auth login --insecure-file\n/;
    expect(await create(CREATE)).toMatchObject({ code: 4, stdout: '', stderr });
    expect(await asked()).toEqual([]);
  });
  it('still prints the key when storing fails afterwards', async () => {
    const { run: create, keychain, old, stored } = await holder();
    keychain.failing = { set: 'locked' };
    expect(await create([...CREATE, '--key-only'])).toMatchObject({
      code: 4,
      stdout: /^DC\.\S{32}\n$/,
      stderr: /is printed, but not stored.*\nhint: doi-cli auth login --api-key-stdin/,
    });
    expect(stored()).toBe(old.key);
  });
  it('still stores the key when printing fails', async () => {
    const { run: create, keychain, stored, old } = await holder();
    const stdout = failing(NO_SPACE);
    const saved = { code: 1, stderr: /is stored, but could not be written/ };
    expect(await create(CREATE, stdout)).toMatchObject(saved);
    expect(stored()).not.toBe(old.key);
    keychain.failing = { set: 'locked' };
    const neither = { code: 1, stderr: /could not be written .* is revoked again/ };
    expect(await create(CREATE, stdout)).toMatchObject(neither);
  });
  it('goes where the credentials of the account already are', async () => {
    const { anonymous, env } = await emulate();
    const { run: asUser } = withKeychain(anonymous);
    const login = `auth login --repository ${REPOSITORY} --password-stdin --insecure-file`;
    await asUser(login.split(' '), { stdin: env['DOI_CLI_PASSWORD'] ?? '' });
    expect((await asUser(CREATE)).code).toBe(0);
    const status = await asUser(['auth', 'status', '--format', 'json']);
    expect(JSON.parse(status.stdout)).toMatchObject([
      { kind: 'repository', source: 'insecure-file', accepted: true },
      { kind: 'api-key', source: 'insecure-file', accepted: true },
    ]);
  });
});
