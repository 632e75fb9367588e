import { CliError, isOutage, toCliError } from '../errors.ts';
import type { Call } from './http/call.ts';
import type { Caller } from './http/caller.ts';
import type { Http } from './http/http.ts';
import { listKeys } from './keys.ts';
import { isMember } from './repositories.ts';

/**
 * Checks that the service accepts the credentials of `http` by listing their keys. The status alone
 * decides: 200 for a repository account, 403 for an API key or a member, 401 for refused
 * credentials (service.md, K13, K14, K15).
 * @param what the credentials, in errors. @throws {CliError} kind `credentials` when they are
 *   refused.
 */
export async function probeCredentials(
  http: Http,
  what: string,
  options: Pick<Call<unknown>, 'retries'> = {},
): Promise<void> {
  try {
    await listKeys(http, false, { ...options, isProbe: true });
  } catch (thrown) {
    const error = toCliError(thrown);
    if (error.status === 403 && isForbidden(error)) return;
    if (['credentials', 'not-found', 'rejected'].includes(error.kind)) {
      if (error.status === 401) throw error;
      const message = `it is unknown whether the service accepts ${what}: ${error.message}`;
      throw error.with({ kind: 'credentials', message });
    }
    throw thrown;
  }
}

/**
 * Finds out whether refused credentials are the cause of a 404 (service.md, A9, A12).
 * @param isWrite whether a failed probe is thrown.
 * @throws {CliError} kind `credentials` when they are refused, or a member's for a write.
 */
export async function probeNotFound(
  http: Http,
  { what, account }: Caller,
  isWrite: boolean,
): Promise<void> {
  if (what === undefined) return;
  const isAccepted = await probeCredentials(http, what, { retries: 2 }).then(
    () => true,
    (error: unknown) => {
      const known = toCliError(error);
      const isOpen =
        known.kind === 'credentials' ? known.status !== 401 : !isWrite && isOutage(known);
      if (!isOpen) throw error;
      return false;
    },
  );
  if (!isAccepted || !isWrite || account === undefined || !isMember(account)) return;
  throw new CliError(
    'credentials',
    `${what} belong to a member, and only repository accounts can write DOIs`,
    {
      status: 404,
      hint: 'use the repository account of the DOI and its password, or its API key',
    },
  );
}

/** Whether a 403 has the service's own text: a proxy in front of it may also answer with JSON. */
function isForbidden({ problems }: CliError): boolean {
  return problems.some(({ message }) =>
    /^you are not authorized to access this resource/i.test(message),
  );
}
