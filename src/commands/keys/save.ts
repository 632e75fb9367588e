import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { normalizeBaseUrl, type StoreKind } from '../../settings/settings.ts';

/*
 * What `--save` needs before a key is created.
 */

/**
 * Refuses `--save` when it would switch the profile to another account.
 * @throws {CliError} kind `usage`, before any request.
 */
export async function requireProfileAccount(context: Context): Promise<void> {
  const { account } = await context.fromEnvironment();
  const { repository } = await context.profile();
  if (repository === undefined || repository.toLowerCase() === account?.toLowerCase()) return;
  throw usageError(
    `the profile ${context.profileName} belongs to ${repository}, and DOI_CLI_REPOSITORY is ${account}: --save would change it`,
    'unset DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD, or choose another profile with --profile (doi-cli auth login makes one)',
  );
}

/**
 * The store for a new API key of the account: where its credentials are already, or else the keychain.
 * @throws {CliError} kind `credentials` when nothing could be stored there now.
 */
export async function checkedStore(context: Context, account: string): Promise<StoreKind> {
  const vault = await context.vault();
  const baseUrl = normalizeBaseUrl(await context.baseUrl());
  const stored =
    (await vault.find({ baseUrl, kind: 'api-key', account })) ??
    (await vault.find({ baseUrl, kind: 'repository', account }));
  const store = stored?.place ?? 'keychain';
  await vault.check(store);
  return store;
}

/**
 * The active key that is stored for the account now; nobody can read it again once a new one replaces it.
 * @throws {CliError} kind `credentials` when the store cannot be used.
 */
export async function storedKey(
  context: Context,
  account: string,
  keys: readonly ApiKey[],
): Promise<ApiKey | undefined> {
  const vault = await context.vault();
  const baseUrl = normalizeBaseUrl(await context.baseUrl());
  const stored = await vault.find({ baseUrl, kind: 'api-key', account });
  const found = stored && (await vault.lookUp(stored));
  return keys.find(
    ({ attributes: { keyPrefix, revokedAt } }) =>
      !revokedAt && keyPrefix && found?.secret.startsWith(keyPrefix),
  );
}
