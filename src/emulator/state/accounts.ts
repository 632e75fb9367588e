import { ownPrefix, SHARED_PREFIX } from '../records/clients.ts';

/** An account that can authenticate. */
export interface Account {
  /** In lower case: ids are case-insensitive (service.md, A4). */
  readonly id: string;
  /** The id in the spelling of the configuration. */
  readonly spelling: string;
  /** An id with a dot is a repository, an id without one a member (provider) (service.md, A13). */
  readonly kind: 'repository' | 'member';
  readonly providerId: string;
  /** Prefixes under which the account may create DOIs. */
  readonly prefixes: readonly string[];
  /** The hosts of its landing pages, with commas between; `*` is any (service.md, F15). */
  readonly domains: string;
  readonly password: string;
  readonly active: boolean;
}

/** The accounts of the emulator, by id. */
export class Accounts {
  readonly #byId = new Map<string, Account>();

  /**
   * @throws Error when the id or password cannot be sent with Basic authentication, or the id is
   * taken
   */
  add(spelling: string, password: string): Account {
    const id = spelling.toLowerCase();
    if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)?$/.test(id)) {
      throw new Error(
        `"${spelling}" is no account id: letters, digits, - and _, ` +
          'and at most one dot, as in DEMO.REPO',
      );
    }
    if (password === '') throw new Error(`the password of ${spelling} must not be empty`);
    if (this.#byId.has(id)) throw new Error(`there is already an account ${spelling}`);
    const kind = id.includes('.') ? 'repository' : 'member';
    const account: Account = {
      id,
      spelling,
      kind,
      providerId: id.split('.')[0] ?? id,
      prefixes: kind === 'repository' ? [SHARED_PREFIX, ownPrefix(id)] : [],
      domains: '*',
      password,
      active: true,
    };
    this.#byId.set(id, account);
    return account;
  }

  get(id: string): Account | undefined {
    return this.#byId.get(id.toLowerCase());
  }

  /** Returns false when there is no such account. */
  change(id: string, change: Partial<Pick<Account, 'password' | 'active' | 'domains'>>): boolean {
    const account = this.get(id);
    if (account === undefined) return false;
    this.#byId.set(account.id, { ...account, ...change });
    return true;
  }

  /** Returns false when there is no such account. */
  delete(id: string): boolean {
    return this.#byId.delete(id.toLowerCase());
  }

  all(): Account[] {
    return [...this.#byId.values()];
  }
}
