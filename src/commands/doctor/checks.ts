import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import { proxyFor, proxyVariable, unusedProxies } from '../../api/http/proxy.ts';
import type { Context } from '../../cli/context.ts';
import { type ErrorKind, errorCode, toCliError } from '../../errors.ts';
import {
  configDirectory,
  knownConfigDirectory,
  normalizeBaseUrl,
  readSettings,
  STORES,
  type StoreKind,
} from '../../settings/settings.ts';
import { formatDuration } from '../../text/words.ts';
import {
  type CredentialStatus,
  type UnverifiedCredential,
  verifyCredential,
} from '../auth/status.ts';

/** The result of one check. An error that a check throws is also a problem. */
export interface CheckResult {
  /** A `warning` limits what can be done; a `problem` makes commands fail. */
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  readonly hint?: string | undefined;
  /** The problem's kind, which decides the exit code. */
  readonly kind?: ErrorKind;
}

export const ok = (message: string, hint?: string): CheckResult => ({
  status: 'ok',
  message,
  hint,
});
export const warning = (message: string, hint?: string): CheckResult => ({
  status: 'warning',
  message,
  hint,
});

// As in package.json: an older version may start the program and fail later.
const OLDEST_NODE = '20.18.1';

export function nodeVersion({ host }: Context): CheckResult {
  const version = host.nodeVersion.replace(/^v/, '');
  if (version.localeCompare(OLDEST_NODE, 'en', { numeric: true }) >= 0)
    return ok(`Node.js ${version}`);
  const message = `Node.js ${version} is older than ${OLDEST_NODE}, which doi-cli needs`;
  return { status: 'problem', message, hint: 'install a newer Node.js: https://nodejs.org' };
}

const MOVE = 'set DOI_CLI_CONFIG_DIR to a folder that you can write to';

/** Whether the folder of the settings, or the folder to create it in, can be written. */
export function configFolder({ host: { env } }: Context): CheckResult {
  if (knownConfigDirectory(env) === undefined) {
    return warning('this user has no home directory, so nothing can be stored', MOVE);
  }
  const folder = resolve(configDirectory(env));
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    const { mode } = statSync(nearest);
    // The dot fails for anything but a folder.
    accessSync(`${nearest}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    if (nearest !== folder) return ok(`${folder} does not exist yet, and can be made`);
    const isOpen = platform() !== 'win32' && (mode & 0o022) !== 0;
    return isOpen
      ? warning(`others can write in ${folder}`, `chmod 700 ${folder}`)
      : ok(`${folder} can be written`);
  } catch (error) {
    return warning(
      `${nearest} cannot be written (${errorCode(error)}), so nothing can be stored`,
      MOVE,
    );
  }
}

/** The settings file, the profile, and the base URL from them and the command line. */
export async function profile(context: Context): Promise<CheckResult> {
  const { repository } = await context.services.profile();
  const baseUrl = normalizeBaseUrl(await context.services.baseUrl());
  const whose = repository === undefined ? '' : ` as ${repository}`;
  const count = Object.keys((await readSettings(context.host.env)).profiles).length;
  const of = count > 1 ? `, one of ${count},` : '';
  return ok(`the profile ${context.services.profileName}${of} uses ${baseUrl}${whose}`);
}

/** Whether the keychain works. It is a problem only if a credential is stored there. */
export async function keychain(context: Context): Promise<CheckResult> {
  const vault = await context.services.vault();
  try {
    await vault.check('keychain');
    return ok('the keychain works');
  } catch (error) {
    const stored = await vault.list().catch(() => []);
    if (stored.some(({ place, olderIn }) => place === 'keychain' || olderIn === 'keychain'))
      throw error;
    const { message, hint } = toCliError(error);
    return warning(`${message}; nothing is stored in it`, hint);
  }
}

/** The proxy in use, and the variables for proxies that are not used. */
export async function proxy(context: Context): Promise<CheckResult> {
  const { env } = context.host;
  const baseUrl = await context.services.baseUrl();
  const url = proxyFor(baseUrl, env);
  const variable = proxyVariable(env);
  const others = unusedProxies(env);
  if (url !== undefined)
    return ok([`${url.protocol}//${url.host}, from ${variable}`, ...others].join('; '));
  const why =
    baseUrl.protocol === 'https:' ? 'NO_PROXY excludes this service' : 'it is for https only';
  const set = variable === undefined ? [] : [`${variable} is set, but ${why}`];
  const reasons = [...set, ...others];
  return ok(reasons.length === 0 ? 'none' : `none: ${reasons.join('; ')}`);
}

// Signed requests to the data file are refused beyond 15 minutes; one minute is already unusual.
const CLOCK_WARNING_MS = 60_000;
const CLOCK_PROBLEM_MS = 15 * 60_000;

/**
 * @param ahead how far this machine's clock is ahead of the service's, in milliseconds; NaN if
 *   unknown.
 */
export function clock(ahead: number): CheckResult {
  if (Number.isNaN(ahead)) return warning('the service sends no time to compare with');
  const difference = Math.abs(ahead);
  if (difference < CLOCK_WARNING_MS) return ok('agrees with the clock of the service');
  const direction = ahead > 0 ? 'ahead of' : 'behind';
  return {
    status: difference < CLOCK_PROBLEM_MS ? 'warning' : 'problem',
    message: `${formatDuration(difference)} ${direction} the clock of the service`,
    hint: 'set the clock of this machine',
  };
}

/** Whether the service accepts a credential. */
export async function credential(
  context: Context,
  unverified: UnverifiedCredential,
): Promise<CheckResult> {
  const status = await verifyCredential(context, unverified);
  const { accepted, message, error } = status;
  if (error === undefined) return ok(`${nameOf(status)} is accepted`);
  const outcome = accepted === null ? 'cannot be checked' : 'is refused';
  return {
    status: 'problem',
    message: `${nameOf(status)} ${outcome}: ${message}`,
    hint: error.hint,
    kind: error.exitCode === 5 ? 'unavailable' : 'credentials',
  };
}

function nameOf({ kind, account, source, keyPrefix }: CredentialStatus): string {
  const what =
    kind === 'repository' ? 'the password' : `the API key${keyPrefix ? ` ${keyPrefix}` : ''}`;
  const where = source in STORES ? STORES[source as StoreKind].label : `the ${source}`;
  return `${what}${account === null ? '' : ` of ${account}`} from ${where}`;
}

/** @param store the hint for a keychain that cannot be used; undefined if it works. */
export function noCredentials(context: Context, store?: string): CheckResult {
  if (context.options.anonymous) return ok('none are sent, because of --anonymous');
  const login = store ?? context.suggest('auth', 'login');
  const hint = `to write, to read Drafts and to manage keys: ${login}`;
  return ok('none, so only Findable records can be read', hint);
}
