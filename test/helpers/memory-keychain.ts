import type { SecretStore } from '../../src/credentials/keychain.ts';
import { KeychainError, type KeychainFailure } from '../../src/credentials/keychain.ts';

type Operation = 'get' | 'set' | 'delete' | 'check';

/** A keychain in memory that fails on demand and records its operations. */
export class MemoryKeychain implements SecretStore {
  readonly secrets = new Map<string, string>();
  readonly asked: Operation[] = [];
  /** The operations that fail, and how. */
  failing: { readonly [Name in Operation]?: KeychainFailure } = {};

  async get(account: string): Promise<string | undefined> {
    this.#ask('get');
    return this.secrets.get(account);
  }

  async set(account: string, secret: string): Promise<void> {
    this.#ask('set');
    this.secrets.set(account, secret);
  }

  async delete(account: string): Promise<boolean> {
    this.#ask('delete');
    return this.secrets.delete(account);
  }

  async check(): Promise<void> {
    this.#ask('check');
  }

  async close(): Promise<void> {}

  #ask(operation: Operation): void {
    this.asked.push(operation);
    const failure = this.failing[operation];
    if (failure !== undefined) throw new KeychainError(failure, 'as the test wants it');
  }
}
