import type { Account } from '../state/accounts.ts';

/** Observed: the headers by which DOI endpoints say whether they know the caller, and as which account. */
export function consumerHeaders(account: Account | undefined): Readonly<Record<string, string>> {
  return account === undefined ? { 'x-anonymous-consumer': 'true' } : { 'x-credential-username': account.id };
}
