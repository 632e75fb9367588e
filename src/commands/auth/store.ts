import type { ApiKey } from '../../api/types.ts';
import { baseUrlOfProfile } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { normalizeBaseUrl, type Place, type Profile } from '../../settings/settings.ts';

/** A credential to be kept, with the account that it belongs to. */
export interface Kept {
  readonly kind: 'repository' | 'api-key';
  readonly account: string;
  readonly secret: string;
  readonly place: Place;
}

/**
 * Refuses to make a profile that is one account's another's, which nobody asked for who only saves a key.
 * @throws {CliError} kind `usage`, before any request.
 */
export async function requireProfileAccount(context: Context): Promise<void> {
  const { account } = await context.fromEnvironment();
  const { repository } = await context.profile();
  if (repository === undefined || repository.toLowerCase() === account?.toLowerCase()) return;
  throw usageError(
    `the profile ${context.profileName} is of ${repository}, and DOI_CLI_REPOSITORY is ${account}: --save would change it`,
    'unset DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD, or choose another profile with --profile (doi-cli auth login makes one)',
  );
}

/**
 * Where a new API key of the account is to be kept: in the keychain, or where somebody already insisted on a file.
 * @throws {CliError} kind `credentials` when nothing could be kept there now.
 */
export async function checkPlace(context: Context, account: string): Promise<Place> {
  const vault = await context.vault();
  const baseUrl = normalizeBaseUrl(await context.baseUrl());
  const stored =
    (await vault.find({ baseUrl, kind: 'api-key', account })) ??
    (await vault.find({ baseUrl, kind: 'repository', account }));
  const place = stored?.place ?? 'keychain';
  await vault.check(place);
  return place;
}

/**
 * The active key of the account that is stored now, which a new one would replace there: nobody could get at it again.
 * @throws {CliError} kind `credentials` when the place cannot be used.
 */
export async function storedKey(
  context: Context,
  account: string,
  keys: readonly ApiKey[],
): Promise<ApiKey | undefined> {
  const vault = await context.vault();
  const entry = await vault.find({
    baseUrl: normalizeBaseUrl(await context.baseUrl()),
    kind: 'api-key',
    account,
  });
  const found = entry && (await vault.lookUp(entry));
  return keys.find(
    ({ attributes: { keyPrefix, revokedAt } }) =>
      !revokedAt && keyPrefix && found?.secret.startsWith(keyPrefix),
  );
}

/**
 * Keeps a credential for the base URL of the run, and makes it the profile's own: its repository, its base URL
 * where that was given for this run only (until the logout), and its mailto likewise.
 * @returns a function that brings back what was there before.
 */
export async function keep(
  context: Context,
  { kind, account, secret, place }: Kept,
): Promise<() => Promise<void>> {
  const url = await context.baseUrl({ mayBeNew: true });
  const baseUrl = normalizeBaseUrl(url);
  const before = await context.profile({ mayBeNew: true });
  const usual = normalizeBaseUrl(baseUrlOfProfile(before));
  const sameAccount = before.repository?.toLowerCase() === account.toLowerCase();
  const changes: Profile = {
    ...(usual === baseUrl
      ? {}
      : {
          'base-url': baseUrl,
          'base-url-before-login': before['base-url-before-login'] ?? before['base-url'] ?? '',
        }),
    ...(sameAccount ? {} : { repository: account }),
    ...(context.options.mailto === undefined ? {} : { mailto: context.options.mailto }),
  };
  const vault = await context.vault();
  const undo = await vault.save({ baseUrl, kind, account, place }, secret, context.profileName, changes);
  const name = context.profileName;
  if (usual !== baseUrl)
    context.messages.note(`the profile ${name} now means ${baseUrl}, no longer ${usual}`);
  if (!sameAccount && before.repository !== undefined) {
    context.messages.note(`the profile ${name} is now of ${account}, no longer of ${before.repository}`);
  }
  return undo;
}

/** Says which variables of the environment go before what is kept, or before the account that it is kept for. */
export function warnOfEnvironment(context: Context, kept: Pick<Kept, 'kind' | 'account'> | undefined): void {
  const { env } = context.host;
  const names = ['DOI_CLI_PASSWORD', 'DOI_CLI_API_KEY'].filter((name) => env[name]);
  const { DOI_CLI_REPOSITORY: other } = env;
  if (names.length > 0) {
    const what =
      kept === undefined
        ? 'anything stored'
        : `the stored ${kept.kind === 'repository' ? 'password' : 'API key'}`;
    context.messages.warn(
      `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} set in the environment and used before ${what}`,
    );
  } else if (kept !== undefined && other && other.toLowerCase() !== kept.account.toLowerCase()) {
    context.messages.warn(
      `DOI_CLI_REPOSITORY is set in the environment to ${other}: what is stored for ${kept.account} is not used until it is unset`,
    );
  }
}
