import { CliError, toCliError } from '../errors.ts';
import { readJson } from './http/body.ts';
import { listKeys } from './keys.ts';
import { isMember, readOrganization } from './repositories.ts';
import type { HttpService, Service } from './service.ts';

/** The account of the credentials, in lower case. @throws {CliError} when no answer names it. */
export async function accountOf(service: Service): Promise<string> {
  const { caller } = service;
  // Only the service knows the account of a key.
  if (caller.account === undefined) await readNoRecords(service);
  if (caller.account !== undefined) return caller.account;
  const message =
    'no answer names the account of the API key, and --probe-credentials cannot find it out';
  const hint = 'use the repository account and its password';
  throw new CliError('credentials', message, { hint });
}

/**
 * The filter for the records of the credentials' account: a member is a provider (service.md, A13).
 */
export async function ownRecords(
  service: Service,
): Promise<readonly [name: string, value: string]> {
  const account = await accountOf(service);
  return [isMember(account) ? 'provider-id' : 'client-id', account];
}

/**
 * The account, after the service has accepted the credentials: with refused credentials, a write
 * may fail as not found (service.md, A9).
 */
export async function acceptedAccount(service: Service): Promise<string> {
  await readNoRecords(service);
  return accountOf(service);
}

/**
 * Verifies a password: for a repository by listing its keys (service.md, K13), for a member by a
 * read.
 */
export async function verifyPassword(service: Service, account: string): Promise<void> {
  if (isMember(account)) await readNoRecords(service);
  else await listKeys(service.http, false);
}

/**
 * Verifies that reads are accepted: an inactive account may still list keys (service.md, K16, A8).
 */
export async function verifyReads(service: Service): Promise<void> {
  try {
    await readNoRecords(service);
  } catch (error) {
    const { kind, message } = toCliError(error);
    if (kind !== 'credentials') throw error;
    throw toCliError(error).with({
      message: `the password is right, but reads are refused: ${message}`,
    });
  }
}

/**
 * Verifies an API key by a read whose answer names the account: even a revoked key gets a 200
 * (service.md, A6, A8).
 * @returns the account, in lower case; undefined if a proxy removes its name and a probe has
 *   accepted the key.
 */
export async function verifyApiKey(
  service: Service,
  expected?: string,
): Promise<string | undefined> {
  await readNoRecords(service);
  const { named } = service.caller;
  if (named !== undefined && expected !== undefined && named !== expected.toLowerCase()) {
    throw new CliError(
      'credentials',
      `the API key belongs to the account ${named}, not ${expected}`,
    );
  }
  return named;
}

/**
 * Whether a repository or provider exists; every reader may ask (service.md, F14). True if unknown.
 */
export async function isKnown(
  service: HttpService,
  what: 'repositories' | 'providers',
  id: string,
): Promise<boolean> {
  // Another failure proves nothing.
  return readOrganization(service, what, id).then(
    () => true,
    (error: unknown) => toCliError(error).kind !== 'not-found',
  );
}

async function readNoRecords(service: Service): Promise<void> {
  const params = [
    ['page[size]', '0'],
    ['disable-facets', 'true'],
  ] as const;
  await service.http.call({
    method: 'GET',
    url: service.http.url('/dois', params),
    read: readJson,
  });
}
