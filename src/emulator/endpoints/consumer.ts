import type { Account } from '../state/accounts.ts';

/** Observed: DOI endpoints tell by a header whether, and as whom, they know the caller. */
export function consumerHeaders(account: Account | undefined): Readonly<Record<string, string>> {
  return account === undefined ? { 'x-anonymous-consumer': 'true' } : { 'x-credential-username': account.id };
}
