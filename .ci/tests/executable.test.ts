import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { execute, program, type SpawnOptions } from '../../test/e2e/program.ts';
import { emulate, PASSWORD, REPOSITORY } from '../../test/helpers/emulator.ts';
import { EXECUTABLE_NODE, lacks } from '../../test/helpers/platform.ts';
import { processes } from '../../test/helpers/processes.ts';
import { startSecretService } from '../../test/helpers/secret-service.ts';
import { temporaryDirectory } from '../../test/helpers/temporary.ts';

describe.skipIf(lacks('executableNode'))('the single executable', () => {
  const ends: (() => void | Promise<void>)[] = [];
  let file = '';
  beforeAll(() => {
    const folder = temporaryDirectory((end) => ends.push(end));
    const script = ['scripts/executable.mjs', folder, '--node', EXECUTABLE_NODE ?? 'no Node 26'];
    execFileSync(process.execPath, script, { stdio: ['ignore', 'ignore', 'pipe'] });
    const name = process.platform === 'win32' ? 'doi-cli.exe' : 'doi-cli';
    file = join(folder, name);
    const texts = ['LICENSE', 'LICENSE-KEYRING.md', 'LICENSE-NODE', 'THIRD-PARTY-NOTICES.txt'];
    expect(readdirSync(folder).sort()).toEqual([...texts, name]);
    return async () => {
      for (const end of ends) await end();
    };
  });
  const executable = (argv: readonly string[], options: SpawnOptions = {}) =>
    execute(file, argv, options);

  it('prints what the package prints, byte for byte, without a warning', async () => {
    const { env } = await emulate();
    for (const argv of [
      ['--version'],
      ['--help'],
      ['dois', 'list', '--all'],
      ['dois', 'list', '--count', '--mine'],
      ['dois', 'list', '--nonsense'],
      ['dois', 'validate', '-'],
    ]) {
      const [own, packaged] = [await executable(argv, { env }), await program(argv, { env })];
      expect({ argv, ...own }).toEqual({ argv, ...packaged, stderr: own.stderr });
      expect(own.stderr).not.toMatch(/warning|experimental/i);
    }
  });

  it('reads no XML, and says what does', async () => {
    const argv = ['dois', 'validate', '--file', 'test/fixtures/xml/repository.xml'];
    expect(await executable(argv)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('install doi-cli with npm'),
    });
  });

  it('harvests, and runs commands under its own emulator', async () => {
    const { env } = await emulate();
    const folder = temporaryDirectory();
    const harvest = await executable(['dois', 'harvest', '--dir', join(folder, 'copy')], { env });
    expect(harvest.code, harvest.stderr).toBe(0);
    expect(
      await executable(['dois', 'harvest', 'status', '--dir', join(folder, 'copy')]),
    ).toMatchObject({
      code: 0,
    });
    const nested = ['emulator', 'exec', '--records', '50', '--', file, 'dois', 'list', '--count'];
    expect(await executable(nested)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\n$/),
    });
  });

  it('creates keys, and takes the name of its helper for a wrong command', async () => {
    const { env, run } = await emulate();
    const { code, stdout } = await executable(['keys', 'create', '--name', 'ci', '--key-only'], {
      env,
    });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^DC\.\w{32}\n$/)]);
    const used = { env: { DOI_CLI_API_KEY: stdout.trim() } };
    expect((await run(['dois', 'list', '--count'], used)).code).toBe(0);
    expect(await executable(['keychain-child'])).toMatchObject({ code: 2, stdout: '' });
  });

  describe.skipIf(lacks('secretService'))('with a real Secret Service', () => {
    const login = ['auth', 'login', '--repository', REPOSITORY, '--password-stdin'];

    it('starts itself to store, read and erase a password', async () => {
      const home = temporaryDirectory();
      const service = await startSecretService('unlocked');
      const keychain = { ...service, HOME: home };
      const { baseUrl } = await emulate();
      const env = { ...keychain, DOI_CLI_BASE_URL: baseUrl };
      const seen = watch(service['DBUS_SESSION_BUS_ADDRESS'] ?? '-');
      expect(await executable(login, { env, stdin: `${PASSWORD}\n` })).toMatchObject({ code: 0 });
      expect(await executable(['keys', 'list'], { env })).toMatchObject({ code: 0 });
      expect((await executable(['auth', 'status'], { env })).stdout).toMatch(/keychain +yes/);
      expect(await executable(['auth', 'logout'], { env })).toMatchObject({ code: 0 });
      expect(await executable(['keys', 'list'], { env })).toMatchObject({ code: 4 });
      expect(seen()).toMatch(/keychain-child/);
      expect(seen()).not.toContain(PASSWORD);
      const cache = join(home, '.cache', 'doi-cli');
      const [library = ''] = readdirSync(cache);
      expect(readdirSync(cache)).toEqual([expect.stringMatching(/^keyring-[0-9a-f]{64}\.node$/)]);
      expect([statSync(cache).mode & 0o777, statSync(join(cache, library)).mode & 0o777]).toEqual([
        0o700, 0o600,
      ]);
    });

    it('replaces a damaged copy of the library, and loads none that others could change', async () => {
      const caches = { HOME: temporaryDirectory(), XDG_CACHE_HOME: temporaryDirectory() };
      const keychain = { ...(await startSecretService('unlocked')), ...caches };
      const env = { ...keychain, DOI_CLI_BASE_URL: (await emulate()).baseUrl };
      const cache = join(caches.XDG_CACHE_HOME, 'doi-cli');
      const stored = () => executable(login, { env, stdin: `${PASSWORD}\n` });
      expect(await stored()).toMatchObject({ code: 0 });
      const [library = ''] = readdirSync(cache);
      truncateSync(join(cache, library), 1000);
      expect(await stored()).toMatchObject({ code: 0 });
      expect(statSync(join(cache, library)).size).toBeGreaterThan(100_000);
      chmodSync(cache, 0o777);
      const unsafe = await executable(login, { env, stdin: `${PASSWORD}\n` });
      expect(unsafe).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(`others can write in ${cache}`),
      });
      const nowhere = { HOME: '/dev/null', XDG_CACHE_HOME: '' };
      const elsewhere = { ...env, ...nowhere, DOI_CLI_CONFIG_DIR: temporaryDirectory() };
      expect(await executable(login, { env: elsewhere, stdin: `${PASSWORD}\n` })).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/there is no keychain to use here.*\n.*DOI_CLI_API_KEY/),
      });
    });
  });
});

/**
 * The command lines and environments of the keychain's processes on a bus, as far as a quick look
 * sees them.
 */
function watch(bus: string): () => string {
  const seen = new Set<string>();
  const look = () => {
    for (const { commandLine, environment } of processes('keychain-child')) {
      if (environment.includes(bus)) seen.add(`${commandLine}\n${environment}`);
    }
  };
  const timer = setInterval(look, 5);
  onTestFinished(() => clearInterval(timer));
  return () => [...seen].join('\n');
}
