import { DEFAULT_BASE_URL } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { warnOfEnvironment } from '../../cli/store-credential.ts';
import { type CliError, toCliError } from '../../errors.ts';
import {
  changeSettings,
  normalizeBaseUrl,
  type Profile,
  profileOf,
  readSettings,
  type Settings,
  type StoredCredential,
  withProfile,
} from '../../settings/settings.ts';
import { withoutCredentials } from '../../text/url.ts';
import type { logout } from './index.ts';

type LogoutOptions = OptionsOf<typeof logout>;

/** Erases stored credentials. A failure does not stop the others; its error comes last. */
export async function logoutCommand(context: Context, options: LogoutOptions): Promise<void> {
  const vault = await context.services.vault();
  const toErase = await credentialsToErase(context, await vault.list(), options);
  if (toErase.length === 0) {
    const account = context.host.env['DOI_CLI_REPOSITORY'];
    const isFromEnv = account && !options.all && options.repository === undefined;
    const why = isFromEnv ? ` for ${account} (DOI_CLI_REPOSITORY)` : '';
    const what = options.apiKey ? 'no API key' : 'nothing';
    context.messages.note(`${what} is stored${why}, so there is nothing to erase`);
  }
  const failures: CliError[] = [];
  for (const entry of toErase) {
    try {
      await vault.remove(entry);
    } catch (error) {
      failures.push(toCliError(error));
      continue;
    }
    const { account, kind, place: source } = entry;
    const baseUrl = withoutCredentials(entry.baseUrl);
    const change = { outcome: 'erased', baseUrl, account, kind, source };
    await context.printChange(options.format, change);
    const what = kind === 'repository' ? 'the password' : 'an API key';
    context.messages.note(`Erased ${what} of ${account} for ${baseUrl}`);
    if (kind === 'api-key')
      context.messages.note('the key itself stays valid until doi-cli keys revoke');
  }
  await resetProfiles(context, toErase, options);
  warnOfEnvironment(context, undefined);
  const last = failures.pop();
  for (const error of failures) context.messages.problem(error.with({ hint: undefined }));
  if (last !== undefined) throw last;
}

async function credentialsToErase(
  context: Context,
  stored: readonly StoredCredential[],
  { all, apiKey, repository }: LogoutOptions,
): Promise<readonly StoredCredential[]> {
  if (all) return stored;
  // Read the profile even if the environment has the account: a typo in the profile's name is an
  // error.
  const { repository: ofProfile } = await context.services.profile();
  const baseUrl = normalizeBaseUrl(await context.services.baseUrl());
  const account = repository ?? (context.host.env['DOI_CLI_REPOSITORY'] || ofProfile);
  return stored.filter(
    (entry) =>
      entry.baseUrl === baseUrl &&
      entry.account.toLowerCase() === account?.toLowerCase() &&
      (!apiKey || entry.kind === 'api-key'),
  );
}

async function resetProfiles(
  context: Context,
  erased: readonly StoredCredential[],
  { all }: LogoutOptions,
): Promise<void> {
  const { env } = context.host;
  const reset = (settings: Settings) =>
    Object.keys(settings.profiles)
      .filter(
        (name) =>
          all ||
          name === context.services.profileName ||
          includesProfile(erased, profileOf(settings, name)),
      )
      .reduce((changed, name) => resetProfile(changed, name, erased), settings);
  const before = await readSettings(env);
  const after = reset(before);
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await changeSettings(context.services.settingsHost, reset);
  for (const name of Object.keys(before.profiles)) {
    const [url = '', old = ''] = [after, before].map((settings) =>
      baseUrlOf(profileOf(settings, name)),
    );
    if (url !== old)
      context.messages.note(
        `the profile ${name} uses ${withoutCredentials(url)} again,` +
          ` no longer ${withoutCredentials(old)}`,
      );
  }
}

/**
 * Restores the base URL that a login has changed: the next login must not send a password to a
 * server that may have a new owner. Then removes the account if nothing is stored for it.
 */
function resetProfile(
  settings: Settings,
  name: string,
  erased: readonly StoredCredential[],
): Settings {
  const profile = profileOf(settings, name);
  if (includesProfile(settings.stored, profile)) return settings;
  const before = profile?.['base-url-before-login'];
  const restored =
    before === undefined
      ? settings
      : withProfile(settings, name, {
          'base-url': before || undefined,
          'base-url-before-login': undefined,
        });
  if (
    !includesProfile(erased, profile) ||
    includesProfile(settings.stored, profileOf(restored, name))
  )
    return restored;
  return withProfile(restored, name, { repository: undefined });
}

function includesProfile(
  credentials: readonly StoredCredential[],
  profile: Profile | undefined,
): boolean {
  const baseUrl = baseUrlOf(profile);
  const account = profile?.repository?.toLowerCase();
  return credentials.some(
    (entry) => entry.baseUrl === baseUrl && entry.account.toLowerCase() === account,
  );
}

function baseUrlOf(profile: Profile = {}): string {
  const text = profile['base-url'] || DEFAULT_BASE_URL;
  return URL.canParse(text) ? normalizeBaseUrl(new URL(text)) : text;
}
