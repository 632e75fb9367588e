import type { Service } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { pageFetcher } from '../../harvest/page/fetch-page.ts';
import type { Params } from './query.ts';

/**
 * How many DOIs a query matches, by the service's count: a page of no records costs little and tells it.
 * @throws {CliError} kind `unexpected` when the answer holds no count.
 */
export async function countDois(service: Service, params: Params): Promise<number> {
  const page = await pageFetcher(service)(service.http.url('/dois', params));
  const { total } = (page.envelope['meta'] ?? {}) as { total?: unknown };
  if (typeof total !== 'number' || !Number.isSafeInteger(total)) {
    throw new CliError('unexpected', 'the service gave no total');
  }
  return total;
}

/**
 * The repository account that the credentials belong to, in lower case as the `client-id` filter takes it.
 * @throws {CliError} kind `credentials` when the service does not name it.
 */
export async function accountOf(service: Service): Promise<string> {
  if (service.credentials?.kind === 'repository') return service.credentials.id.toLowerCase();
  // Only the service knows whose an API key is: the headers of any read tell (observed).
  await readNothing(service);
  const { account } = service.identity;
  if (account !== undefined) return account;
  throw new CliError('credentials', 'the service does not say which account the API key belongs to', {
    hint: 'name it with --client-id',
  });
}

/**
 * The account of credentials that the service accepts.
 * @throws {CliError} kind `credentials` when it does not: a refused write may look like something else (observed).
 */
export async function provenAccount(service: Service): Promise<string> {
  if (service.credentials?.kind === 'repository') await readNothing(service);
  return accountOf(service);
}

async function readNothing(service: Service): Promise<void> {
  await countDois(service, [
    ['page[size]', '0'],
    ['disable-facets', 'true'],
  ]);
}
