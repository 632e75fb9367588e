import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { KeychainError } from '../../src/credentials/keychain.ts';
import { Keychain, type KeychainOptions } from '../../src/credentials/keychain.ts';
import { stopReason } from '../../src/errors.ts';
import { lacks } from '../helpers/platform.ts';
import { processes } from '../helpers/processes.ts';
import { KEYCHAIN_CHILD } from '../helpers/real-keychain.ts';
import { type KeychainEnv, startMuteBus, startSecretService } from '../helpers/secret-service.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

/** Less than the 25 s after which libdbus gives up by itself. */
const LONGEST_MS = 20_000;
const SECRETS_OF_THE_PARENT = {
  DOI_CLI_PASSWORD: 'a-password',
  DOI_CLI_API_KEY: 'a-key',
  NODE_OPTIONS: '',
};

function keychain(env: KeychainEnv, signal = new AbortController().signal) {
  const notes: string[] = [];
  const made = new Keychain({
    child: KEYCHAIN_CHILD,
    env: { PATH: process.env['PATH'], ...SECRETS_OF_THE_PARENT, ...env },
    signal,
    note: (text) => notes.push(text),
  });
  onTestFinished(() => made.close());
  return { keychain: made, notes };
}

/** A keychain with a child process of the test. */
function withChild(child: URL, more: Partial<KeychainOptions> = {}): Keychain {
  const signal = new AbortController().signal;
  const made = new Keychain({ child, env: {}, signal, note: () => undefined, ...more });
  onTestFinished(() => made.close());
  return made;
}

function programOf(source: string): URL {
  const file = join(temporaryDirectory(), 'child.mjs');
  writeFileSync(file, source);
  return pathToFileURL(file);
}

/** Calls the Secret Service directly. */
function secretService(env: KeychainEnv, method: string, argument: string): string {
  const { stdout } = spawnSync(
    'dbus-send',
    [
      ...['--print-reply', '--dest=org.freedesktop.secrets', '/org/freedesktop/secrets'],
      ...[`org.freedesktop.Secret.Service.${method}`, argument],
    ],
    { env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' },
  );
  expect(stdout).toContain('method return');
  return stdout;
}

/** The error of a keychain check, which must come within seconds. */
async function failure(env: KeychainEnv): Promise<KeychainError> {
  const start = Date.now();
  const { keychain: broken } = keychain(env);
  const error = await broken.check().then(
    () => {
      throw new Error('it did not fail');
    },
    (reason: unknown) => reason as KeychainError,
  );
  expect(Date.now() - start).toBeLessThan(LONGEST_MS);
  expect(error).toMatchObject({ kind: 'credentials', exitCode: 4 });
  expect(error.hint).toMatch(
    /DOI_CLI_REPOSITORY.*DOI_CLI_PASSWORD.*DOI_CLI_API_KEY.*--insecure-file/,
  );
  return error;
}

describe.skipIf(lacks('secretService', 'procfs'))('a real Secret Service', () => {
  it('keeps secrets of every kind, and forgets what is deleted', async () => {
    const env = await startSecretService('unlocked');
    const { keychain: first } = keychain(env);
    await first.check();
    const secrets = [
      'x',
      ' with : colons and spaces ',
      'pässwörd 密码 🔑',
      'ab'.repeat(500),
      '"\\$(echo)',
    ];
    for (const [index, secret] of secrets.entries()) await first.set(`entry ${index}`, secret);
    await first.close();
    const { keychain: second } = keychain(env);
    for (const [index, secret] of secrets.entries())
      expect(await second.get(`entry ${index}`)).toBe(secret);
    await second.set('entry 0', 'another');
    expect(await second.get('entry 0')).toBe('another');
    expect([await second.delete('entry 0'), await second.delete('entry 0')]).toEqual([true, false]);
    expect(await second.get('entry 0')).toBeUndefined();
    expect(await second.get('check')).toBeUndefined();
  });
  it('serves runs side by side, and keeps nothing of their checks', async () => {
    const env = await startSecretService('unlocked');
    const all = Array.from({ length: 4 }, () => keychain(env).keychain);
    for (const _ of [1, 2]) await Promise.all(all.map((each) => each.check()));
    const items = () => secretService(env, 'SearchItems', 'dict:string:string:service,doi-cli');
    expect(items()).not.toContain('object path');
    await all[0]?.set('real', 'x');
    expect(await all[1]?.get('real')).toBe('x');
    expect(items()).toContain('object path');
  });
  it.each(['get', 'check'] as const)('that is frozen is told apart at %s', async (operation) => {
    const env = await startSecretService('unlocked');
    const { keychain: frozen } = keychain(env);
    const daemons = processes('gnome-keyring-daemon').filter(({ environment }) =>
      environment.includes(env['HOME'] ?? '-'),
    );
    for (const { pid } of daemons) process.kill(pid, 'SIGSTOP');
    const start = Date.now();
    await expect(frozen[operation]('x')).rejects.toMatchObject({ failure: 'hanging' });
    expect(Date.now() - start).toBeLessThan(LONGEST_MS);
  });
  it('that is locked later does not look as if it had lost anything', async () => {
    const env = await startSecretService('unlocked');
    const { keychain: made } = keychain(env);
    await made.set('x', 'y');
    secretService(env, 'Lock', 'array:objpath:/org/freedesktop/secrets/collection/login');
    await expect(made.get('x')).rejects.toMatchObject({ failure: 'locked' });
    expect(await made.get('nothing')).toBeUndefined();
  });
  it('that is locked is told apart', async () => {
    const error = await failure(await startSecretService('locked'));
    expect(error).toMatchObject({ failure: 'locked', message: /the keychain is locked/ });
    expect(error.hint).toMatch(/^unlock the keychain/);
  });
  it('that refuses is told apart', async () => {
    expect(await failure(await startSecretService('refusing'))).toMatchObject({
      failure: 'refused',
    });
  });
  it.each(['without a keyring', 'without a service'] as const)(
    '%s counts as none',
    async (state) => {
      expect(await failure(await startSecretService(state))).toMatchObject({ failure: 'missing' });
    },
  );
});

describe.skipIf(lacks('linux'))('a keychain that cannot be used', () => {
  it('is missing where there is no D-Bus', async () => {
    expect(await failure({})).toMatchObject({
      failure: 'missing',
      message: /no keychain to use here/,
    });
    const gone = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' };
    expect(await failure(gone)).toMatchObject({ failure: 'missing' });
  });
  it.each([
    ['not installed', undefined, /@napi-rs\/keyring/],
    [
      'that of another platform',
      'Cannot find native binding. Please remove package-lock.json.',
      /no keychain/,
    ],
  ])('is missing where the binding is %s', async (_, words, message) => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    // With the chunks that it shares with the program.
    cpSync(new URL('.', KEYCHAIN_CHILD), folder, { recursive: true });
    const binding = join(folder, 'node_modules', '@napi-rs', 'keyring');
    if (words !== undefined) {
      mkdirSync(binding, { recursive: true });
      writeFileSync(join(binding, 'index.js'), `throw new Error(${JSON.stringify(words)});`);
    }
    const child = pathToFileURL(join(folder, 'keychain-child.js'));
    await expect(withChild(child).get('x')).rejects.toMatchObject({
      failure: 'missing',
      message: message,
    });
  });
  it("finds its binding with yarn's Plug'n'Play, and inherits no options of Node otherwise", async () => {
    const child = programOf(
      "process.on('message', () => process.send({ value: process.env['NODE_OPTIONS'] ?? 'none' }));",
    );
    const env = { NODE_OPTIONS: '--no-deprecation' };
    expect(await withChild(child, { env }).get('x')).toBe('none');
    expect(await withChild(child, { env, needsNodeOptions: true }).get('x')).toBe(
      '--no-deprecation',
    );
  });
  it('has its time to answer once its program has started, however long that takes', async () => {
    const child = programOf(
      "process.on('message', () => setTimeout(() => process.send({ value: 'x' }), 500));",
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const late = withChild(child).get('late');
    vi.advanceTimersByTime(10_000);
    expect(await late).toBe('x');
  });
  it('is missing where its program does not start', async () => {
    const absent = withChild(new URL('file:///nonexistent/keychain-child.js'));
    await expect(absent.get('x')).rejects.toMatchObject({
      failure: 'missing',
      message: /exit code 1/,
    });
  });
  it('hangs on a D-Bus that accepts and never answers, and is waited for once', async () => {
    const { keychain: mute, notes } = keychain(await startMuteBus());
    const start = Date.now();
    await expect(mute.get('x')).rejects.toMatchObject({
      failure: 'hanging',
      message: /does not answer/,
    });
    await expect(mute.set('x', 'y')).rejects.toMatchObject({ failure: 'hanging' });
    expect(Date.now() - start).toBeLessThan(LONGEST_MS);
    expect(notes).toEqual([/waiting for the keychain/]);
  });
});

describe.skipIf(lacks('linux', 'procfs'))('the child process', () => {
  const waiting = async (env: KeychainEnv, secret: string) => {
    const { keychain: mute } = keychain(env);
    const set = mute.set(`entry-of-${env['HOME']}`, secret).catch((error: unknown) => error);
    await expect.poll(() => processes('keychain-child').length).toBeGreaterThan(0);
    return { mute, set };
  };
  it('has no secret in its arguments and nothing of ours in its environment', async () => {
    const env = await startMuteBus();
    const { mute, set } = await waiting(env, 'the-secret');
    const own = processes('keychain-child').filter(({ environment }) =>
      environment.includes(env['HOME'] ?? '-'),
    );
    expect(own).toHaveLength(1);
    const seen = JSON.stringify(own);
    for (const text of [
      'the-secret',
      'entry-of',
      ...Object.values(SECRETS_OF_THE_PARENT),
      'DOI_CLI_',
      'NODE_OPTIONS',
    ]) {
      if (text !== '') expect(seen).not.toContain(text);
    }
    await mute.close();
    await set;
  });
  it('is killed when it is closed, though it is blocked', async () => {
    const env = await startMuteBus();
    const { mute, set } = await waiting(env, 'x');
    await mute.close();
    expect(await set).toMatchObject({ failure: 'missing', message: /SIGKILL/ });
    expect(
      processes('keychain-child').filter(({ environment }) =>
        environment.includes(env['HOME'] ?? '-'),
      ),
    ).toEqual([]);
  });
  it('is not waited for by a run that is interrupted while it reads', async () => {
    const stop = new AbortController();
    const bus = await startMuteBus();
    const waitedFor = keychain(bus).keychain.get('x');
    const { keychain: mute } = keychain(bus, stop.signal);
    setTimeout(() => stop.abort(stopReason('SIGINT')), 300);
    const first = Promise.race([waitedFor, mute.get('x')]);
    await expect(first).rejects.toMatchObject({ kind: 'interrupted' });
    await expect(waitedFor).rejects.toMatchObject({ failure: 'hanging' });
  });
});
