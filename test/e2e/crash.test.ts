import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emulate, PASSWORD } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { cleanEnv, PROGRAM, program } from './program.ts';

/** Node options that run code before the program. */
const preloaded = (code: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`,
});

/** Code that runs other code while the program waits for the service. */
const whileWaiting = (code: string) =>
  `import{Socket}from'node:net';const{connect}=Socket.prototype;` +
  `Socket.prototype.connect=function(...more){setTimeout(()=>{${code}},100);` +
  `return(connect.apply(this,more))};`;

/**
 * Node options that crash the program with an error that holds the password: after this time, or
 * while it waits.
 */
const crashing = (how: string, ms?: number) => {
  const crash = `${how}(new(Error)(process.env.DOI_CLI_PASSWORD+atob(process.env.MORE)))`;
  const code = ms === undefined ? whileWaiting(crash) : `setTimeout(()=>{${crash}},${ms})`;
  return preloaded(`const fail=(e)=>{throw(e)};const reject=(e)=>{Promise.reject(e)};${code}`);
};

describe('a crash', () => {
  it.each(['fail', 'reject'])('ends the program with 1 and shows no secret: %s', async (how) => {
    const { env } = await emulate({ latencyMs: 3000 });
    const more = Buffer.from(` DC.${'x'.repeat(32)}`).toString('base64');
    const runs = [{}, { DOI_CLI_DEBUG: '1' }].map((debug) =>
      program(['keys', 'list'], { env: { ...env, ...debug, MORE: more, ...crashing(how) } }),
    );
    for (const result of await Promise.all(runs)) {
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: /^error: \*\*\* DC\.\*\*\*$/m });
      expect(result.stderr).not.toContain(PASSWORD);
    }
  });
});

it('a command that waits for nothing any more is no success', async () => {
  const code =
    "import{Writable}from'node:stream';" +
    "Object.defineProperty(process,'stdout',{value:new(Writable)({write(){}})});";
  const ended = await program(['completion', 'bash'], { env: preloaded(code) });
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: /^error: doi-cli failed/ });
});

describe('a crash while the program starts', () => {
  it.each([
    [1, 'fail'],
    [60, 'reject'],
    [120, 'fail'],
    [250, 'reject'],
  ])('shows no secret after %i ms: %s', async (ms, how) => {
    const { env } = await emulate({ latencyMs: 3000 });
    const given = { ...env, MORE: btoa('x'), ...crashing(how, ms) };
    const result = await program(['keys', 'list'], { env: given });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).not.toContain(PASSWORD);
    expect(result.stderr).toMatch(/^error: (doi-cli cannot start \(Error\)|\*\*\*x)\n/);
  });
});

describe('the last line of defence', () => {
  const LAST_WORDS =
    'error: doi-cli failed; the reason is not shown, because it could contain your secrets\n';
  it.each([
    [
      'masking fails',
      'String.prototype.matchAll=()=>{throw(new(Error)(process.env.DOI_CLI_PASSWORD))}',
      0,
    ],
    ['an error cannot be read', whileWaiting('throw({toString(){throw(1)}})'), 3_600_000],
  ])('is one fixed sentence, at once, when %s', async (_, code, latencyMs) => {
    const { env } = await emulate({ latencyMs });
    const runs = [{}, { DOI_CLI_DEBUG: '1' }].map((debug) =>
      program(['keys', 'revoke', 'x', '--yes'], { env: { ...env, ...debug, ...preloaded(code) } }),
    );
    for (const result of await Promise.all(runs)) {
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: LAST_WORDS });
    }
  });

  it('names no more than the kind of error when a module cannot be loaded', async () => {
    const code =
      'Array.prototype.flatMap=Object.defineProperty=' +
      '()=>{throw(new(Error)(process.env.DOI_CLI_PASSWORD))}';
    const result = await program(['keys', 'revoke', 'x', '--yes'], { env: preloaded(code) });
    const stderr = 'error: doi-cli cannot start (Error)\nhint: install it again\n';
    expect(result).toMatchObject({ code: 1, stdout: '', stderr });
  });
});

const STRANGER = { uid: 54_321, gid: 54_321, cwd: '/' };

describe('a user without a name and without a home', () => {
  const noHome = {
    ...preloaded(
      'import os from "node:os";import { syncBuiltinESMExports } from "node:module";' +
        'const none=()=>{throw(new(Error)("ENOENT: uv_os_homedir"))};' +
        'os.userInfo=none;os.homedir=()=>process.env.HOME||none();' +
        'syncBuiltinESMExports()',
    ),
    HOME: '',
    // Where Windows has settings.
    APPDATA: '',
    LOCALAPPDATA: '',
  };
  it('can do what needs no settings', async () => {
    const { env, newKey } = await emulate();
    const given = { ...env, ...noHome };
    await newKey('ci');
    expect(await program(['--help'], { env: noHome })).toMatchObject({ code: 0, stderr: '' });
    for (const argv of [
      ['keys', 'rotate', 'ci', '--yes'],
      ['auth', 'status'],
    ]) {
      expect(await program(argv, { env: given }), argv.join(' ')).toMatchObject({ code: 0 });
    }
  });
  it('is told what settings need', async () => {
    const { env } = await emulate();
    for (const argv of [
      ['config', 'path'],
      ['keys', 'create', '--name', 'ci', '--save'],
    ]) {
      expect(await program(argv, { env: { ...env, ...noHome } }), argv.join(' ')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: /hint: set DOI_CLI_CONFIG_DIR/,
      });
    }
  });
  it('can do everything with DOI_CLI_CONFIG_DIR', async () => {
    const env = { ...noHome, DOI_CLI_CONFIG_DIR: temporaryDirectory() };
    expect(await program(['config', 'set', 'repository', 'A.B'], { env })).toMatchObject({
      code: 0,
    });
    expect(await program(['config', 'get', 'repository'], { env })).toMatchObject({
      stdout: 'A.B\n',
    });
  });

  it.skipIf(lacks('root', 'publicNode'))('is a number in many containers', async () => {
    const { run } = forStrangers();
    expect(run(['--help'])).toMatchObject({ status: 0, stderr: '' });
    expect(run(['config', 'list'])).toMatchObject({ status: 0 });
    expect(run(['config', 'path'])).toMatchObject({ status: 2 });
    expect(run(['config', 'path'], { DOI_CLI_CONFIG_DIR: '/x' })).toMatchObject({
      stdout: '/x/config.json\n',
    });
  });
});

// As Apptainer and bwrap make them.
it.skipIf(lacks('root', 'publicNode', 'userNamespaces'))(
  'has settings in a container that maps one user only, where others own /',
  () => {
    const { folder, run } = forStrangers(['unshare', '--user', '--map-current-user']);
    const env = { DOI_CLI_CONFIG_DIR: join(folder, 'own', 'config') };
    expect(run(['config', 'set', 'base-url', 'http://127.0.0.1:9'], env)).toMatchObject({
      status: 0,
    });
    expect(run(['config', 'get', 'base-url'], env)).toMatchObject({
      stdout: 'http://127.0.0.1:9\n',
    });
    const argv = ['dois', 'list', '--count', '--anonymous', '--retries', '0'];
    expect(run(argv, env)).toMatchObject({
      status: 5,
      stderr: /127\.0\.0\.1:9: the connection was refused/,
    });
  },
);

/** The program where a user without a name can run it. @param before what starts it. */
function forStrangers(before: readonly string[] = []) {
  // The temporary directory of the tests is closed to other users.
  const folder = mkdtempSync(join(dirname(tmpdir()), 'doi-cli-public-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyProgram(folder);
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'own'));
  chownSync(join(folder, 'own'), STRANGER.uid, STRANGER.gid);
  const run = (argv: string[], env = {}) => {
    const program = [process.execPath, join(folder, 'bin/doi-cli.js')];
    const [file = '', ...args] = [...before, ...program, ...argv];
    const own = { PATH: process.env['PATH'], ...env };
    return spawnSync(file, args, { ...STRANGER, encoding: 'utf8', env: own });
  };
  return { folder, run };
}

/** Copies the program as it is installed. */
function copyProgram(folder: string): void {
  for (const each of ['bin', 'dist', 'package.json']) {
    cpSync(join(dirname(dirname(PROGRAM)), each), join(folder, each), { recursive: true });
  }
}

it('says that it is not built, as in a clone', async () => {
  const folder = temporaryDirectory();
  cpSync(dirname(PROGRAM), join(folder, 'bin'), { recursive: true });
  cpSync(join(dirname(dirname(PROGRAM)), 'package.json'), join(folder, 'package.json'));
  const argv = [join(folder, 'bin/doi-cli.js'), '--help'];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^error: doi-cli is not built.*\nhint: run "npm ci && npm run build" .*\n$/,
  );
});

it('says to an older Node which one it needs', async () => {
  const code = "Object.defineProperty(process,'versions',{value:{node:'18.20.8'}})";
  const { code: status, stdout, stderr } = await program(['--help'], { env: preloaded(code) });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    'error: doi-cli needs Node 20.18 or newer, and this is 18.20.8\n' +
      'hint: install a newer version from https://nodejs.org/\n',
  );
});

it('says which part of an installation is missing, at once', async () => {
  const folder = temporaryDirectory();
  copyProgram(folder);
  const main = readFileSync(join(folder, 'dist', 'main.js'), 'utf8');
  const atOnce = main.match(/(?<=(?:from|import)"\.\/chunks\/)[^"]+/g)?.slice(0, 2) ?? [];
  // Lists of other things than DOIs have the same name, and are never loaded.
  const later = readdirSync(join(folder, 'dist', 'chunks')).filter((name) =>
    /^(dois|list)-/.test(name),
  );
  const chunks = [...atOnce, ...later];
  let told = 0;
  for (const chunk of chunks) {
    const path = join(folder, 'dist', 'chunks', chunk);
    renameSync(path, `${path}.gone`);
    const list = 'dois list --count --base-url http://127.0.0.1:9 --retries 0'.split(' ');
    const argv = [join(folder, 'bin/doi-cli.js'), ...list];
    // It would wait forever.
    const options = { env: cleanEnv(), encoding: 'utf8', timeout: 120_000 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, options);
    const expected = stderr.includes('refused') ? 5 : 1;
    expect([status, stdout], `${chunk}: ${stderr}`).toEqual([expected, '']);
    expect(stderr).toMatch(/^error: .*\n/);
    if (status === 1) {
      expect(stderr).toMatch(/^hint: install (it|doi-cli) again$/m);
      told += 1;
    }
    renameSync(`${path}.gone`, path);
  }
  expect(told).toBeGreaterThan(3);
});

describe.skipIf(lacks('posixShell'))('a process that lacks what it needs', () => {
  const inShell = (script: string) =>
    spawnSync('sh', ['-c', script, process.execPath, PROGRAM], {
      cwd: temporaryDirectory(),
      encoding: 'utf8',
      env: cleanEnv(),
    });

  it('says that its working folder is gone', () => {
    const { status, stdout, stderr } = inShell(
      'mkdir gone && cd gone && rmdir ../gone && ' +
        '"$0" "$1" dois harvest --dir x --anonymous --base-url http://127.0.0.1:1',
    );
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'error: the working folder is gone\nhint: go to a folder that exists: cd\n',
    );
  });

  it('says that too many files are open', () => {
    // Each Node opens another number of files before it loads the program.
    const { stdout } = inShell(
      'for n in 19 21 23 26 30 36; do ' + '(ulimit -n $n; "$0" "$1" config list 2>&1); done',
    );
    expect(stdout).toContain(
      'too many files are open\nhint: allow more, for example: ulimit -n 256\n',
    );
    expect(stdout).not.toContain('install it again');
  });
});
