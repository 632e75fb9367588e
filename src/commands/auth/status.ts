import { verifyApiKey, verifyPassword, verifyReads } from '../../api/account.ts';
import { parseFrom } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { printRows, type RowColumn } from '../../cli/print-rows.ts';
import { type Credentials, missingSecretError, readStored } from '../../credentials/resolve.ts';
import { toCliError } from '../../errors.ts';
import { normalizeBaseUrl, storeText } from '../../settings/settings.ts';
import { parseBaseUrl, shownPrefix, withoutCredentials } from '../../text/parsers.ts';

const COLUMNS: readonly RowColumn[] = [
  { name: 'base URL', least: 14, rank: 1 },
  { name: 'account', least: 12 },
  { name: 'kind', rank: 3 },
  { name: 'source', least: 11, rank: 2 },
  { name: 'accepted', least: 17, style: (cell) => (cell.startsWith('yes') ? 'green' : 'red') },
];

/** The exit code for credentials that are missing or refused. */
const NOT_ACCEPTED = 4;

/**
 * Prints every credential of the environment and of the stores, and whether the service accepts it. With a
 * base URL chosen for this run, only those for it.
 * @returns the exit code: 4 when one is refused or there are none, 5 when the service did not answer.
 */
export async function statusCommand(
  context: Context,
  { format }: { readonly format: 'text' | 'json' },
): Promise<number> {
  const { baseUrl: url, test, profile } = context.options;
  const { DOI_CLI_BASE_URL, DOI_CLI_PROFILE } = context.host.env;
  const isChosen = url || test || profile || DOI_CLI_BASE_URL || DOI_CLI_PROFILE;
  const statuses: CredentialStatus[] = [];
  const exitCodes: number[] = [];
  for (const credential of await allCredentials(context, !isChosen)) {
    const { status, exitCode } = await verifyCredential(context, credential);
    statuses.push({ ...status, baseUrl: withoutCredentials(status.baseUrl) });
    exitCodes.push(exitCode);
  }
  if (statuses.length === 0) context.messages.note(`not logged in; ${context.suggest('auth', 'login')}`);
  await printRows(context, format === 'text' ? 'table' : format, statuses, {
    columns: COLUMNS,
    cells: ({ baseUrl, account, kind, source, keyPrefix, accepted, message }) => {
      const word = accepted === null ? 'unknown' : accepted ? 'yes' : 'no';
      const what = keyPrefix === null ? kind : `${kind} ${keyPrefix}`;
      return [baseUrl, account ?? '?', what, source, message === null ? word : `${word}: ${message}`];
    },
  });
  if (statuses.length === 0) return NOT_ACCEPTED;
  return exitCodes.includes(NOT_ACCEPTED) ? NOT_ACCEPTED : (exitCodes.find((code) => code !== 0) ?? 0);
}

/** What is known of one credential. Never the credential itself. */
interface CredentialStatus {
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
