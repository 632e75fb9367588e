import { join } from 'node:path';
import type { SecretStore } from '../../src/credentials/keychain.ts';
import { KeychainError, type KeychainFailure } from '../../src/credentials/keychain.ts';
import type { RunOptions, RunResult } from './run.ts';
import { temporaryDirectory } from './temporary.ts';

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

type Run = (argv: readonly string[], options?: RunOptions) => Promise<RunResult>;

/** Has commands run with one keychain in memory and one folder for settings. */
export function withKeychain(runAs: Run) {
  const keychain = new MemoryKeychain();
  const folder = join(temporaryDirectory(), 'config');
  const run: Run = (argv, options = {}) =>
    runAs(argv, { keychain, ...options, env: { DOI_CLI_CONFIG_DIR: folder, ...options.env } });
  return { keychain, folder, run };
}
