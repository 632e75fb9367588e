import { countDois } from '../../api/dois.ts';
import { listKeys } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import { CliError } from '../../errors.ts';

/**
 * Proves repository credentials by listing the account's keys, which nothing else may do (specification, section 5).
 * @throws {CliError} kind `credentials` when the service does not accept them.
 */
export async function proveRepository({ http }: Service): Promise<void> {
  await listKeys(http, false);
}

/**
 * Proves an API key by a read whose answer names the account: a revoked key is answered with 200, too (observed).
 * @returns the repository account, in lower case.
 * @throws {CliError} kind `credentials` when the service does not accept the key, does not name an account, or
 *   names another one than expected.
 */
export async function verifyApiKey(service: Service, expected?: string): Promise<string> {
  await countDois(service, [
    ['page[size]', '0'],
    ['disable-facets', 'true'],
  ]);
  const { account } = service.identity;
  if (account === undefined) {
    throw new CliError('credentials', 'the service does not say which account the API key belongs to');
  }
  if (expected !== undefined && account !== expected.toLowerCase()) {
    throw new CliError('credentials', `the API key belongs to the account ${account}, not ${expected}`);
  }
  return account;
}
