import { verifyApiKey, verifyPassword, verifyReads } from '../../api/account.ts';
import { isMember, type Organization, readOrganization } from '../../api/repositories.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { printRows } from '../../cli/print-rows.ts';
import {
  missingSecretError,
  readStored,
  type SourcedCredentials,
} from '../../credentials/resolve.ts';
import { type CliError, toCliError } from '../../errors.ts';
import { normalizeBaseUrl, STORES } from '../../settings/settings.ts';
import { shownPrefix } from '../../text/api-key.ts';
import { parseFrom } from '../../text/parsers.ts';
import { visible } from '../../text/redact.ts';
import { parseApiUrl, withoutCredentials } from '../../text/url.ts';
import { wrap } from '../../ui/width.ts';
import type { status } from './index.ts';

const NOT_ACCEPTED = 4;

/**
 * Prints each credential and whether the service accepts it; if the run chooses a base URL or
 * profile, only the credentials for that URL. @returns the exit code.
 */
export async function statusCommand(
  context: Context,
  { format }: OptionsOf<typeof status>,
): Promise<number> {
  const { baseUrl: url, test, profile } = context.options;
  const { DOI_CLI_BASE_URL, DOI_CLI_PROFILE } = context.host.env;
  const isChosen = url || test || profile || DOI_CLI_BASE_URL || DOI_CLI_PROFILE;
  const statuses: CredentialStatus[] = [];
  for (const credential of await allCredentials(context, !isChosen)) {
    statuses.push(await verifyCredential(context, credential));
  }
  const accounts = await accountsOf(context, statuses);
  if (statuses.length === 0)
    context.messages.note(`not logged in; ${context.suggest('auth', 'login')}`);
  await printRows(context, format === 'text' ? 'table' : format, statuses, {
    columns: [
      { name: 'base URL', least: 14, rank: 1 },
      { name: 'account', least: 12 },
      { name: 'kind', rank: 3 },
      { name: 'source', least: 11, rank: 2 },
      { name: 'accepted', style: (cell) => (cell === 'yes' ? 'green' : 'red') },
    ],
    cells: ({ baseUrl, account, kind, source, keyPrefix, accepted }) => {
      const what = keyPrefix === null ? kind : `${kind} ${keyPrefix}`;
      return [baseUrl, account ?? '?', what, source, wordFor(accepted)];
    },
    object: ({ error: _, ...status }) => {
      const { name = null, prefixes = null, domains } = accounts.get(keyOf(status)) ?? {};
      return { ...status, name, prefixes, domains: domains ?? (prefixes && ['*']) };
    },
  });
  if (format === 'text') {
    // In a cell of a narrow terminal, a reason would be cut.
    for (const { message, error } of statuses) {
      if (message === null) continue;
      const { stdout, columns } = context.host.terminal;
      const room = stdout && columns > 0 ? columns : Number.POSITIVE_INFINITY;
      for (const line of wrap(visible(message), room)) await context.printLine(line);
      if (error?.hint !== undefined) context.messages.note(`hint: ${error.hint}`);
    }
    for (const line of [...new Set(accounts.values())].flatMap(accountLines))
      await context.printLine(line);
  }
  const codes = statuses.flatMap(({ error }) => error?.exitCode ?? []);
  return statuses.length === 0 || codes.includes(NOT_ACCEPTED) ? NOT_ACCEPTED : (codes[0] ?? 0);
}

const keyOf = ({ baseUrl, account }: Pick<KnownCredential, 'baseUrl' | 'account'>) =>
  `${baseUrl} ${account?.toLowerCase()}`;

async function accountsOf(
  context: Context,
  statuses: readonly CredentialStatus[],
): Promise<ReadonlyMap<string, Organization>> {
  const accounts = new Map<string, Organization>();
  for (const status of statuses) {
    const { accepted, account, baseUrl } = status;
    if (!accepted || account === null || accounts.has(keyOf(status))) continue;
    const service = await context.services.connect(undefined, { baseUrl: parseApiUrl(baseUrl) });
    const what = isMember(account) ? 'providers' : 'repositories';
    const organization = await readOrganization(service, what, account, 0).catch(
      (thrown: unknown) => {
        if (context.host.signal.aborted) throw thrown;
        return undefined;
      },
    );
    if (organization !== undefined) accounts.set(keyOf(status), organization);
  }
  return accounts;
}

function wordFor(accepted: boolean | null): string {
  if (accepted === null) return 'unknown';
  return accepted ? 'yes' : 'no';
}

/** `demo.repo: Demonstration Repository`, and below it the prefixes and domains of a repository. */
function accountLines({ id, name, prefixes, domains }: Organization): readonly string[] {
  const below = prefixes && [
    `  prefixes: ${prefixes.join(', ') || 'none'}`,
    `  landing pages: ${domains?.join(', ') ?? 'any domain'}`,
  ];
  return [`${id}: ${name ?? 'no name'}`, ...(below ?? [])].map((text) => visible(text));
}

interface KnownCredential {
  readonly baseUrl: string;
  /** Null for an API key from the environment, whose account only the service knows. */
  readonly account: string | null;
  readonly kind: SourcedCredentials['kind'];
  readonly source: SourcedCredentials['source'];
}

export interface UnverifiedCredential extends KnownCredential {
  readonly read: () => Promise<SourcedCredentials>;
}

export interface CredentialStatus extends KnownCredential {
  /** The prefix of an API key, as `keys` commands take it; null otherwise. */
  readonly keyPrefix: string | null;
  readonly accepted: boolean | null;
  readonly message: string | null;
  readonly error: CliError | undefined;
}

/** The credentials in the environment and the stored ones; with `all`, also for other services. */
export async function allCredentials(
  context: Context,
  all: boolean,
): Promise<readonly UnverifiedCredential[]> {
  const runUrl = normalizeBaseUrl(await context.services.baseUrl());
  const { repository, apiKey, problem } = await context.services.fromEnvironment();
  const known: UnverifiedCredential[] = [];
  for (const credentials of [apiKey, repository]) {
    if (credentials === undefined) continue;
    const { kind, source } = credentials;
    const account = kind === 'repository' ? credentials.id : null;
    known.push({ baseUrl: runUrl, account, kind, source, read: async () => credentials });
  }
  const vault = await context.services.vault();
  for (const entry of await vault.list()) {
    const { baseUrl, account, kind, place: source, olderIn } = entry;
    if (!all && baseUrl !== runUrl) continue;
    if (olderIn !== undefined) {
      context.messages.note(
        `an older secret of ${account} may still be in ${STORES[olderIn].label};` +
          ' doi-cli auth logout erases it',
      );
    }
    const read = async () => {
      const credentials = await readStored(vault, entry);
      if (credentials === undefined) throw missingSecretError(entry);
      return credentials;
    };
    known.push({ baseUrl, account, kind, source, read });
  }
  // An incomplete credential is a better answer than "not logged in".
  if (known.length === 0 && problem !== undefined) throw problem;
  return known;
}

/** Asks the service whether it accepts a credential. @throws the stop reason when interrupted. */
export async function verifyCredential(
  context: Context,
  { read, baseUrl: url, account, kind, source }: UnverifiedCredential,
): Promise<CredentialStatus> {
  let credentials: SourcedCredentials | undefined;
  let owner = account;
  let error: CliError | undefined;
  try {
    // The settings may have been written by hand.
    const baseUrl = parseFrom('the base URL', url, parseApiUrl);
    credentials = await read();
    const service = await context.services.connect(credentials, { baseUrl });
    if (credentials.kind === 'repository') {
      await verifyPassword(service, credentials.id);
      await verifyReads(service);
    } else {
      const verified = await verifyApiKey(service, account ?? undefined);
      owner ??= verified ?? null;
    }
  } catch (thrown) {
    if (context.host.signal.aborted) throw thrown;
    error = toCliError(thrown);
  }
  // If the keychain cannot be read, the service has refused nothing.
  const isRefused = credentials !== undefined && error?.kind === 'credentials';
  const isAccepted = error === undefined ? true : null;
  return {
    baseUrl: withoutCredentials(url),
    account: owner,
    kind,
    source: credentials?.source ?? source,
    keyPrefix: credentials?.kind === 'api-key' ? shownPrefix(credentials.key) : null,
    accepted: isRefused ? false : isAccepted,
    message: error === undefined ? null : context.messages.clean(error.message),
    error,
  };
}
