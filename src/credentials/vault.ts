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
} from '../settings/settings.ts';
import { InsecureFile } from './insecure-file.ts';
import { KeychainError, type SecretStore } from './keychain.ts';

/** Which credential is meant: one is kept for each base URL, kind and account. */
type Entry = Omit<StoredCredential, 'place' | 'olderIn'>;

interface VaultOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly openKeychain: () => Promise<SecretStore>;
  /** Told of what is kept and cannot be taken away. */
  readonly warn: (text: string) => void;
}

const INSECURE_FILE = 'insecure-credentials.json';

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
   * The secret and where it was; the older one where a newer never arrived. Undefined when all places have lost it.
   * @throws {CliError} kind `credentials` when a place cannot be used.
   */
  async lookUp(
    entry: StoredCredential,
  ): Promise<{ readonly secret: string; readonly place: Place } | undefined> {
    for (const place of placesOf(entry)) {
      const secret = await (await this.#store(place)).get(nameOf(entry));
      if (secret !== undefined) return { secret, place };
    }
    return undefined;
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
    const { env } = this.#options;
    const before = await readSettings(env);
    const earlier = before.stored.find(same(entry));
    const store = await this.#store(entry.place);
    const other: Place = entry.place === 'keychain' ? 'insecure-file' : 'keychain';
    const olderThere = earlier !== undefined && placesOf(earlier).includes(other);
    // A keychain that is left for a file is perhaps left because it cannot be reached.
    const leaving = other === 'keychain' && earlier?.place === other;
    const earlierStore = earlier === undefined || leaving ? undefined : await this.#store(earlier.place);
    const earlierSecret = await earlierStore?.get(nameOf(entry));
    const here = marked(entry, olderThere ? other : undefined);
    await changeSettings(env, (settings) => withProfile(here(settings), profileName, profile));
    const undoSettings = () =>
      changeSettings(env, (settings) => ({
        profiles: { ...settings.profiles, [profileName]: profileOf(before, profileName) ?? {} },
        stored: (earlier ? marked(earlier, earlier.olderIn)(settings) : unmarked(settings, entry)).stored,
      }));
    try {
      await store.set(nameOf(entry), secret);
    } catch (error) {
      // After no answer it may be there all the same. Unless that can be undone, the settings go on telling of it.
      const inDoubt = error instanceof KeychainError && error.failure === 'hanging';
      const earlierHere = earlierStore === store ? earlierSecret : undefined;
      if (!inDoubt || (await this.#putBack(entry, earlierHere))) await undoSettings();
      throw error;
    }
    // The file is looked into in any case: settings that were removed do not tell of it.
    const olderIn =
      olderThere || other === 'insecure-file' ? await this.#eraseOlder(entry, other) : undefined;
    if (olderThere !== (olderIn !== undefined)) await changeSettings(env, marked(entry, olderIn));
    return async () => {
      if (earlierSecret !== undefined) await earlierStore?.set(nameOf(entry), earlierSecret);
      if (earlierSecret === undefined || earlierStore !== store) await store.delete(nameOf(entry));
      await undoSettings();
    };
  }

  /**
   * Erases a secret wherever it is kept, and then what the settings know of it. They go on telling of what could not
   * be erased.
   * @throws {CliError} when a place cannot be used.
   */
  async remove(entry: StoredCredential): Promise<void> {
    // The file is looked into in any case: settings that were removed do not tell of it.
    const places = new Set<Place>([...placesOf(entry), 'insecure-file']);
    const failures = new Map<Place, unknown>();
    for (const place of places) {
      await this.#erase(entry, place).catch((error: unknown) => failures.set(place, error));
    }
    const [place, olderIn] = failures.keys();
    await changeSettings(this.#options.env, (settings) =>
      place === undefined ? unmarked(settings, entry) : marked({ ...entry, place }, olderIn)(settings),
    );
    if (place !== undefined) throw failures.get(place);
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

  /**
   * Erases what a new secret has replaced in the other place. That it cannot be erased must not look like a failure
   * to store.
   * @returns where it may be still.
   */
  async #eraseOlder(entry: StoredCredential, other: Place): Promise<Place | undefined> {
    try {
      await this.#erase(entry, other);
      return undefined;
    } catch (error) {
      const where = other === 'keychain' ? 'the keychain' : 'the file';
      this.#options.warn(
        `an older secret of ${entry.account} may still be in ${where}: ${(error as Error).message};` +
          ' auth logout erases it once that works',
      );
      return other;
    }
  }

  async #erase(entry: Entry, place: Place): Promise<void> {
    await (await this.#store(place)).delete(nameOf(entry));
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

/** Tells the settings where the credential is kept, and where an older secret of it may be. */
function marked(
  { baseUrl, kind, account, place }: StoredCredential,
  olderIn: Place | undefined,
): (settings: Settings) => Settings {
  const entry = { baseUrl, kind, account, place, ...(olderIn === undefined ? {} : { olderIn }) };
  return (settings) => ({ ...settings, stored: [...unmarked(settings, entry).stored, entry] });
}

function placesOf({ place, olderIn }: StoredCredential): readonly Place[] {
  return olderIn === undefined ? [place] : [place, olderIn];
}
