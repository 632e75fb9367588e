import { CliError } from '../errors.ts';
import type { StoredCredential } from '../settings/settings.ts';
import { type Available, best, type Credentials, type Need, withoutCredentials } from './resolve.ts';
import type { Vault } from './vault.ts';

interface Places {
  /** What the environment holds. */
  readonly available: Available;
  /** What is kept; asked only where the environment does not have what is needed. */
  readonly vault: () => Promise<Vault>;
  /** In the spelling under which credentials are kept. */
  readonly baseUrl: () => Promise<string>;
  /** Told that another credential is used than the settings promise. */
  readonly note: (text: string) => void;
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

async function kept(
  need: Need,
  { available, vault, baseUrl, note }: Places,
): Promise<Credentials | undefined> {
  const { account } = available;
  if (account === undefined) return undefined;
  const [store, url] = [await vault(), await baseUrl()];
  let lost: CliError | undefined;
  for (const kind of need === 'keys' ? (['repository'] as const) : (['api-key', 'repository'] as const)) {
    const entry = await store.find({ baseUrl: url, kind, account });
    if (entry === undefined) continue;
    const found = await store.lookUp(entry);
    if (found === undefined) {
      // A run that was killed before it could store, or somebody who erased it: the next best will do.
      lost ??= gone(entry);
      continue;
    }
    if (lost !== undefined) note(`${lost.message}, so its password is used; to store one: ${lost.hint}`);
    return kind === 'api-key'
      ? { kind, key: found.secret, source: found.place }
      : { kind, id: account, password: found.secret, source: found.place };
  }
  if (lost !== undefined) throw lost;
  return undefined;
}

/** The error for a secret that the settings tell of and that is nowhere. */
export function gone({ kind, account, place }: StoredCredential): CliError {
  const what = kind === 'repository' ? 'password' : 'API key';
  const where = place === 'keychain' ? 'the keychain' : 'the file of credentials';
  return new CliError('credentials', `${where} has no ${what} of ${account} any more`, {
    hint: `doi-cli auth login --repository ${account}${kind === 'api-key' ? ' --api-key-stdin' : ''}`,
  });
}
