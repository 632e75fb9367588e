import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { errorCode } from '../../errors.ts';
import { configDirectory, knownConfigDirectory } from '../../settings/directory.ts';
import { normalizeBaseUrl, readSettings } from '../../settings/settings.ts';
import { type Finding, fine, problem, warning } from './check.ts';

// As in package.json: an older one may start the program and fail later.
const OLDEST_NODE = '20.18.1';

/** The version of Node.js. */
export function checkNode({ host }: Context): Finding {
  const text = `Node.js ${host.nodeVersion.replace(/^v/, '')}`;
  if (isAtLeast(host.nodeVersion, OLDEST_NODE)) return fine('node', text);
  const message = `${text} is older than ${OLDEST_NODE}, which doi-cli needs`;
  return { check: 'node', status: 'problem', message, hint: 'install a newer Node.js: https://nodejs.org' };
}

function isAtLeast(version: string, required: string): boolean {
  const [have, need] = [version, required].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  for (let index = 0; index < 3; index += 1) {
    const difference = (have?.[index] ?? 0) - (need?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The folder of the settings: whether it, or what it would be made in, can be written. */
export function checkFolder(context: Context): Finding {
  const check = 'config-folder';
  const { env } = context.host;
  try {
    if (knownConfigDirectory(env) === undefined) {
      const hint = 'set DOI_CLI_CONFIG_DIR to a folder of this user';
      return warning(check, 'this user has no home directory, so nothing can be stored', hint);
    }
    const folder = resolve(configDirectory(env));
    const nearest = nearestThatExists(folder);
    if (!statSync(nearest).isDirectory()) {
      return warning(check, `${nearest} is not a folder, so nothing can be stored in ${folder}`, MOVE);
    }
    accessSync(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
    const isNew = nearest !== folder;
    const openTo = platform() !== 'win32' && !isNew && statSync(folder).mode & 0o022;
    if (openTo) return warning(check, `others can write in ${folder}`, `chmod 700 ${folder}`);
    return fine(check, isNew ? `${folder} does not exist yet, and can be made` : `${folder} can be written`);
  } catch (error) {
    return warning(check, `the folder of the settings cannot be written (${errorCode(error)})`, MOVE);
  }
}

const MOVE = 'set DOI_CLI_CONFIG_DIR to a folder that you can write to';

function nearestThatExists(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestThatExists(dirname(folder));
}

/** The settings file, the profile, and the base URL that they and the command line give. */
export async function checkProfile(context: Context): Promise<Finding> {
  try {
    const { profiles } = await readSettings(context.host.env);
    const { repository } = await context.profile();
    const baseUrl = normalizeBaseUrl(await context.baseUrl());
    const whose = repository === undefined ? '' : ` as ${repository}`;
    const count = Object.keys(profiles).length;
    const of = count > 1 ? `, one of ${count}` : '';
    return fine('profile', `the profile ${context.profileName}${of} uses ${baseUrl}${whose}`);
  } catch (error) {
    return problem(context, 'profile', error);
  }
}

/** Whether the keychain works. Without one, only what is stored there is a problem. */
export async function checkKeychain(context: Context): Promise<Finding> {
  const check = 'keychain';
  const vault = await context.vault();
  const stored = await vault.list().catch(() => []);
  const isUsed = stored.some(({ place, olderIn }) => place === 'keychain' || olderIn === 'keychain');
  try {
    await vault.check('keychain');
    return fine(check, 'the keychain works');
  } catch (error) {
    const finding = problem(context, check, error);
    if (isUsed) return finding;
    return warning(check, `${finding.message}; nothing is stored in it`, finding.hint);
  }
}
