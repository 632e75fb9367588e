import { type Context, DEFAULT_BASE_URL } from '../../cli/context.ts';
import { toCliError, usageError } from '../../errors.ts';
import {
  changeSettings,
  normalizeBaseUrl,
  profileOf,
  readSettings,
  type Settings,
  type StoredCredential,
  withProfile,
} from '../../settings/settings.ts';
import { warnOfEnvironment } from './store.ts';

export interface LogoutOptions {
  readonly all?: boolean;
  readonly repository?: string;
}

/**
 * Erases what is kept for the account of the run, or everything. A credential that cannot be erased does not
 * keep the others; its error comes at the end.
 */
export async function logoutCommand(context: Context, options: LogoutOptions): Promise<void> {
  if (options.all && options.repository !== undefined) {
    throw usageError('--all and --repository exclude each other');
  }
  const vault = await context.vault();
  const doomed = await chosen(context, await vault.list(), options);
  if (doomed.length === 0) noteNothing(context, options);
  let failure: unknown;
  for (const entry of doomed) {
    try {
      await vault.remove(entry);
    } catch (error) {
      if (failure !== undefined) context.messages.errorLine(toCliError(failure).message);
      failure = error;
      continue;
    }
    const what = entry.kind === 'repository' ? 'the password' : 'an API key';
    context.messages.note(`Erased ${what} of ${entry.account} for ${entry.baseUrl}`);
    if (entry.kind === 'api-key')
      context.messages.note('the key itself stays valid until doi-cli keys revoke');
  }
  await tidyProfiles(context, doomed, options);
  warnOfEnvironment(context, undefined);
  if (failure !== undefined) throw failure;
}

function noteNothing({ messages, host }: Context, { all, repository }: LogoutOptions): void {
  const account = host.env['DOI_CLI_REPOSITORY'];
  const why =
    all || repository !== undefined || !account ? '' : ` for ${account}, which DOI_CLI_REPOSITORY names`;
  messages.note(`nothing is stored${why}, so there is nothing to erase`);
}

async function chosen(
  context: Context,
  stored: readonly StoredCredential[],
  { all, repository }: LogoutOptions,
): Promise<readonly StoredCredential[]> {
  if (all) return stored;
  // Also where the environment names account and service: a slip in its name must not erase another's.
  const { repository: ofProfile } = await context.profile();
  const baseUrl = normalizeBaseUrl(await context.baseUrl());
  const account = repository ?? (context.host.env['DOI_CLI_REPOSITORY'] || ofProfile);
  return stored.filter(
    (entry) => entry.baseUrl === baseUrl && entry.account.toLowerCase() === account?.toLowerCase(),
  );
}

/**
 * A profile whose account has nothing left is nobody's any more, and a base URL that a login brought goes with it:
 * the next login must not send a password to whoever listens there by then.
 */
async function tidyProfiles(
  context: Context,
  erased: readonly StoredCredential[],
  { all }: LogoutOptions,
): Promise<void> {
  const { env } = context.host;
  const tidied = (settings: Settings) =>
    Object.keys(settings.profiles).reduce(
      (changed, name) => tidyProfile(changed, name, erased, all || name === context.profileName),
      settings,
    );
  const before = await readSettings(env);
  const after = tidied(before);
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await changeSettings(env, tidied);
  for (const name of Object.keys(before.profiles)) {
    const [url, old] = [after, before].map((settings) => baseUrlOf(profileOf(settings, name)));
    if (url !== old) context.messages.note(`the profile ${name} means ${url} again, no longer ${old}`);
  }
}

/** @param meant whether the logout is about this profile; else only what it has erased matters. */
function tidyProfile(
  settings: Settings,
  name: string,
  erased: readonly StoredCredential[],
  meant: boolean,
): Settings {
  const profile = profileOf(settings, name) ?? {};
  const { repository, 'base-url-before-login': before } = profile;
  const isOf = (url: string) => (entry: StoredCredential) =>
    entry.baseUrl === url && entry.account.toLowerCase() === repository?.toLowerCase();
  const url = baseUrlOf(profile);
  const wasErased = erased.some(isOf(url));
  if (settings.stored.some(isOf(url)) || !(meant || wasErased)) return settings;
  const back = before === undefined ? profile : { 'base-url': before || undefined };
  const gone = wasErased && !settings.stored.some(isOf(baseUrlOf(back)));
  return withProfile(settings, name, {
    ...back,
    'base-url-before-login': undefined,
    ...(gone ? { repository: undefined } : {}),
  });
}

/** In the spelling under which credentials are kept. */
function baseUrlOf(profile: { readonly 'base-url'?: string | undefined } = {}): string {
  const text = profile['base-url'] || DEFAULT_BASE_URL;
  return URL.canParse(text) ? normalizeBaseUrl(new URL(text)) : text;
}
