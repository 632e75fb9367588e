import { join } from 'node:path';
import {
  changeSettings,
  configDirectory,
  type Profile,
  profileOf,
  readSettings,
  type Settings,
  type SettingsHost,
  STORES,
  type StoredCredential,
  type StoreKind,
  withProfile,
} from '../settings/settings.ts';
import { InsecureFile } from './insecure-file.ts';
import { KeychainError, type SecretStore } from './keychain.ts';

/** Identifies a credential: there is one for each base URL, kind and account. */
type CredentialId = Omit<StoredCredential, 'place' | 'olderIn'>;

interface VaultOptions extends SettingsHost {
  readonly openKeychain: () => Promise<SecretStore>;
  /** Reports a secret that cannot be erased. */
  readonly warn: (text: string) => void;
}

/**
 * The stored credentials: their secrets in a keychain or a file, and a list of them in the
 * settings. The settings are written before a secret is stored and after it is erased. So they list
 * every secret, whatever fails in between, and a keychain is asked only for secrets that it should
 * have.
 */
export class Vault {
  readonly #options: VaultOptions;
  #insecureFile: SecretStore | undefined;
  #keychain: SecretStore | undefined;

  constructor(options: VaultOptions) {
    this.#options = options;
  }

  get #file(): SecretStore {
    const folder = configDirectory(this.#options.env);
    this.#insecureFile ??= new InsecureFile(
      join(folder, 'insecure-credentials.json'),
      this.#options,
    );
    return this.#insecureFile;
  }

  /** The stored credentials; reads the settings only. */
  async list(): Promise<readonly StoredCredential[]> {
    return (await readSettings(this.#options.env)).stored;
  }

  /** One stored credential; reads the settings only. */
  async find(id: CredentialId): Promise<StoredCredential | undefined> {
    return (await this.list()).find(isCredential(id));
  }

  /**
   * The secret and its store, or an older secret if the newer was never stored; undefined without
   * either.
   */
  async lookUp(
    entry: StoredCredential,
  ): Promise<{ readonly secret: string; readonly store: StoreKind } | undefined> {
    for (const kind of storesOf(entry)) {
      const secret = await (await this.#store(kind)).get(secretName(entry));
      if (secret !== undefined) return { secret, store: kind };
    }
    return undefined;
  }

  /** Resolves if a secret could be stored there now. */
  async check(kind: StoreKind): Promise<void> {
    // The settings list every secret, so they need a folder.
    configDirectory(this.#options.env);
    await (await this.#store(kind)).check();
  }

  /**
   * Stores a secret and changes a profile, both or neither; then erases the same credential in the
   * other store.
   * @returns a function that restores the state before.
   * @throws {CliError} when nothing has changed.
   */
  async save(
    entry: StoredCredential,
    secret: string,
    profileName: string,
    profile: Profile,
  ): Promise<() => Promise<void>> {
    const name = secretName(entry);
    const { other } = STORES[entry.place];
    const before = await readSettings(this.#options.env);
    const earlier = before.stored.find(isCredential(entry));
    const store = await this.#store(entry.place);
    const earlierHere = earlier?.place === entry.place ? await store.get(name) : undefined;
    // When the user moves to the file, the keychain may not work, so only the file is read.
    const earlierInFile =
      other === 'insecure-file' && earlier?.place === other
        ? await this.#file.get(name)
        : undefined;
    const isInOther = earlier !== undefined && storesOf(earlier).includes(other);

    // Restore only this profile and credential: the rest may have changed since.
    const restoreSettings = () =>
      changeSettings(this.#options, (settings) => ({
        profiles: { ...settings.profiles, [profileName]: profileOf(before, profileName) ?? {} },
        stored: [
          ...withoutCredential(settings, entry).stored,
          ...(earlier === undefined ? [] : [earlier]),
        ],
      }));
    await changeSettings(this.#options, (settings) =>
      withProfile(
        withCredential(settings, entry, isInOther ? other : undefined),
        profileName,
        profile,
      ),
    );
    try {
      await store.set(name, secret);
    } catch (error) {
      // A keychain that did not answer may have stored the secret. Unless that can be undone, the
      // settings still list it.
      const inDoubt = error instanceof KeychainError && error.failure === 'hanging';
      if (!inDoubt || (await this.#resetKeychain(entry, earlierHere))) await restoreSettings();
      throw error;
    }
    await this.#eraseOlder(entry, other, isInOther);
    return async () => {
      if (earlierInFile !== undefined) await this.#file.set(name, earlierInFile);
      await put(store, name, earlierHere);
      await restoreSettings();
    };
  }

  /**
   * Erases a secret in every store, then removes the credential from the settings. If a store
   * fails, the settings still list it there.
   */
  async remove(entry: StoredCredential): Promise<void> {
    // The file is always searched: deleted settings do not list it.
    const kinds = new Set<StoreKind>([...storesOf(entry), 'insecure-file']);
    const failures = new Map<StoreKind, unknown>();
    for (const kind of kinds) {
      await this.#erase(entry, kind).catch((error: unknown) => failures.set(kind, error));
    }
    const [place, olderIn] = failures.keys();
    await changeSettings(this.#options, (settings) =>
      place === undefined
        ? withoutCredential(settings, entry)
        : withCredential(settings, { ...entry, place }, olderIn),
    );
    if (place !== undefined) throw failures.get(place);
  }

  /** Ends the keychain's process, if there is one. */
  async close(): Promise<void> {
    await this.#keychain?.close();
  }

  /**
   * Restores the earlier secret in a keychain that did not answer. @returns false if that also
   * fails.
   */
  async #resetKeychain(id: CredentialId, secret: string | undefined): Promise<boolean> {
    await this.close();
    this.#keychain = undefined;
    try {
      await put(await this.#store('keychain'), secretName(id), secret);
      return true;
    } catch (error) {
      this.#options.warn(
        `it is unknown which secret is stored for ${id.account} now: ${(error as Error).message}`,
      );
      return false;
    }
  }

  /**
   * Erases the replaced secret in the other store. A failure is only a warning, because the new
   * secret is stored; the settings then list the other store.
   */
  async #eraseOlder(entry: StoredCredential, other: StoreKind, isListed: boolean): Promise<void> {
    // The file is always searched: deleted settings do not list it.
    if (!isListed && other === 'keychain') return;
    let olderIn: StoreKind | undefined;
    try {
      await this.#erase(entry, other);
    } catch (error) {
      olderIn = other;
      this.#options.warn(
        `an older secret of ${entry.account} may still be in ${STORES[other].label}:` +
          ` ${(error as Error).message}; auth logout erases it when the store works again`,
      );
    }
    if (isListed === (olderIn !== undefined)) return;
    await changeSettings(this.#options, (settings) => withCredential(settings, entry, olderIn));
  }

  async #erase(id: CredentialId, kind: StoreKind): Promise<void> {
    await (await this.#store(kind)).delete(secretName(id));
  }

  async #store(kind: StoreKind): Promise<SecretStore> {
    if (kind === 'insecure-file') return this.#file;
    this.#keychain ??= await this.#options.openKeychain();
    return this.#keychain;
  }
}

/** Stores a secret under a name; deletes the stored one if the secret is undefined. */
async function put(store: SecretStore, name: string, secret: string | undefined): Promise<void> {
  if (secret === undefined) await store.delete(name);
  else await store.set(name, secret);
}

/**
 * The name of a secret in its store. Ids of repository accounts are case-insensitive (service.md,
 * A4).
 */
function secretName({ baseUrl, kind, account }: CredentialId): string {
  return `${baseUrl}|${kind}|${account.toLowerCase()}`;
}

function isCredential(id: CredentialId): (other: CredentialId) => boolean {
  const name = secretName(id);
  return (other) => secretName(other) === name;
}

function withoutCredential(settings: Settings, id: CredentialId): Settings {
  const isSame = isCredential(id);
  return { ...settings, stored: settings.stored.filter((other) => !isSame(other)) };
}

/**
 * The settings with a credential in its store, and maybe an older secret of it in the other store.
 */
function withCredential(
  settings: Settings,
  { baseUrl, kind, account, place }: StoredCredential,
  olderIn: StoreKind | undefined,
): Settings {
  const entry = { baseUrl, kind, account, place, ...(olderIn === undefined ? {} : { olderIn }) };
  return { ...settings, stored: [...withoutCredential(settings, entry).stored, entry] };
}

function storesOf({ place, olderIn }: StoredCredential): readonly StoreKind[] {
  return olderIn === undefined ? [place] : [place, olderIn];
}
