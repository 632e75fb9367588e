// Packs the program, installs the tarball in an empty folder, and uses it there like a stranger would: under the Node
// that runs this, and under others. `node scripts/check-package.mjs [<node binary>…]`
import { spawnSync } from 'node:child_process';
import {
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
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_TARBALL_BYTES = 340 * 1024;
const MAX_PACKAGES = 3;
const COMMAND_TIMEOUT_MS = 120_000;
const FILES = [
  'package.json',
  'README.md',
  'LICENSE',
  'dist/main.cjs',
  'dist/keychain-child.js',
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
let node = process.execPath;

try {
  checkTarball();
  checkInstallation();
  for (node of [process.execPath, ...process.argv.slice(2)]) {
    checkProgram();
    checkHarvest();
    checkKeys();
  }
  console.log('package: all checks passed');
} catch (error) {
  console.error(`package: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
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
    expect(existsSync(join(home, 'node_modules', 'doi-cli', file)), `${file} is not in the package`);
  }
  passed(`installs ${packages.join(', ')}`);
}

function checkProgram() {
  passed(`Node ${run(['node', '--version']).stdout.trim()}:`);
  const { stdout } = run(['npx', '--no-install', 'doi-cli', '--version']);
  expect(stdout === `${version}\n`, `--version prints ${JSON.stringify(stdout)}, not ${version}`);
  expect(run(['doi-cli', '--help']).stdout.includes('Usage'), '--help prints no usage');
  run(['doi-cli', 'no-such-command'], { code: 2 });
  run(['doi-cli', 'keys', 'list'], { code: 4 });
  run(
    [
      'doi-cli',
      'dois',
      'list',
      '--count',
      '--anonymous',
      '--retries',
      '0',
      '--base-url',
      'http://127.0.0.1:1',
    ],
    { code: 5 },
  );
  run(['doi-cli', 'emulator', 'exec', '--', 'sh', '-c', 'exit 7'], { code: 7 });
  passed('--version, --help, exit codes 2, 4, 5 and that of a command under the emulator');
}

function checkHarvest() {
  emulated(
    'doi-cli dois list --all --anonymous > records.ndjson && doi-cli dois list --count --anonymous > total && doi-cli dois list --format table',
  );
  const lines = readFileSync(join(home, 'records.ndjson'), 'utf8').trimEnd().split('\n');
  const total = readFileSync(join(home, 'total'), 'utf8');
  expect(
    lines.length > 1000 && `${lines.length}\n` === total,
    `${lines.length} lines, but --count says ${total}`,
  );
  const ids = new Set(lines.map((line) => JSON.parse(line).id));
  expect(ids.size === lines.length, `${lines.length} lines, but ${ids.size} different DOIs`);
  passed(`dois list --all: ${lines.length} records, as --count says`);
}

function checkKeys() {
  const { stdout } = emulated(
    'doi-cli keys create --name smoke --key-only && doi-cli keys revoke smoke --yes >&2 && doi-cli keys list --format ndjson',
  );
  // The list is empty again, so the new key is all there is on stdout.
  expect(/^\S{20,}\n$/.test(stdout), `keys create, revoke and list print ${JSON.stringify(stdout)}`);
  passed('keys create, keys revoke, keys list');
}

/** Runs a line of shell with the installed program on the path and the emulated service behind it. */
function emulated(/** @type {string} */ line) {
  return run(['doi-cli', 'emulator', 'exec', '--records', '2000', '--', 'sh', '-c', line]);
}

/**
 * @param {string[]} command
 * @param {{ cwd?: string, code?: number }} options
 */
function run([file, ...args], { cwd = home, code = 0 } = {}) {
  const result = spawnSync(file, args, {
    cwd,
    env: environment(),
    encoding: 'utf8',
    input: '',
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
  const path = [join(home, 'node_modules', '.bin'), dirname(node), process.env.PATH].join(delimiter);
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

function kib(/** @type {number} */ bytes) {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
