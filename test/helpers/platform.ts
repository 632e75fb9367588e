import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

// On Windows, /dev and /proc are folders of the drive in use: under Wine and in WSL they are those
// of Linux.
const isPosix = process.platform !== 'win32';
const succeeds = (command: string, ...args: readonly string[]) =>
  spawnSync(command, args).status === 0;

interface Need {
  /** Whether it is there; a text says what is there instead. */
  readonly isThere: () => boolean | string;
  /**
   * CI may not have it: a right, or what no package there brings. Without it a test is skipped
   * there, too.
   */
  readonly isRare?: true;
  /** Why a test cannot run without it. */
  readonly otherwise: string;
}

const fetched = (what: string) => `no ${what} (test/pipelines/install.sh)`;

/**
 * Whether a command ends well and prints a version that a recipe can be followed with.
 *
 * @param least such as `2.0`
 */
function hasVersion(least: string, command: string, ...args: readonly string[]): boolean | string {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) return false;
  const [found] = /\d+(\.\d+)*/.exec(stdout) ?? [];
  if (found === undefined) return `${command} names no version`;
  const isEnough = found.localeCompare(least, 'en', { numeric: true }) >= 0;
  return isEnough || `version ${found} is there, and ${least} is needed`;
}

/**
 * Asks a Python library for its version, after it has read a line: a part of a library can be
 * imported, too.
 */
const python = (least: string, name: string, use: string) =>
  hasVersion(least, 'python3', '-c', `import io, ${name}; ${use}; print(${name}.__version__)`);

/** Whether a file can be replaced and removed while it is open. */
function replacesOpenFiles(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'doi-cli-'));
  const [file, other] = [join(folder, 'file'), join(folder, 'other')];
  for (const path of [file, other]) writeFileSync(path, '');
  const fd = openSync(file, 'r');
  try {
    renameSync(other, file);
    return true;
  } catch {
    return false;
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

/** Whether LibreOffice reads and writes spreadsheets: Debian splits it into packages. */
function convertsSpreadsheets(): boolean {
  // Where Linux has it; a conversion takes many seconds.
  const places = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, 'soffice'));
  const program = places.find((path) => existsSync(path));
  if (program === undefined) return false;
  if (existsSync(join(dirname(realpathSync(program)), 'libsclo.so'))) return true;
  const folder = mkdtempSync(join(tmpdir(), 'doi-cli-'));
  try {
    const table = join(folder, 'table.csv');
    writeFileSync(table, 'a,b\n');
    const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;
    const options = ['--headless', profile, '--convert-to', 'ods', '--outdir', folder, table];
    spawnSync('soffice', options, { timeout: 300_000, env: { ...process.env, HOME: folder } });
    return existsSync(join(folder, 'table.ods'));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A Node that can make executables of itself. */
export const EXECUTABLE_NODE =
  process.env['EXECUTABLE_NODE'] ??
  (Number(process.versions.node.split('.')[0]) >= 26 ? process.execPath : undefined);

/** The command of a browser; undefined where none is installed. */
export function browser(): string | undefined {
  return ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
    succeeds(name, '--version'),
  );
}

/** What a test may need of the system. */
const NEEDS = {
  posixShell: {
    // A bash on Windows has paths of its own.
    isThere: () => isPosix && succeeds('sh', '-c', 'exit 0') && succeeds('bash', '-c', 'exit 0'),
    otherwise: 'no POSIX shell with its tools (sh, bash, mkfifo, cat)',
  },
  terminal: { isThere: () => isPosix, otherwise: 'no POSIX terminal' },
  signals: { isThere: () => isPosix, otherwise: 'no signal that a program can catch' },
  permissions: { isThere: () => isPosix, otherwise: 'no permission bits' },
  links: { isThere: () => isPosix, otherwise: 'no symbolic link that every user can make' },
  openFiles: {
    isThere: replacesOpenFiles,
    otherwise: 'no way to replace or remove a file that is open',
  },
  devices: {
    isThere: () => isPosix && existsSync('/dev/zero'),
    otherwise: 'no /dev/null and /dev/zero',
  },
  fullDevice: { isThere: () => isPosix && existsSync('/dev/full'), otherwise: 'no /dev/full' },
  procfs: { isThere: () => isPosix && existsSync('/proc/self/stat'), otherwise: 'no /proc' },
  linux: { isThere: () => process.platform === 'linux', otherwise: 'no Linux' },
  root: {
    isThere: () => process.getuid?.() === 0,
    isRare: true,
    otherwise: 'no right to act as another user',
  },
  publicNode: {
    isThere: () =>
      spawnSync(process.execPath, ['-e', '0'], { uid: 54_321, gid: 54_321, cwd: '/' }).error ===
      undefined,
    otherwise: `no way for other users to start ${process.execPath}`,
  },
  namespaces: {
    isThere: () => succeeds('unshare', '--mount', 'true'),
    isRare: true,
    otherwise:
      'no right to make namespaces ' +
      '(in a container: --cap-add SYS_ADMIN --security-opt apparmor=unconfined)',
  },
  userNamespaces: {
    isThere: () =>
      spawnSync('unshare', ['--user', '--map-current-user', 'true'], {
        uid: 54_321,
        gid: 54_321,
        cwd: '/',
      }).status === 0,
    isRare: true,
    otherwise: 'no right to map one user only',
  },
  compiler: {
    isThere: () =>
      spawnSync('cc', ['-shared', '-fPIC', '-x', 'c', '-o', '/dev/null', '-', '-ldl'], {
        input: '#include <dlfcn.h>\n#include <stdio.h>\n',
      }).status === 0,
    otherwise: 'no C compiler (Debian packages gcc and libc6-dev)',
  },
  secretService: {
    isThere: () =>
      process.platform === 'linux' &&
      succeeds('dbus-daemon', '--version') &&
      succeeds('gnome-keyring-daemon', '--version'),
    otherwise: 'no Secret Service (Debian packages dbus and gnome-keyring)',
  },
  openssl: {
    isThere: () => hasVersion('1.1.1', 'openssl', 'version'),
    otherwise: 'no usable openssl',
  },
  curl: { isThere: () => succeeds('curl', '--version'), otherwise: 'no curl' },
  git: { isThere: () => hasVersion('2.28', 'git', '--version'), otherwise: 'no usable git' },
  jq: {
    isThere: () => hasVersion('1.6', 'jq', '--version'),
    otherwise: 'no jq that the recipes can use',
  },
  ciPackages: {
    isThere: () => existsSync('.ci/packages/node_modules'),
    otherwise: 'no folder .ci/packages/node_modules (npm ci --prefix .ci/packages)',
  },
  builtSite: {
    isThere: () => existsSync('site/.vitepress/dist/index.html'),
    otherwise: 'no site (npm ci --prefix site; npm run build --prefix site)',
  },
  gzip: { isThere: () => succeeds('gzip', '--version'), otherwise: 'no gzip' },
  coreutils: {
    isThere: () =>
      isPosix && succeeds('timeout', '--version') && succeeds('sha256sum', '--version'),
    otherwise: 'no GNU coreutils (timeout, sha256sum)',
  },
  bash: { isThere: () => isPosix && succeeds('bash', '--version'), otherwise: 'no bash' },
  zsh: { isThere: () => isPosix && succeeds('zsh', '--version'), otherwise: 'no zsh' },
  fish: { isThere: () => isPosix && succeeds('fish', '--version'), otherwise: 'no fish' },
  libreOffice: {
    isThere: convertsSpreadsheets,
    otherwise: 'no soffice for spreadsheets (Debian package libreoffice-calc)',
  },
  parallel: { isThere: () => succeeds('parallel', '--version'), otherwise: 'no GNU parallel' },
  polars: {
    isThere: () => python('1.44', 'polars', "polars.DataFrame({'a': [1]})"),
    otherwise: fetched('Polars'),
  },
  pandas: {
    isThere: () => python('2.0', 'pandas', "pandas.read_json(io.StringIO('{}'), lines=True)"),
    otherwise: fetched('pandas'),
  },
  clickHouse: {
    isThere: () => hasVersion('24.1', 'clickhouse', 'local', '-q', 'SELECT version()'),
    otherwise: fetched('ClickHouse'),
  },
  sqlite: {
    // The suite also runs on Node 20.
    isThere: () => process.getBuiltinModule?.('node:sqlite') !== undefined,
    isRare: true,
    otherwise: 'no node:sqlite in this Node (22.13 has it)',
  },
  powerShell: {
    // Neither Debian nor npm has it. The runners of GitHub do.
    isThere: () => succeeds('pwsh', '-NoProfile', '-Command', '1'),
    isRare: true,
    otherwise: 'no PowerShell (pwsh)',
  },
  browser: {
    // A tenth of a gigabyte for one test.
    isThere: () => browser() !== undefined,
    isRare: true,
    otherwise: 'no Chromium',
  },
  executableNode: {
    isThere: () => EXECUTABLE_NODE !== undefined,
    otherwise: 'no Node 26 in EXECUTABLE_NODE, to make a single executable of',
  },
} satisfies Readonly<Record<string, Need>>;

type NeedName = keyof typeof NEEDS;

const answers = new Map<NeedName, boolean>();

/**
 * Whether a test has to be skipped, because this system lacks something that it needs; the reason
 * is printed. With `REQUIRE_ALL_TESTS=1` only for want of what is rare: a test that lacks a
 * tool then runs, and fails.
 */
export function lacks(...names: readonly NeedName[]): boolean {
  const isRequired = process.env['REQUIRE_ALL_TESTS'] === '1';
  const needed = names.filter((name) => !isRequired || (NEEDS[name] as Need).isRare);
  // All of them are asked, so that all reasons are printed.
  return needed.filter((name) => !has(name)).length > 0;
}

function has(name: NeedName): boolean {
  const known = answers.get(name);
  if (known !== undefined) return known;
  const { isThere, otherwise } = NEEDS[name];
  const found = isThere();
  answers.set(name, found === true);
  if (found !== true) {
    const instead = typeof found === 'string' ? `: ${found}` : '';
    // biome-ignore lint/suspicious/noConsole: readers of the results must see what was not tested.
    console.warn(`skipped: tests that need ${name}, because there is ${otherwise}${instead}`);
  }
  return found === true;
}
