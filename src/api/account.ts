import { CliError } from '../errors.ts';
import { countDois } from './dois.ts';
import { listKeys } from './keys.ts';
import type { Service } from './service.ts';

/**
 * The repository account of the credentials, in lower case as the `client-id` filter takes it.
 * @throws {CliError} kind `credentials` when the service does not name it.
 */
export async function accountOf(service: Service): Promise<string> {
  if (service.credentials?.kind === 'repository') return service.credentials.id.toLowerCase();
  return recognisedAccount(service, 'name it with --client-id');
}

/**
 * The repository account of credentials that the service accepts. Call it before writes: a write with
 * credentials that are not accepted may fail as not found (service.md, A9).
 * @throws {CliError} kind `credentials` when the service does not accept them or does not name the account.
 */
export async function acceptedAccount(service: Service): Promise<string> {
  if (service.credentials?.kind === 'repository') await readNoRecords(service);
  return accountOf(service);
}

/**
 * Verifies repository credentials: only they may list the account's keys (service.md, K13).
 * @throws {CliError} kind `credentials` when the service does not accept them.
 */
export async function verifyRepository({ http }: Service): Promise<void> {
  await listKeys(http, false);
}

/**
 * Verifies an API key by a read whose headers name the account: even a revoked key gets a 200 (service.md,
 * A6, A8).
 * @returns the repository account, in lower case.
 * @throws {CliError} kind `credentials` when the service does not accept the key, does not name an account,
 *   or names another one than expected.
 */
export async function verifyApiKey(service: Service, expected?: string): Promise<string> {
  const account = await recognisedAccount(service);
  if (expected !== undefined && account !== expected.toLowerCase()) {
    throw new CliError('credentials', `the API key belongs to the account ${account}, not ${expected}`);
  }
  return account;
}

/** The account in the headers of a read (service.md, A6): only the service knows whose a key is. */
async function recognisedAccount(service: Service, hint?: string): Promise<string> {
  await readNoRecords(service);
  const { account } = service.caller;
  if (account !== undefined) return account;
  const message = 'the service does not say which account the API key belongs to';
  throw new CliError('credentials', message, { hint });
}

async function readNoRecords(service: Service): Promise<void> {
  await countDois(service, [
    ['page[size]', '0'],
    ['disable-facets', 'true'],
  ]);
}
