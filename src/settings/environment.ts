import { homedir } from 'node:os';
import { join } from 'node:path';
import { closest } from '../text/closest.ts';
import { parseFrom } from '../text/parsers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables that contain secrets. */
export const SECRETS = ['DOI_CLI_PASSWORD', 'DOI_CLI_API_KEY'] as const;

/** The variables of the program. */
const KNOWN = [
  ...SECRETS,
  'DOI_CLI_REPOSITORY',
  'DOI_CLI_BASE_URL',
  'DOI_CLI_PROFILE',
  'DOI_CLI_CONFIG_DIR',
  'DOI_CLI_PAGER',
  'DOI_CLI_DEBUG',
];
const HAVE_ERRORS = [...SECRETS, 'DOI_CLI_REPOSITORY', 'DOI_CLI_BASE_URL'];
const PROXIES = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'];
const CLEANED = [...KNOWN, ...PROXIES, ...PROXIES.map((name) => name.toUpperCase())];
const PATHS = ['DOI_CLI_CONFIG_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'ZDOTDIR'];

/** The variables that are meant by other names, identified by their last word. */
const SYNONYMS: Readonly<Record<string, string>> = {
  TOKEN: 'DOI_CLI_API_KEY',
  KEY: 'DOI_CLI_API_KEY',
  SECRET: 'DOI_CLI_PASSWORD',
  PASS: 'DOI_CLI_PASSWORD',
  USER: 'DOI_CLI_REPOSITORY',
  USERNAME: 'DOI_CLI_REPOSITORY',
  ACCOUNT: 'DOI_CLI_REPOSITORY',
  REPO: 'DOI_CLI_REPOSITORY',
  URL: 'DOI_CLI_BASE_URL',
  HOST: 'DOI_CLI_BASE_URL',
  CONFIG: 'DOI_CLI_CONFIG_DIR',
};

/** Blanks, line ends and invisible characters such as a byte order mark around a value. */
const AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;
const QUOTED = /^(?:"(.*)"|'(.*)'|`(.*)`|“(.*)”)$/su;

/**
 * Removes what pipelines put around values: blanks, line ends, quotes, a byte order mark. Expands
 * `~/` in paths. @returns the same environment if nothing changed, and a warning for each value
 * that was changed and each unknown name.
 * @throws {CliError} for a path such as `~name/`.
 */
export function readEnvironment(env: Environment): {
  readonly env: Environment;
  readonly warnings: readonly string[];
} {
  const changed: Record<string, string> = {};
  const warnings: string[] = [];
  for (const name of CLEANED) {
    const value = env[name];
    if (value === undefined || value === '') continue;
    if (value.replace(AROUND, '') === '') {
      // Blank credentials and base URLs have their own errors.
      if (HAVE_ERRORS.includes(name)) continue;
      changed[name] = '';
      warnings.push(`${name} contains only blanks, and is not used`);
      continue;
    }
    const [plain, what] = cleaned(name, value);
    if (plain !== value) changed[name] = plain;
    if (what !== undefined) warnings.push(`${name} has ${what}`);
  }
  for (const name of PATHS) {
    const path = changed[name] ?? env[name];
    if (path?.startsWith('~'))
      changed[name] = parseFrom(name, path, (text) => expandHome(text, env['HOME']));
  }
  for (const name of Object.keys(env)) {
    if (!/^doi_?cli_/i.test(name) || KNOWN.includes(name)) continue;
    // On Windows, names have no case.
    if (
      env[name] !== undefined &&
      env[name] === env[name.toUpperCase()] &&
      KNOWN.includes(name.toUpperCase())
    )
      continue;
    const last = name.toUpperCase().replace(/^.*_/, '');
    const meant = SYNONYMS[last] ?? closest(name, KNOWN);
    const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
    warnings.push(`the environment variable ${name} is not known${suggestion}`);
  }
  return { env: Object.keys(changed).length === 0 ? env : { ...env, ...changed }, warnings };
}

/** An API key without what copying and pipelines put around it. */
export const plainKey = (text: string): string => cleaned('DOI_CLI_API_KEY', text)[0];

/** A value without the characters around it, and a description of them for a warning. */
function cleaned(name: string, value: string): readonly [plain: string, what: string | undefined] {
  if (name === 'DOI_CLI_PASSWORD') return cleanedPassword(value);
  const plain = value.replace(AROUND, '');
  const inner = quotedIn(plain);
  const removed = [
    ...(plain === value ? [] : ['blanks, line ends or invisible characters']),
    ...(inner === undefined ? [] : ['quotes']),
  ];
  const what = removed.length === 0 ? undefined : `${removed.join(' and ')} around it`;
  return [inner?.replace(AROUND, '') ?? plain, what && `${what}, which are not used`];
}

/** Blanks and quotes may belong to a password, but line ends and a byte order mark never do. */
function cleanedPassword(value: string): readonly [plain: string, what: string | undefined] {
  const plain = value.replace(/^[\r\n\ufeff]+|[\r\n\ufeff]+$/g, '');
  const bare = plain.replace(AROUND, '');
  const remarks = [
    ...(plain === value ? [] : ['line ends or a byte order mark around it, which are not used']),
    ...(plain === bare ? [] : ['blanks or invisible characters around it, which are sent']),
    ...(quotedIn(bare) === undefined ? [] : ['quotes around it, which are sent']),
  ];
  return [plain, remarks.length === 0 ? undefined : remarks.join(', and ')];
}

const quotedIn = (text: string): string | undefined =>
  QUOTED.exec(text)
    ?.slice(1)
    .find((inner) => inner !== undefined);

/**
 * A path with the home directory for `~`, which shells do not expand in `--out=~/file` and in many
 * settings.
 * @throws {Error} for `~name/`, the home directory of another user.
 */
export function expandHome(path: string, home = homedir()): string {
  const [, user, rest = ''] = /^~([^/\\]*)(?:[/\\](.*))?$/s.exec(path) ?? [];
  if (user === undefined) return path;
  if (user === '' && home !== '') return join(home, rest);
  // Without a slash it may be the name of a file: some editors begin theirs with ~.
  if (user !== '' && !/[/\\]/.test(path)) return path;
  throw new Error(`'${path}' begins with ~${user}, which only shells know: write the whole path`);
}
