// Installs the packed program with every usual installer, each in an empty folder, and uses it there:
// node scripts/check-installers.mjs, on Linux. The installers and the program's libraries come from npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

if (process.platform !== 'linux') {
  // Elsewhere, no variable leads to the keychain, and a login would store something in it.
  console.error('installers: runs on Linux only');
  process.exit(2);
}
const COMMAND_TIMEOUT_MS = 180_000;
const TOOLS = ['pnpm@latest', 'yarn1@npm:yarn@1', 'yarn4@npm:@yarnpkg/cli-dist@4', 'bun@1', 'deno@2'];

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'doi-cli-installers-'));
const bin = join(scratch, 'node_modules', '.bin');
/**
 * The environment without the variables of an installer that runs this, and without those that lead to the user's
 * keychain: nothing may be stored there.
 */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|DOI_CLI_|DBUS_|XDG_RUNTIME_DIR$)/.test(name),
  ),
);
const env = {
  ...clean,
  PATH: [bin, process.env.PATH].join(delimiter),
  CI: 'true',
  // Each installer starts without anything of earlier runs.
  XDG_CACHE_HOME: join(scratch, 'cache'),
  YARN_GLOBAL_FOLDER: join(scratch, 'yarn'),
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  DENO_DIR: join(scratch, 'deno'),
  BUN_INSTALL_CACHE_DIR: join(scratch, 'bun'),
  npm_config_cache: join(scratch, 'npm'),
  npm_config_store_dir: join(scratch, 'pnpm'),
  DOI_CLI_CONFIG_DIR: join(scratch, 'config'),
};

run(root, 'npm', 'pack', '--silent', '--pack-destination', scratch);
const tarball = join(scratch, readdirSync(scratch).find((name) => name.endsWith('.tgz')) ?? '');
const yarn4 = [process.execPath, join(scratch, 'node_modules', 'yarn4', 'bin', 'yarn.js')];
const program = [join('node_modules', 'doi-cli', 'bin', 'doi-cli.js')];

/** @type {{ name: string, install: string[][], start: string[], files?: Record<string, string>, keychain?: boolean | null }[]} */
const INSTALLERS = [
  {
    name: 'npm',
    install: [['npm', 'install', tarball]],
    start: ['npx', '--no-install', 'doi-cli'],
  },
  {
    name: 'npm, without optional packages',
    install: [['npm', 'install', '--omit=optional', tarball]],
    start: ['npx', '--no-install', 'doi-cli'],
    keychain: false,
  },
  { name: 'pnpm', install: [['pnpm', 'add', tarball]], start: ['pnpm', 'exec', 'doi-cli'] },
  {
    name: 'yarn 1',
    install: [[process.execPath, join(scratch, 'node_modules', 'yarn1', 'bin', 'yarn.js'), 'add', tarball]],
    start: [join('node_modules', '.bin', 'doi-cli')],
  },
  {
    name: 'yarn 4, with node_modules',
    install: [[...yarn4, 'add', `doi-cli@file:${tarball}`]],
    start: [...yarn4, 'doi-cli'],
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' },
  },
  {
    name: "yarn 4, Plug'n'Play",
    install: [[...yarn4, 'add', `doi-cli@file:${tarball}`]],
    start: [...yarn4, 'doi-cli'],
    files: { 'yarn.lock': '' },
    // Found if the program's helper gets Yarn's loader.
    keychain: null,
  },
  { name: 'bun', install: [['bun', 'add', tarball]], start: ['bunx', '--no-install', 'doi-cli'] },
  { name: 'bun, as the runtime', install: [['bun', 'add', tarball]], start: ['bun', ...program] },
  {
    name: 'deno, as the runtime',
    install: [['npm', 'install', tarball]],
    start: ['deno', 'run', '--allow-all', '--no-lock', ...program],
  },
];

try {
  writeFileSync(join(scratch, 'package.json'), '{"private":true}\n');
  run(scratch, 'npm', 'install', '--no-audit', '--no-fund', '--silent', ...TOOLS);
  const sums = new Set(INSTALLERS.map(check));
  if (sums.size !== 1) throw new Error('not all of them list the same records');
  console.log('installers: all checks passed');
} catch (error) {
  console.error(`installers: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

/** @returns the checksum of a list of records */
function check({ name, install, start, files = {}, keychain = true }) {
  const folder = mkdtempSync(join(scratch, 'installed-'));
  const manifest = '{"name":"installed","version":"1.0.0","private":true}\n';
  for (const [file, text] of Object.entries({ 'package.json': manifest, ...files })) {
    writeFileSync(join(folder, file), text);
  }
  for (const command of install) run(folder, ...command);
  const version = run(folder, ...start, '--version').stdout.trim();
  const list = [...start, 'dois', 'list', '--all', '--anonymous'];
  const records = run(folder, ...start, 'emulator', 'exec', '--records', '300', '--', ...list).stdout;
  const lines = records.split('\n').length - 1;
  if (lines < 100) throw new Error(`${name}: ${lines} records`);
  const login = ['auth', 'login', '--repository', 'DEMO.REPO', '--password-stdin'];
  const emulated = [...start, 'emulator', 'exec', '--records', '1', '--', ...start, ...login];
  const { stderr } = run(folder, ...emulated, { code: 4 });
  // There is a library, but no session that it could ask; or there is no library.
  const found = /no Secret Service runs/.test(stderr);
  if (!/no keychain to use here/.test(stderr) || (keychain !== null && found !== keychain)) {
    throw new Error(`${name}: another answer about the keychain than expected\n${stderr}`);
  }
  console.log(
    `installers: ok: ${name}: ${version}, ${lines} records, keychain ${found ? 'found' : 'absent'}`,
  );
  return createHash('sha256').update(records).digest('hex');
}

/** Runs a command in a folder. @param {(string | { code: number })[]} rest its words, and perhaps its exit code */
function run(cwd, ...rest) {
  const [{ code }] = [...rest.filter((each) => typeof each === 'object'), { code: 0 }];
  const [file, ...args] = rest.filter((each) => typeof each === 'string');
  const result = spawnSync(file, args, {
    cwd,
    env,
    input: 'example-pw\n',
    encoding: 'utf8',
    timeout: COMMAND_TIMEOUT_MS,
    maxBuffer: 2 ** 28,
  });
  if (result.status === code) return result;
  const told = `${result.error?.message ?? `exit code ${result.status}`}\n${result.stdout}${result.stderr}`;
  throw new Error(`${[file, ...args].join(' ')}: ${told}`);
}
