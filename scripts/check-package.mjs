// Packs the program, installs the tarball in an empty folder, and uses it there like a stranger
// would: under the Node that runs this, and under other Nodes, bun and deno. node
// scripts/check-package.mjs [<path of a node, bun or deno>…]
import {
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
// On Windows, npm and the installed program are scripts, which Node alone cannot start.
import spawn from 'cross-spawn';
import { manifest, root } from './bundling.mjs';

const MAX_TARBALL_BYTES = 740 * 1024;
const MAX_PACKAGES = 4;
const FILES = [
  'README.md',
  'LICENSE',
  ...manifest.man,
  'dist/THIRD-PARTY-NOTICES.txt',
  'dist/sbom.cdx.json',
];
/** Scripts that npm 11 asks about when it installs a package. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];
const LIBRARY = `import { Client, countDois, listDois } from 'doi-cli';
const client = new Client({ baseUrl: process.env.DOI_CLI_BASE_URL }); let records = 0;
for await (const record of listDois(client)) records += 1;
console.log(records === (await countDois(client)) && records > 1000); await client.close();`;

const scratch = mkdtempSync(join(tmpdir(), 'doi-cli-package-'));
const home = join(scratch, 'home');
const program = join(home, 'node_modules', 'doi-cli', 'bin', 'doi-cli.js');
const tarball = join(scratch, `doi-cli-${manifest.version}.tgz`);
/** What runs the program, and the folder that is before the others on the path. */
let runtime = runtimeOf(process.execPath);

try {
  run(['npm', 'pack', '--silent', '--pack-destination', scratch], { cwd: root });
  const { size } = statSync(tarball);
  expect(
    size <= MAX_TARBALL_BYTES,
    `the tarball has ${size} bytes, more than ${MAX_TARBALL_BYTES}`,
  );
  passed(`tarball of ${Math.round(size / 1024)} KiB`);
  checkRecipe();
  checkInstallation();
  const start = [program, 'emulator', 'start', '--records', '2000', '--format', 'json'];
  const stdio = ['ignore', 'pipe', 'inherit'];
  const emulator = spawn(process.execPath, start, { env: environment(), stdio });
  try {
    const [told] = await emulator.stdout.take(1).toArray();
    const { baseUrl, repository, password } = JSON.parse(told);
    const env = {
      DOI_CLI_BASE_URL: baseUrl,
      DOI_CLI_REPOSITORY: repository,
      DOI_CLI_PASSWORD: password,
    };
    const lists = [process.execPath, ...process.argv.slice(2)].map((path) => {
      runtime = runtimeOf(path);
      checkProgram();
      return checkData(env);
    });
    expect(new Set(lists).size === 1, 'not every runtime lists the same records');
  } finally {
    emulator.kill();
  }
  console.log('package: all checks passed');
} catch (error) {
  console.error(`package: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

/** @returns {{ node: string[], command: string[], folder: string }} */
function runtimeOf(/** @type {string} */ path) {
  const [name] = /^(bun|deno)/.exec(basename(path)) ?? [];
  const node = name === 'deno' ? [path, 'run', '--quiet', '--allow-all'] : [path];
  return {
    node,
    command: name === undefined ? ['doi-cli'] : [...node, program],
    folder: dirname(path),
  };
}

/** The command line of docs/ci.md's recipes, in a folder without a package. */
function checkRecipe() {
  const env = { npm_config_omit: 'optional', npm_config_cache: join(scratch, 'cache') };
  const npx = ['npx', '--yes', `--package=./${basename(tarball)}`, 'doi-cli'];
  expectPrinted(run([...npx, '--version'], { cwd: scratch, env }), `${manifest.version}\n`);
  const [folder = ''] = readdirSync(join(scratch, 'cache', '_npx'));
  const packages = readdirSync(join(scratch, 'cache', '_npx', folder, 'node_modules'));
  expectPrinted(packages.filter((name) => !name.startsWith('.')).join(), 'doi-cli,libxml2-wasm');
  passed('runs by npx from the tarball, without the keychain');
}

function checkInstallation() {
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private":true}\n');
  run(['npm', 'install', '--omit=dev', '--no-audit', '--no-fund', tarball], { isQuiet: true });
  const { scripts } = JSON.parse(
    readFileSync(join(dirname(dirname(program)), 'package.json'), 'utf8'),
  );
  for (const name of INSTALL_SCRIPTS)
    expect(!(name in scripts), `the package has the install script "${name}"`);
  const lock = JSON.parse(readFileSync(join(home, 'node_modules', '.package-lock.json'), 'utf8'));
  const packages = Object.keys(lock.packages).map((path) => path.replace('node_modules/', ''));
  expect(
    packages.length <= MAX_PACKAGES,
    `it brings ${packages.length} packages: ${packages.join(', ')}`,
  );
  for (const file of FILES) statSync(join(dirname(dirname(program)), file));
  passed(`installs ${packages.join(', ')}, without a question or a warning`);
}

function checkProgram() {
  expectPrinted(doiCli(['--version']), `${manifest.version}\n`);
  expectPrinted(doiCli(['--help']), /Usage/);
  doiCli(['no-such-command'], { code: 2 });
  doiCli(['dois', 'validate', '--file', join(root, 'test/fixtures/xml/repository.xml')]);
  doiCli(['keys', 'list'], { code: 4 });
  const nowhere = ['--retries', '0', '--base-url', 'http://127.0.0.1:1'];
  doiCli(['dois', 'list', '--count', '--anonymous', ...nowhere], { code: 5 });
  doiCli(['emulator', 'exec', '--', 'node', '-e', 'process.exit(7)'], { code: 7 });
  // npx is a script on Windows. It runs the program under this Node, which counts what the other
  // runtime emulates.
  const counted = ['npx', '--no-install', 'doi-cli', 'dois', 'list', '--count', '--anonymous'];
  expectPrinted(doiCli(['emulator', 'exec', '--records', '30', '--', ...counted]), /^\d+\n$/);
  passed(`${runtime.node[0]}: --version, --help, exit codes, emulator exec`);
}

/** @returns {string} all records, sorted */
function checkData(/** @type {Record<string, string>} */ env) {
  const lines = doiCli(['dois', 'list', '--all', '--anonymous'], { env }).trimEnd().split('\n');
  expect(lines.length > 1000, `${lines.length} records`);
  expectPrinted(doiCli(['dois', 'list', '--count', '--anonymous'], { env }), `${lines.length}\n`);
  const dir = mkdtempSync(join(scratch, 'harvest-'));
  const quickly = ['--page-size', '200', '--rate', '100/1s'];
  doiCli(['dois', 'harvest', '--anonymous', '--dir', dir, ...quickly], { env });
  const files = readdirSync(join(dir, 'data')).map((name) =>
    readFileSync(join(dir, 'data', name), 'utf8'),
  );
  const list = lines.sort().join('\n');
  const copied = files.join('').trimEnd().split('\n').sort().join('\n');
  expect(copied === list, 'the harvest differs from the list');
  doiCli(['dois', 'harvest', 'status', '--check', '--dir', dir], { env });
  expectPrinted(
    doiCli(['keys', 'create', '--name', 'smoke', '--key-only'], { env }),
    /^\S{20,}\n$/,
  );
  doiCli(['keys', 'revoke', 'smoke', '--yes'], { env });
  expectPrinted(doiCli(['keys', 'list', '--format', 'ndjson'], { env }), '');
  writeFileSync(join(home, 'library.mjs'), LIBRARY);
  expectPrinted(run([...runtime.node, join(home, 'library.mjs')], { env }), 'true\n');
  passed(`${runtime.node[0]}: list and harvest of ${lines.length} records, keys, the library`);
  return list;
}

function doiCli(
  /** @type {string[]} */ args,
  /** @type {Parameters<typeof run>[1]} */ options = {},
) {
  return run([...runtime.command, ...args], options);
}

/**
 * @param {string[]} command
 * @param {{ cwd?: string, code?: number, env?: Record<string, string>, isQuiet?: boolean }} options
 * @returns {string} its output
 */
function run([file, ...args], { cwd = home, code = 0, env = {}, isQuiet = false } = {}) {
  const result = spawn.sync(file, args, {
    cwd,
    env: { ...environment(), ...env },
    encoding: 'utf8',
    input: '',
    maxBuffer: 2 ** 27,
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const end = result.error?.message ?? `exit code ${result.status}`;
  const told = `${[file, ...args].join(' ')}: ${end}`;
  expect(result.status === code, `${told}, expected ${code}\n${result.stdout}${result.stderr}`);
  expect(!isQuiet || result.stderr === '', `${told}, and printed ${result.stderr}`);
  const isColoured = `${result.stdout}${result.stderr}`.includes('\u001b');
  expect(!isColoured, `${told}, with escape sequences in a pipe`);
  return result.stdout;
}

/**
 * A stranger's environment: no settings of ours, and CI=true, which makes some colour libraries
 * paint pipes.
 */
function environment() {
  const ours = /^(DOI_CLI_|FORCE_COLOR$|NO_COLOR$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  const path = [join(home, 'node_modules', '.bin'), runtime.folder, process.env.PATH].join(
    delimiter,
  );
  return { ...env, PATH: path, CI: 'true', DOI_CLI_CONFIG_DIR: join(scratch, 'config') };
}

/** @param {string} text @param {string | RegExp} expected */
function expectPrinted(text, expected) {
  const isRight = typeof expected === 'string' ? text === expected : expected.test(text);
  expect(isRight, `found ${JSON.stringify(text)}, expected ${expected}`);
}

function expect(/** @type {boolean} */ condition, /** @type {string} */ message) {
  if (!condition) throw new Error(message);
}

function passed(/** @type {string} */ what) {
  console.log(`package: ok: ${what}`);
}
