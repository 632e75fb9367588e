import type { Answer } from '../http/answer.ts';
import type { Account } from '../state/accounts.ts';
import { activeAccount, type Identity } from '../state/identity.ts';

const ANONYMOUS = 'x-anonymous-consumer';

/** The header of an answer with the account of the caller, if any (service.md, A6, A7). */
export function consumerHeaders(account: Account | undefined): Readonly<Record<string, string>> {
  return account === undefined ? { [ANONYMOUS]: 'true' } : { 'x-credential-username': account.id };
}

/**
 * The answer to refused credentials: the content for anonymous readers, without their header
 * (service.md, A8).
 */
export function asRefused(answer: Answer, identity: Identity): Answer {
  if (identity.kind === 'anonymous' || activeAccount(identity) !== undefined) return answer;
  const { [ANONYMOUS]: _, ...headers } = answer.headers ?? {};
  return { ...answer, headers };
}
