// Packs the program, installs the tarball in an empty folder, and uses it there like a stranger would: under the Node
// that runs this, and under other Nodes, bun and deno.
// node scripts/check-package.mjs [<path of a node, bun or deno>…]
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// On Windows, npm and the installed program are scripts, which Node alone cannot start.
import spawn from 'cross-spawn';

const MAX_TARBALL_BYTES = 600 * 1024;
const MAX_PACKAGES = 3;
const COMMAND_TIMEOUT_MS = 120_000;
const RECORDS = '2000';
const FILES = [
  'package.json',
  'README.md',
  'LICENSE',
  'dist/main.js',
  'dist/keychain-child.js',
  'dist/library.js',
  'dist/types/core/index.d.ts',
  'dist/THIRD-PARTY-NOTICES.txt',
  'dist/sbom.cdx.json',
  'dist/schema/datacite-4.7.json',
  'dist/man/doi-cli.1',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'doi-cli-package-'));
const home = join(scratch, 'home');
mkdirSync(home);
const installed = join(home, 'node_modules', 'doi-cli');
/** What the words `doi-cli` run, and the folder that is before the others on the path. */
let runtime = runtimeOf(process.execPath);

try {
  checkTarball();
  checkRecipe();
  checkInstallation();
  const emulator = await startEmulator();
  try {
    const expected = checkAll(process.execPath, emulator.env);
    for (const path of process.argv.slice(2)) {
      const found = checkAll(path, emulator.env);
      expect(found === expected, `dois list --all has the SHA-256 ${found}, under Node it was ${expected}`);
    }
  } finally {
    emulator.stop();
  }
  console.log('package: all checks passed');
} catch (error) {
  console.error(`package: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

/** @returns the SHA-256 of a list. */
function checkAll(/** @type {string} */ path, /** @type {Record<string, string>} */ env) {
  runtime = runtimeOf(path);
  passed(
    `${runtime.name} ${
      run([...runtime.binary, '--version'])
        .stdout.trim()
        .split('\n')[0]
    }:`,
  );
  checkProgram();
  const lines = checkList(env);
  checkHarvest(env, lines);
  checkKeys(env);
  checkLibrary(env);
  return sha256(lines);
}

/** @returns {{ name: string, binary: string[], words: string[], command: string[], folder: string }} */
function runtimeOf(/** @type {string} */ path) {
  const [name] = /^(bun|deno)/.exec(basename(path)) ?? [];
  const folder = dirname(path);
  if (name === undefined) return { name: 'Node', binary: ['node'], words: [], command: ['doi-cli'], folder };
  const words = name === 'deno' ? ['run', '--quiet', '--allow-all'] : [];
  const command = [path, ...words, join(installed, 'bin', 'doi-cli.js')];
  return { name, binary: [path], words, command, folder };
}

/** Runs the emulator under this Node, whichever runtime the client has. */
function startEmulator() {
  // Without the script that Windows would put between: stopping that one would not stop the emulator.
  const argv = ['emulator', 'start', '--records', RECORDS, '--format', 'json'];
  const child = spawn(process.execPath, [join(installed, 'bin', 'doi-cli.js'), ...argv], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told = new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('error', reject).once('exit', (code) => reject(new Error(`the emulator ended with ${code}`)));
  });
  return told.then((line) => {
    const { baseUrl, repository, password } = JSON.parse(line);
    const env = { DOI_CLI_BASE_URL: baseUrl, DOI_CLI_REPOSITORY: repository, DOI_CLI_PASSWORD: password };
    return { env, stop: () => child.kill() };
  });
}

function checkTarball() {
  run(['npm', 'pack', '--silent', '--pack-destination', scratch], { cwd: root });
  const { size } = statSync(tarball());
  expect(size < MAX_TARBALL_BYTES, `the tarball has ${kib(size)}, more than ${kib(MAX_TARBALL_BYTES)}`);
  passed(`tarball of ${kib(size)}, of at most ${kib(MAX_TARBALL_BYTES)}`);
}

function checkInstallation() {
  writeFileSync(join(home, 'package.json'), '{"private":true}\n');
  run(['npm', 'install', '--omit=dev', '--no-audit', '--no-fund', tarball()]);
  const lock = JSON.parse(readFileSync(join(home, 'node_modules', '.package-lock.json'), 'utf8'));
  const packages = Object.keys(lock.packages).map((path) => path.replace('node_modules/', ''));
  expect(packages.length <= MAX_PACKAGES, `it brings ${packages.length} packages: ${packages.join(', ')}`);
  for (const file of FILES) {
    expect(existsSync(join(installed, file)), `${file} is not in the package`);
  }
  passed(`installs ${packages.join(', ')}`);
}

/** The command line of docs/ci.md's recipes, in a folder with nothing but the tarball. */
function checkRecipe() {
  const cwd = join(scratch, 'recipe');
  const cache = join(scratch, 'cache');
  mkdirSync(cwd);
  copyFileSync(tarball(), join(cwd, `doi-cli-${version}.tgz`));
  const { stdout } = run(['npx', '--yes', `--package=./doi-cli-${version}.tgz`, 'doi-cli', '--version'], {
    cwd,
    env: { npm_config_omit: 'optional', npm_config_cache: cache },
  });
  expect(stdout === `${version}\n`, `by npx, --version prints ${JSON.stringify(stdout)}`);
  const [folder = ''] = readdirSync(join(cache, '_npx'));
  const packages = readdirSync(join(cache, '_npx', folder, 'node_modules')).filter(
    (name) => !name.startsWith('.'),
  );
  expect(packages.join() === 'doi-cli', `npm_config_omit=optional brings ${packages.join(', ')}`);
  passed('runs by npx from the tarball, without the keychain');
}

function checkProgram() {
  if (runtime.name === 'Node') {
    const { stdout } = run(['npx', '--no-install', 'doi-cli', '--version']);
    expect(
      stdout === `${version}\n`,
      `npx doi-cli --version prints ${JSON.stringify(stdout)}, not ${version}`,
    );
  }
  const { stdout } = doiCli(['--version']);
  expect(stdout === `${version}\n`, `--version prints ${JSON.stringify(stdout)}, not ${version}`);
  expect(doiCli(['--help']).stdout.includes('Usage'), '--help prints no usage');
  doiCli(['no-such-command'], { code: 2 });
  doiCli(['keys', 'list'], { code: 4 });
  const nowhere = ['--retries', '0', '--base-url', 'http://127.0.0.1:1'];
  doiCli(['dois', 'list', '--count', '--anonymous', ...nowhere], { code: 5 });
  doiCli(['emulator', 'exec', '--', 'node', '-e', 'process.exit(7)'], { code: 7 });
  // A script on Windows. It is this Node's, whose program counts what the emulator of the other runtime has.
  const counted = ['npx', '--no-install', 'doi-cli', 'dois', 'list', '--count', '--anonymous'];
  const { stdout: count } = doiCli(['emulator', 'exec', '--records', '30', '--', ...counted]);
  expect(/^\d+\n$/.test(count), `emulator exec -- npx doi-cli … prints ${JSON.stringify(count)}`);
  passed('--version, --help, exit codes 2, 4, 5 and that of a command under the emulator');
}

/** @returns the records, as they were printed. */
function checkList(/** @type {Record<string, string>} */ env) {
  const { stdout } = doiCli(['dois', 'list', '--all', '--anonymous'], { env });
  const lines = stdout.trimEnd().split('\n');
  const total = doiCli(['dois', 'list', '--count', '--anonymous'], { env }).stdout;
  expect(
    lines.length > 1000 && `${lines.length}\n` === total,
    `${lines.length} lines, but --count says ${total}`,
  );
  const ids = new Set(lines.map((line) => JSON.parse(line).id));
  expect(ids.size === lines.length, `${lines.length} lines, but ${ids.size} different DOIs`);
  doiCli(['dois', 'list', '--format', 'table'], { env });
  passed(`dois list --all: ${lines.length} records, as --count says`);
  return lines;
}

function checkHarvest(/** @type {Record<string, string>} */ env, /** @type {string[]} */ expected) {
  const dir = mkdtempSync(join(scratch, 'harvest-'));
  const harvest = ['dois', 'harvest', '--anonymous', '--dir', dir, '--page-size', '200'];
  doiCli(harvest, { env });
  const data = join(dir, 'data');
  const found = readdirSync(data).flatMap((name) =>
    readFileSync(join(data, name), 'utf8').trimEnd().split('\n'),
  );
  expect(sha256(found.sort()) === sha256([...expected].sort()), `the harvest differs from the list`);
  doiCli(['dois', 'harvest', 'status', '--check', '--dir', dir], { env });
  passed(`dois harvest: the ${found.length} records of the list`);
}

function checkKeys(/** @type {Record<string, string>} */ env) {
  const { stdout } = doiCli(['keys', 'create', '--name', 'smoke', '--key-only'], { env });
  expect(/^\S{20,}\n$/.test(stdout), `keys create --key-only prints ${JSON.stringify(stdout)}`);
  doiCli(['keys', 'revoke', 'smoke', '--yes'], { env });
  const { stdout: rest } = doiCli(['keys', 'list', '--format', 'ndjson'], { env });
  expect(rest === '', `after keys revoke, keys list prints ${JSON.stringify(rest)}`);
  passed('keys create, keys revoke, keys list');
}

function checkLibrary(/** @type {Record<string, string>} */ env) {
  const file = join(home, 'library.mjs');
  writeFileSync(
    file,
    "import { Client, countDois, listDois } from 'doi-cli';" +
      'const client = new Client({ baseUrl: process.env.DOI_CLI_BASE_URL }); let records = 0;' +
      'for await (const record of listDois(client)) records += 1;' +
      'console.log(records === (await countDois(client)) && records > 1000); await client.close();',
  );
  const { stdout } = run([...runtime.binary, ...runtime.words, file], { env });
  expect(
    stdout === 'true\n',
    `a program that lists records with the library prints ${JSON.stringify(stdout)}`,
  );
  passed('import … from "doi-cli"');
}

function doiCli(/** @type {string[]} */ args, /** @type {Parameters<typeof run>[1]} */ options = {}) {
  return run([...runtime.command, ...args], options);
}

/**
 * @param {string[]} command
 * @param {{ cwd?: string, code?: number, env?: Record<string, string> }} options
 */
function run([file, ...args], { cwd = home, code = 0, env = {} } = {}) {
  const result = spawn.sync(file, args, {
    cwd,
    env: { ...environment(), ...env },
    encoding: 'utf8',
    input: '',
    maxBuffer: 2 ** 27,
    timeout: COMMAND_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const told = `${[file, ...args].join(' ')}: ${result.error?.message ?? `exit code ${result.status}`}`;
  expect(result.status === code, `${told}, expected ${code}\n${result.stdout}${result.stderr}`);
  const coloured = `${result.stdout}${result.stderr}`.includes('\u001b');
  expect(
    !coloured,
    `${told}, with escape sequences in a pipe\n${JSON.stringify(result.stdout + result.stderr)}`,
  );
  return result;
}

/** A stranger's environment: no settings of ours, and CI=true, which makes some colour libraries paint pipes. */
function environment() {
  const ours = /^(DOI_CLI_|FORCE_COLOR$|NO_COLOR$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  const path = [join(home, 'node_modules', '.bin'), runtime.folder, process.env.PATH].join(delimiter);
  return { ...env, PATH: path, CI: 'true', DOI_CLI_CONFIG_DIR: join(scratch, 'config') };
}

function tarball() {
  const name = readdirSync(scratch).find((entry) => entry.endsWith('.tgz'));
  expect(name !== undefined, 'npm pack wrote no tarball');
  return join(scratch, name);
}

function expect(/** @type {boolean} */ condition, /** @type {string} */ message) {
  if (!condition) throw new Error(message);
}

function passed(/** @type {string} */ what) {
  console.log(`package: ok: ${what}`);
}

function sha256(/** @type {string[]} */ lines) {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function kib(/** @type {number} */ bytes) {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
