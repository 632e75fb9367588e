import { CliError, isOutage, toCliError } from '../errors.ts';
import type { Call } from './http/call.ts';
import type { Http } from './http/http.ts';
import { listKeys } from './keys.ts';
import { isMember } from './repositories.ts';
import type { Service } from './service.ts';

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

export type ProbedService = Pick<Service, 'http' | 'caller'>;

/**
 * Throws the error of a request. With refused credentials a request fails as not found (service.md,
 * A9, A12), so after a 404 a probe finds the cause.
 * @param options.isWrite whether a failed probe is thrown instead of the 404.
 * @throws {CliError} kind `credentials` when they are refused, or a member's for a write; else the
 *   error itself.
 */
export async function throwProbed(
  { http, caller: { what, account } }: ProbedService,
  error: unknown,
  { isWrite = false } = {},
): Promise<never> {
  if (what === undefined || toCliError(error).kind !== 'not-found') throw error;
  await probeCredentials(http, what, { retries: 2 }).catch((thrown: unknown) => {
    const known = toCliError(thrown);
    const isOpen =
      known.kind === 'credentials' ? known.status !== 401 : isOutage(known) && !isWrite;
    throw isOpen ? error : thrown;
  });
  if (!isWrite || account === undefined || !isMember(account)) throw error;
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
