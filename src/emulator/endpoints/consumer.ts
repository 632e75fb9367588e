import type { Account } from '../state/accounts.ts';

/**
 * The headers by which DOI endpoints say whether they know the caller, and as which account (service.md, A6,
 * A7). Refused credentials get `X-Anonymous-Consumer` here, while the service sends neither header then
 * (service.md, A8).
 */
export function consumerHeaders(account: Account | undefined): Readonly<Record<string, string>> {
  return account === undefined ? { 'x-anonymous-consumer': 'true' } : { 'x-credential-username': account.id };
}
