import { type Available, best, type Credentials, type Need, withoutCredentials } from './resolve.ts';
import type { Vault } from './vault.ts';

export interface Places {
  /** What the environment holds. */
  readonly available: Available;
  /** What is kept; asked only where the environment does not have what is needed. */
  readonly vault: () => Promise<Vault>;
  /** In the spelling under which credentials are kept. */
  readonly baseUrl: () => Promise<string>;
}

/**
 * The credentials that `need` calls for: from the environment, else from where they are kept for this base URL and
 * account; undefined to read anonymously.
 * @throws {CliError} kind `credentials` when they are missing, or the keychain cannot be used.
 */
export async function findCredentials(need: Need, places: Places): Promise<Credentials | undefined> {
  const { available } = places;
  return best(need, available) ?? (await kept(need, places)) ?? withoutCredentials(need, available);
}

async function kept(need: Need, { available, vault, baseUrl }: Places): Promise<Credentials | undefined> {
  const { account } = available;
  if (account === undefined) return undefined;
  const [store, url] = [await vault(), await baseUrl()];
  for (const kind of need === 'keys' ? (['repository'] as const) : (['api-key', 'repository'] as const)) {
    const entry = await store.find({ baseUrl: url, kind, account });
    if (entry === undefined) continue;
    const secret = await store.read(entry);
    return kind === 'api-key'
      ? { kind, key: secret, source: entry.place }
      : { kind, id: account, password: secret, source: entry.place };
  }
  return undefined;
}
