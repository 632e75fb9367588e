import { normalizeBaseUrl, type Profile, type StoreKind } from '../settings/settings.ts';
import type { Context } from './context.ts';
import { baseUrlOfProfile } from './services.ts';

/** A credential to store, and the repository account that it belongs to. */
export interface NewCredential {
  readonly kind: 'repository' | 'api-key';
  readonly account: string;
  readonly secret: string;
  readonly store: StoreKind;
}

/**
 * Stores a credential, and changes the profile to match the run: repository, mailto and base URL
 * (logout restores the base URL). @returns a function that undoes both.
 */
export async function storeCredential(
  context: Context,
  { kind, account, secret, store }: NewCredential,
): Promise<() => Promise<void>> {
  const baseUrl = normalizeBaseUrl(await context.services.baseUrl({ mayBeNew: true }));
  const before = await context.services.profile({ mayBeNew: true });
  const usual = normalizeBaseUrl(baseUrlOfProfile(before));
  const sameAccount = before.repository?.toLowerCase() === account.toLowerCase();
  const { mailto } = context.options;
  const changes: Profile = {
    ...(usual !== baseUrl && {
      'base-url': baseUrl,
      'base-url-before-login': before['base-url-before-login'] ?? before['base-url'] ?? '',
    }),
    ...(!sameAccount && { repository: account }),
    ...(mailto !== undefined && { mailto }),
  };
  const vault = await context.services.vault();
  const name = context.services.profileName;
  const undo = await vault.save({ baseUrl, kind, account, place: store }, secret, name, changes);
  if (usual !== baseUrl) {
    const { test, baseUrl: named } = context.options;
    const text = `the profile ${name} now uses ${baseUrl}, no longer ${usual}`;
    const back = context.suggest('config', 'set', 'base-url', usual);
    // A base URL from the environment was not typed for this command, so it deserves a warning.
    if (test || named !== undefined) context.messages.note(text);
    else
      context.messages.warn(`${text}, because DOI_CLI_BASE_URL is set; to change it back: ${back}`);
  }
  if (!sameAccount && before.repository !== undefined) {
    context.messages.note(
      `the profile ${name} now belongs to ${account}, no longer to ${before.repository}`,
    );
  }
  return undo;
}

/** Warns of variables that win over the stored credentials, or select another account. */
export function warnOfEnvironment(context: Context, account: string | undefined): void {
  const { env } = context.host;
  const names = ['DOI_CLI_PASSWORD', 'DOI_CLI_API_KEY'].filter((name) => env[name]);
  const { DOI_CLI_REPOSITORY: other } = env;
  if (names.length > 0) {
    const are = names.length === 1 ? 'is' : 'are';
    context.messages.warn(
      `${names.join(' and ')} ${are} set in the environment and used instead of stored credentials`,
    );
  } else if (account !== undefined && other && other.toLowerCase() !== account.toLowerCase()) {
    context.messages.warn(
      `DOI_CLI_REPOSITORY is set in the environment to ${other}:` +
        ` the credentials stored for ${account} are not used until it is unset`,
    );
  }
}
