import { join } from 'node:path';
import {
  changeSettings,
  configDirectory,
  type Place,
  type Profile,
  profileOf,
  readSettings,
  type Settings,
  type StoredCredential,
  withProfile,
} from '../config.ts';
import { CliError } from '../errors.ts';
import { InsecureFile } from './insecure-file.ts';
import { KeychainError, type SecretStore } from './keychain.ts';

/** Which credential is meant: one is kept for each base URL, kind and account. */
export type Entry = Omit<StoredCredential, 'place'>;

export interface VaultOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly openKeychain: () => Promise<SecretStore>;
  /** Told of what is kept and cannot be taken away. */
  readonly warn: (text: string) => void;
}

export const INSECURE_FILE = 'insecure-credentials.json';

/**
 * The credentials that are kept: the secrets in a keychain or file, and in the settings which ones there are.
 * The settings always know of every secret, whatever fails in between: they are written before a secret is kept,
 * and after it is erased. So nothing is asked of a keychain that has nothing to tell, and nothing is left behind
 * where nobody would look for it.
 */
export class Vault {
  readonly #options: VaultOptions;
  readonly #file: SecretStore;
  #keychain: SecretStore | undefined;

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#file = new InsecureFile(join(configDirectory(options.env), INSECURE_FILE));
  }

  /** The credentials that are kept, by the settings alone. */
  async list(): Promise<readonly StoredCredential[]> {
    return (await readSettings(this.#options.env)).stored;
  }

  /** What is kept under this name, by the settings alone. */
  async find(entry: Entry): Promise<StoredCredential | undefined> {
    return (await this.list()).find(same(entry));
  }

  /**
   * The secret itself.
   * @throws {CliError} kind `credentials` when the place cannot be used, or has lost it.
   */
  async read(entry: StoredCredential): Promise<string> {
    const secret = await (await this.#store(entry.place)).get(nameOf(entry));
    if (secret !== undefined) return secret;
    const what = entry.kind === 'repository' ? 'password' : 'API key';
    const place = entry.place === 'keychain' ? 'the keychain' : 'the file of credentials';
    throw new CliError('credentials', `${place} has no ${what} of ${entry.account} any more`, {
      hint: `doi-cli auth login --repository ${entry.account}${entry.kind === 'api-key' ? ' --api-key-stdin' : ''}`,
    });
  }

  /**
   * Resolves when a secret could be kept there now.
   * @throws {CliError} kind `credentials` when it could not.
   */
  async check(place: Place): Promise<void> {
    await (await this.#store(place)).check();
  }

  /**
   * Keeps a secret and changes a profile with it, both or neither; the same credential in another place is erased.
   * @returns a function that brings back what was there before.
   * @throws {CliError} when nothing has changed.
   */
  async save(
    entry: StoredCredential,
    secret: string,
    profileName: string,
    profile: Profile,
  ): Promise<() => Promise<void>> {
    const { env, warn } = this.#options;
    const before = await readSettings(env);
    const earlier = before.stored.find(same(entry));
    const store = await this.#store(entry.place);
    // A keychain that is left for a file is perhaps left because it cannot be reached.
    const leaving = earlier?.place === 'keychain' && entry.place !== 'keychain';
    const earlierStore = earlier === undefined || leaving ? undefined : await this.#store(earlier.place);
    const earlierSecret = await earlierStore?.get(nameOf(entry));
    await changeSettings(env, (settings) => withProfile(marked(settings, entry), profileName, profile));
    const undoSettings = () =>
      changeSettings(env, (settings) => ({
        profiles: { ...settings.profiles, [profileName]: profileOf(before, profileName) ?? {} },
        stored: earlier ? marked(settings, earlier).stored : unmarked(settings, entry).stored,
      }));
    try {
      await store.set(nameOf(entry), secret);
    } catch (error) {
      // After no answer it may be there all the same. Unless that can be undone, the settings go on telling of it.
      const inDoubt = error instanceof KeychainError && error.failure === 'hanging';
      if (!inDoubt || (await this.#putBack(entry, earlierSecret))) await undoSettings();
      throw error;
    }
    if (entry.place === 'keychain') {
      // The new secret is in its place: what cannot be erased of an older one must not look like a failure to store.
      await this.#file
        .delete(nameOf(entry))
        .catch((error: unknown) =>
          warn(`an older secret of ${entry.account} may still be in the file: ${(error as Error).message}`),
        );
    } else if (leaving) {
      await this.#eraseFromKeychain(entry).catch((error: unknown) =>
        warn(`an older secret of ${entry.account} may still be in the keychain: ${(error as Error).message}`),
      );
    }
    return async () => {
      if (earlierSecret !== undefined) await earlierStore?.set(nameOf(entry), earlierSecret);
      if (earlierSecret === undefined || earlierStore !== store) await store.delete(nameOf(entry));
      await undoSettings();
    };
  }

  /** Erases a secret wherever it is kept, and then what the settings know of it. */
  async remove(entry: StoredCredential): Promise<void> {
    if (entry.place === 'keychain') await this.#eraseFromKeychain(entry);
    await this.#file.delete(nameOf(entry));
    await changeSettings(this.#options.env, (settings) => unmarked(settings, entry));
  }

  /** Ends the keychain's process, if there is one. */
  async close(): Promise<void> {
    await this.#keychain?.close();
  }

  /** Brings the keychain back to an earlier secret, or to none, with a new process; false when that fails too. */
  async #putBack(entry: Entry, secret: string | undefined): Promise<boolean> {
    await this.close();
    this.#keychain = undefined;
    try {
      const keychain = await this.#store('keychain');
      if (secret === undefined) await keychain.delete(nameOf(entry));
      else await keychain.set(nameOf(entry), secret);
      return true;
    } catch (error) {
      this.#options.warn(
        `it is not known what is stored for ${entry.account} now: ${(error as Error).message}`,
      );
      return false;
    }
  }

  async #eraseFromKeychain(entry: Entry): Promise<void> {
    await (await this.#store('keychain')).delete(nameOf(entry));
  }

  async #store(place: Place): Promise<SecretStore> {
    if (place === 'insecure-file') return this.#file;
    this.#keychain ??= await this.#options.openKeychain();
    return this.#keychain;
  }
}

/** The account's name in the keychain. Ids of repository accounts are case-insensitive (observed). */
function nameOf({ baseUrl, kind, account }: Entry): string {
  return `${baseUrl}|${kind}|${account.toLowerCase()}`;
}

function same(entry: Entry): (other: Entry) => boolean {
  const name = nameOf(entry);
  return (other) => nameOf(other) === name;
}

function unmarked(settings: Settings, entry: Entry): Settings {
  const isEntry = same(entry);
  return { ...settings, stored: settings.stored.filter((other) => !isEntry(other)) };
}

function marked(settings: Settings, { baseUrl, kind, account, place }: StoredCredential): Settings {
  const others = unmarked(settings, { baseUrl, kind, account });
  return { ...others, stored: [...others.stored, { baseUrl, kind, account, place }] };
}
