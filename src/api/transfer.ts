import { CliError, usageError } from '../errors.ts';
import { AS_OBJECTS, type Doi, doiPath, findDoi, NotStored, readDoi } from './dois.ts';
import { isMember, readOrganization } from './repositories.ts';
import type { HttpService, Service } from './service.ts';

/**
 * The body of the request that gives a DOI to a repository: all other attributes are ignored
 * (service.md, W19).
 */
export function transferBody(to: string): string {
  const client = { data: { type: 'clients', id: to } };
  return JSON.stringify({
    data: { type: 'dois', attributes: { mode: 'transfer' }, relationships: { client } },
  });
}

/**
 * Gives a DOI to another repository of the member (service.md, W19).
 * @throws {NotStored} if the record does not belong to that repository afterwards.
 */
export async function transferDoi(service: HttpService, doi: string, to: string): Promise<Doi> {
  const isTransferred = (record: Doi | undefined) => record?.client === to;
  const find = () => findDoi(service, doi, { retries: 2 });
  const answer = await service.http.call({
    method: 'PUT',
    url: service.http.url(doiPath(doi), AS_OBJECTS),
    body: transferBody(to),
    uninterruptible: true,
    probesNotFound: true,
    // A second request has no further effect.
    idempotent: true,
    resolveLostAnswer: async () => {
      const now = await find();
      return now !== undefined && isTransferred(now) ? { value: now } : undefined;
    },
    read: readDoi,
  });
  if (answer.id.toLowerCase() === doi.toLowerCase() && isTransferred(answer)) return answer;
  const now = await find().catch(() => undefined);
  if (now !== undefined && isTransferred(now)) return now;
  const owner = now?.client ?? 'an unknown account';
  const problem = `but it belongs to ${owner}, not ${to}`;
  const message = `the service answered that ${doi} was transferred, ${problem}`;
  throw new NotStored('unavailable', message, { hint: 'look at the record, and try again later' });
}

/**
 * Checks before anything is sent that a transfer is possible.
 * @throws {CliError} kind `usage` for credentials that are not a member's, or a repository that
 *   does not exist.
 */
export async function requireTransfer(service: Service, to: string): Promise<void> {
  const { account } = service.caller;
  if (account !== undefined && !isMember(account)) {
    throw usageError(
      `${account} is a repository account, and only a member (provider) transfers DOIs`,
      "use the member's account and password (doi-cli auth login --repository <member>)",
    );
  }
  await readOrganization(service, 'repositories', to).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.kind !== 'not-found') throw error;
    throw usageError(`the service knows no repository ${to}`, 'its id is like DEMO.REPO');
  });
}
