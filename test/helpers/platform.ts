import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const isPosix = process.platform !== 'win32';
const starts = (command: string, ...args: readonly string[]) => spawnSync(command, args).error === undefined;
const succeeds = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0;

interface Need {
  readonly isThere: () => boolean;
  /** CI may not have it: a right, or what no package there brings. Without it a test is skipped there, too. */
  readonly isRare?: true;
  /** Why a test cannot run without it. */
  readonly otherwise: string;
}

const fetched = (what: string) => `no ${what} (test/pipelines/install.sh)`;

/** A Node that can make executables of itself. */
export const EXECUTABLE_NODE =
  process.env['EXECUTABLE_NODE'] ??
  (Number(process.versions.node.split('.')[0]) >= 26 ? process.execPath : undefined);

/** The command of a browser; undefined where none is installed. */
export function browser(): string | undefined {
  return ['chromium', 'chromium-browser', 'google-chrome'].find((name) => succeeds(name, '--version'));
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
  devices: { isThere: () => existsSync('/dev/zero'), otherwise: 'no /dev/null and /dev/zero' },
  fullDevice: { isThere: () => existsSync('/dev/full'), otherwise: 'no /dev/full' },
  procfs: { isThere: () => existsSync('/proc/self/stat'), otherwise: 'no /proc' },
  linux: { isThere: () => process.platform === 'linux', otherwise: 'no Linux' },
  root: {
    isThere: () => process.getuid?.() === 0,
    isRare: true,
    otherwise: 'no right to act as another user',
  },
  publicNode: {
    isThere: () =>
      spawnSync(process.execPath, ['-e', '0'], { uid: 54_321, gid: 54_321, cwd: '/' }).error === undefined,
    otherwise: `no way for other users to start ${process.execPath}`,
  },
  namespaces: {
    isThere: () => succeeds('unshare', '--mount', 'true'),
    isRare: true,
    otherwise:
      'no right to make namespaces (in a container: --cap-add SYS_ADMIN --security-opt apparmor=unconfined)',
  },
  userNamespaces: {
    isThere: () =>
      spawnSync('unshare', ['--user', '--map-current-user', 'true'], { uid: 54_321, gid: 54_321, cwd: '/' })
        .status === 0,
    isRare: true,
    otherwise: 'no right to map one user only',
  },
  compiler: {
    isThere: () => starts('cc', '--version'),
    otherwise: 'no C compiler (Debian packages gcc and libc6-dev)',
  },
  secretService: {
    isThere: () =>
      process.platform === 'linux' &&
      starts('dbus-daemon', '--version') &&
      starts('gnome-keyring-daemon', '--version'),
    otherwise: 'no Secret Service (Debian packages dbus and gnome-keyring)',
  },
  openssl: { isThere: () => starts('openssl', 'version'), otherwise: 'no openssl' },
  curl: { isThere: () => starts('curl', '--version'), otherwise: 'no curl' },
  jq: { isThere: () => starts('jq', '--version'), otherwise: 'no jq' },
  gzip: { isThere: () => starts('gzip', '--version'), otherwise: 'no gzip' },
  coreutils: {
    isThere: () => isPosix && starts('timeout', '--version') && starts('sha256sum', '--version'),
    otherwise: 'no GNU coreutils (timeout, sha256sum)',
  },
  bash: { isThere: () => isPosix && starts('bash', '--version'), otherwise: 'no bash' },
  zsh: { isThere: () => isPosix && starts('zsh', '--version'), otherwise: 'no zsh' },
  fish: { isThere: () => isPosix && starts('fish', '--version'), otherwise: 'no fish' },
  libreOffice: {
    isThere: () => starts('soffice', '--version'),
    otherwise: 'no soffice (Debian package libreoffice-calc)',
  },
  parallel: { isThere: () => starts('parallel', '--version'), otherwise: 'no GNU parallel' },
  polars: { isThere: () => succeeds('python3', '-c', 'import polars'), otherwise: fetched('Polars') },
  pandas: { isThere: () => succeeds('python3', '-c', 'import pandas'), otherwise: fetched('pandas') },
  clickHouse: {
    isThere: () => succeeds('clickhouse', 'local', '-q', 'SELECT 1'),
    otherwise: fetched('ClickHouse'),
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
 * Whether a test has to be skipped, because this system lacks something that it needs; the reason is printed. With
 * `DOI_CLI_REQUIRE_ALL_TESTS=1` only for want of what is rare: a test that lacks a tool then runs, and fails.
 */
export function lacks(...names: readonly NeedName[]): boolean {
  const isRequired = process.env['DOI_CLI_REQUIRE_ALL_TESTS'] === '1';
  const needed = names.filter((name) => !isRequired || (NEEDS[name] as Need).isRare);
  // All of them are asked, so that all reasons are printed.
  return needed.filter((name) => !has(name)).length > 0;
}

function has(name: NeedName): boolean {
  const known = answers.get(name);
  if (known !== undefined) return known;
  const { isThere, otherwise } = NEEDS[name];
  const answer = isThere();
  answers.set(name, answer);
  if (!answer) {
    // biome-ignore lint/suspicious/noConsole: readers of the results must see what was not tested.
    console.warn(`skipped: tests that need ${name}, because there is ${otherwise}`);
  }
  return answer;
}
