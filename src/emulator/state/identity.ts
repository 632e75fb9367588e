import { timingSafeEqual } from 'node:crypto';
import type { Account, Accounts } from './accounts.ts';
import type { ApiKey, ApiKeys } from './api-keys.ts';

/** Where an API key was found in the request. */
type KeyScheme = 'api-key-as-username' | 'api-key-as-password' | 'bearer';

/**
 * The sender of a request; `refused` for credentials that are not valid, `unreadable` for a token
 * that is not valid.
 */
export type Identity =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'account'; readonly account: Account; readonly scheme: 'basic' }
  | {
      readonly kind: 'api-key';
      readonly account: Account;
      readonly scheme: KeyScheme;
      readonly key: ApiKey;
    };

const REFUSED: Identity = { kind: 'refused' };

/**
 * Reads the Authorization header: Basic with an account id and a password, or an API key. The key
 * is a Basic user name with any password, the password of its account, or a token of another scheme
 * (service.md, A1, A2, A3, A14).
 */
export function identify(header: string | undefined, accounts: Accounts, keys: ApiKeys): Identity {
  const [scheme = '', credentials = ''] = (header ?? '').trim().split(/\s+/);
  if (credentials === '') return { kind: 'anonymous' };
  const byKey = (text: string, how: KeyScheme, owner?: Account): Identity => {
    const key = keys.authenticate(text);
    const account = key === undefined ? undefined : accounts.get(key.accountId);
    if (key === undefined || account?.active !== true) return REFUSED;
    if (owner !== undefined && owner.id !== account.id) return REFUSED;
    return { kind: 'api-key', account, scheme: how, key };
  };
  if (scheme.toLowerCase() !== 'basic') {
    const identity = byKey(credentials, 'bearer');
    return identity === REFUSED ? { kind: 'unreadable' } : identity;
  }
  const text = Buffer.from(credentials, 'base64').toString();
  const colon = text.indexOf(':');
  const [username, password] =
    colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  if (/^DC\./i.test(username) && username.length > 20)
    return byKey(username, 'api-key-as-username');
  const account = accounts.get(username);
  if (account === undefined) return REFUSED;
  if (sameText(password, account.password)) return { kind: 'account', account, scheme: 'basic' };
  return account.kind === 'repository' ? byKey(password, 'api-key-as-password', account) : REFUSED;
}

/** The account of accepted credentials, even if it is deactivated. */
export function knownAccount(identity: Identity): Account | undefined {
  return 'account' in identity ? identity.account : undefined;
}

/**
 * The account for requests that read DOIs: wrong, revoked and inactive credentials count as
 * anonymous (service.md, A8).
 */
export function activeAccount(identity: Identity): Account | undefined {
  const account = knownAccount(identity);
  return account?.active ? account : undefined;
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
