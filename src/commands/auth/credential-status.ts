import { verifyApiKey, verifyPassword, verifyReads } from '../../api/account.ts';
import { parseFrom } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { type Credentials, missingSecretError, readStored } from '../../credentials/resolve.ts';
import { toCliError } from '../../errors.ts';
import { normalizeBaseUrl, storeText } from '../../settings/settings.ts';
import { parseBaseUrl, shownPrefix } from '../../text/parsers.ts';

/** What is known of one credential. Never the credential itself. */
export interface CredentialStatus {
  readonly baseUrl: string;
  /** Null for a refused API key of the environment, because only the service knows its account. */
  readonly account: string | null;
  readonly kind: Credentials['kind'];
  readonly source: Credentials['source'];
  /** The prefix of an API key, as `keys` commands take it; null for anything else. */
  readonly keyPrefix: string | null;
  /** Null when the service could not be asked. */
  readonly accepted: boolean | null;
  readonly message: string | null;
}

/** A credential that is still to be read and verified. */
export interface UnverifiedCredential extends Omit<CredentialStatus, 'keyPrefix' | 'accepted' | 'message'> {
  readonly read: () => Promise<Credentials>;
}

/**
 * The credentials of the environment, and the stored ones.
 * @param all whether to include the stored ones for other services.
 * @throws {CliError} kind `credentials` when the only credential is half of one in the environment.
 */
export async function allCredentials(
  context: Context,
  all: boolean,
): Promise<readonly UnverifiedCredential[]> {
  const baseUrl = normalizeBaseUrl(await context.baseUrl());
  const { repository, apiKey, problem } = await context.fromEnvironment();
  const environment = [apiKey, repository].flatMap((credentials) => {
    if (credentials === undefined) return [];
    const { kind, source } = credentials;
    const account = kind === 'repository' ? credentials.id : null;
    return { baseUrl, account, kind, source, read: async () => credentials };
  });
  const vault = await context.vault();
  const entries = (await vault.list()).filter((entry) => all || entry.baseUrl === baseUrl);
  const stored = entries.map((entry) => {
    const { baseUrl, account, kind, place: source, olderIn } = entry;
    if (olderIn !== undefined) {
      context.messages.note(
        `an older secret of ${account} may still be in ${storeText(olderIn)}; doi-cli auth logout erases it`,
      );
    }
    const read = async () => {
      const credentials = await readStored(vault, entry);
      if (credentials === undefined) throw missingSecretError(entry);
      return credentials;
    };
    return { baseUrl, account, kind, source, read };
  });
  // An incomplete credential is a better answer than "not logged in".
  if (environment.length + stored.length === 0 && problem !== undefined) throw problem;
  return [...environment, ...stored];
}

/** The status of a credential, and the exit code that it alone would give. */
export async function verifyCredential(
  context: Context,
  { read, ...known }: UnverifiedCredential,
): Promise<{
  readonly status: CredentialStatus;
  readonly exitCode: number;
  readonly hint?: string | undefined;
}> {
  let { account } = known;
  let found: Credentials | undefined;
  try {
    // The settings may have been written by hand.
    const baseUrl = parseFrom('the base URL', known.baseUrl, parseBaseUrl);
    found = await read();
    const service = await context.connect(found, { baseUrl });
    if (found.kind === 'repository') {
      await verifyPassword(service, found.id);
      await verifyReads(service);
    } else account = (await verifyApiKey(service, account ?? undefined)) ?? account;
    const status = {
      ...known,
      account: known.account ?? account,
      source: found.source,
      keyPrefix: prefixOfFound(found),
      accepted: true,
      message: null,
    };
    return { status, exitCode: 0 };
  } catch (error) {
    if (context.host.signal.aborted) throw error;
    const { kind, message, exitCode, hint } = toCliError(error);
    // A keychain that cannot be read says nothing about the service.
    const accepted = found !== undefined && kind === 'credentials' ? false : null;
    const keyPrefix = prefixOfFound(found);
    return {
      status: { ...known, keyPrefix, accepted, message: context.messages.clean(message) },
      exitCode,
      hint,
    };
  }
}

function prefixOfFound(found: Credentials | undefined): string | null {
  return found?.kind === 'api-key' ? shownPrefix(found.key) : null;
}
