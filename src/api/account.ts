import { CliError } from '../errors.ts';
import { countDois } from './dois.ts';
import type { Service } from './service.ts';

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
