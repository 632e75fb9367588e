import { DEFAULT_BASE_URL } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { warnOfEnvironment } from '../../cli/store-credential.ts';
import { type CliError, toCliError, usageError } from '../../errors.ts';
import {
  changeSettings,
  normalizeBaseUrl,
  type Profile,
  profileOf,
  readSettings,
  type StoredCredential,
  withProfile,
} from '../../settings/settings.ts';
import { withoutCredentials } from '../../text/parsers.ts';
import { shellWords } from '../../text/shell-word.ts';

interface LogoutOptions {
  readonly all?: boolean;
  /** Leaves the password. */
  readonly apiKey?: boolean;
  readonly repository?: string;
  readonly format: 'text' | 'json';
}

/** Erases stored credentials. One that cannot be erased does not stop the others; its error comes last. */
export async function logoutCommand(context: Context, options: LogoutOptions): Promise<void> {
  if (options.all && options.repository !== undefined) {
    throw usageError('--all and --repository exclude each other');
  }
  if (options.all && options.apiKey) throw usageError('--all and --api-key exclude each other');
  const vault = await context.vault();
  const doomed = await credentialsToErase(context, await vault.list(), options);
  if (doomed.length === 0) {
    const account = context.host.env['DOI_CLI_REPOSITORY'];
    const isNamed = account && !options.all && options.repository === undefined;
    const why = isNamed ? ` for ${account}, which DOI_CLI_REPOSITORY names` : '';
    const what = options.apiKey ? 'no API key' : 'nothing';
    context.messages.note(`${what} is stored${why}, so there is nothing to erase`);
  }
  const failures: CliError[] = [];
  for (const entry of doomed) {
    try {
      await vault.remove(entry);
    } catch (error) {
      failures.push(toCliError(error));
      continue;
    }
    if (options.format === 'json') {
      const { baseUrl, account, kind, place: source } = entry;
      const change = { outcome: 'erased', baseUrl: withoutCredentials(baseUrl), account, kind, source };
      await context.out.write(`${JSON.stringify(change)}\n`);
    }
    const what = entry.kind === 'repository' ? 'the password' : 'an API key';
    context.messages.note(`Erased ${what} of ${entry.account} for ${withoutCredentials(entry.baseUrl)}`);
    if (entry.kind === 'api-key')
      context.messages.note('the key itself stays valid until doi-cli keys revoke');
  }
  await resetProfiles(context, doomed);
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
  // Read the profile even if the environment names the account: a typo in its name must be an error.
  const { repository: ofProfile } = await context.profile();
  const baseUrl = normalizeBaseUrl(await context.baseUrl());
  const account = repository ?? (context.host.env['DOI_CLI_REPOSITORY'] || ofProfile);
  return stored.filter(
    (entry) =>
      entry.baseUrl === baseUrl &&
      entry.account.toLowerCase() === account?.toLowerCase() &&
      (!apiKey || entry.kind === 'api-key'),
  );
}

/** Takes the account out of the profiles that the logout leaves without a credential, and notes a base URL that stays. */
async function resetProfiles(context: Context, erased: readonly StoredCredential[]): Promise<void> {
  const settings = await readSettings(context.host.env);
  const names = Object.keys(settings.profiles).filter((name) => {
    const profile = profileOf(settings, name);
    return areOf(erased, profile) && !areOf(settings.stored, profile);
  });
  if (names.length === 0) return;
  await changeSettings(context.settingsHost, (now) =>
    names.reduce((changed, name) => withProfile(changed, name, { repository: undefined }), now),
  );
  for (const name of names) {
    const url = baseUrlOf(profileOf(settings, name));
    if (url === DEFAULT_BASE_URL) continue;
    const text = `the profile ${name} goes on using ${withoutCredentials(url)}`;
    const back = shellWords(['doi-cli', 'config', 'unset', 'base-url', '--profile', name]);
    context.messages.note(`${text}; for the production service: ${back}`);
  }
}

/** Whether one of the credentials is for the base URL and account of a profile. */
function areOf(credentials: readonly StoredCredential[], profile: Profile | undefined): boolean {
  const baseUrl = baseUrlOf(profile);
  const account = profile?.repository?.toLowerCase();
  return credentials.some((entry) => entry.baseUrl === baseUrl && entry.account.toLowerCase() === account);
}

/** In the spelling of {@link normalizeBaseUrl}. */
function baseUrlOf(profile: Profile = {}): string {
  const text = profile['base-url'] || DEFAULT_BASE_URL;
  return URL.canParse(text) ? normalizeBaseUrl(new URL(text)) : text;
}
