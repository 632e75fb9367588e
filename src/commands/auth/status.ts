import { verifyApiKey, verifyRepository } from '../../api/account.ts';
import type { Context } from '../../cli/context.ts';
import { gone } from '../../credentials/find.ts';
import type { Credentials } from '../../credentials/resolve.ts';
import { toCliError } from '../../errors.ts';
import { normalizeBaseUrl } from '../../settings/settings.ts';
import { isWholeKey } from '../../text/parsers.ts';

export interface StatusOptions {
  readonly format: 'text' | 'json';
}

/** What is known of one credential. Never the credential itself. */
interface Status {
  readonly baseUrl: string;
  /** Null for a key of the environment that the service does not accept: it alone could tell. */
  readonly account: string | null;
  readonly kind: Credentials['kind'];
  readonly source: Credentials['source'];
  /** By which `keys` commands know an API key; null for what is not shaped like one. */
  readonly keyPrefix: string | null;
  /** Null when the service could not be asked. */
  readonly accepted: boolean | null;
  readonly message: string | null;
}

/** The exit code for credentials that are missing or refused. */
const NOT_ACCEPTED = 4;
const COLUMNS = ['base URL', 'account', 'kind', 'source', 'accepted'];

/**
 * Prints every credential of the environment and of the keychain, and whether the service accepts it. With a base
 * URL chosen for this run only those for it.
 * @returns the exit code: 4 when one is not accepted or there are none, 5 when the service could not be asked.
 */
export async function statusCommand(context: Context, { format }: StatusOptions): Promise<number> {
  const statuses: Status[] = [];
  const exitCodes: number[] = [];
  for (const finder of await finders(context)) {
    const { status, exitCode } = await examined(context, finder);
    statuses.push(status);
    exitCodes.push(exitCode);
  }
  if (statuses.length === 0) context.messages.note(`not logged in; ${context.suggest('auth', 'login')}`);
  // A table has its cells made safe already.
  const out = format === 'json' ? context.out : context.host.stdout;
  await out.write(await rendered(context, statuses, format));
  if (statuses.length === 0) return NOT_ACCEPTED;
  return exitCodes.includes(NOT_ACCEPTED) ? NOT_ACCEPTED : (exitCodes.find((code) => code !== 0) ?? 0);
}

interface Finder extends Omit<Status, 'keyPrefix' | 'accepted' | 'message'> {
  readonly credentials: () => Promise<Credentials>;
}

async function finders(context: Context): Promise<readonly Finder[]> {
  const baseUrl = normalizeBaseUrl(await context.baseUrl());
  const { repository, apiKey, problem } = await context.fromEnvironment();
  const environment = [apiKey, repository].flatMap((credentials) =>
    credentials === undefined
      ? []
      : {
          baseUrl,
          account: credentials.kind === 'repository' ? credentials.id : null,
          kind: credentials.kind,
          source: credentials.source,
          credentials: async () => credentials,
        },
  );
  const vault = await context.vault();
  const entries = (await vault.list()).filter(
    (entry) => !context.choosesBaseUrl || entry.baseUrl === baseUrl,
  );
  const stored = entries.map((entry) => ({
    baseUrl: entry.baseUrl,
    account: entry.account,
    kind: entry.kind,
    source: entry.place,
    credentials: async (): Promise<Credentials> => {
      const found = await vault.lookUp(entry);
      if (found === undefined) throw gone(entry);
      return entry.kind === 'api-key'
        ? { kind: entry.kind, key: found.secret, source: found.place }
        : { kind: entry.kind, id: entry.account, password: found.secret, source: found.place };
    },
  }));
  for (const { account, olderIn } of entries) {
    if (olderIn === undefined) continue;
    const where = olderIn === 'keychain' ? 'the keychain' : 'the file that is not encrypted';
    context.messages.note(
      `an older secret of ${account} may still be in ${where}; doi-cli auth logout erases it`,
    );
  }
  // Half of what was meant is worth more words than that there is nothing.
  if (environment.length + stored.length === 0 && problem !== undefined) throw problem;
  return [...environment, ...stored];
}

/** A status, and the exit code that it alone would give. */
async function examined(
  context: Context,
  { credentials, ...known }: Finder,
): Promise<{ status: Status; exitCode: number }> {
  let found: Credentials | undefined;
  try {
    found = await credentials();
    const service = await context.connect(found, { baseUrl: new URL(known.baseUrl) });
    let { account } = known;
    if (found.kind === 'repository') await verifyRepository(service);
    else account = await verifyApiKey(service, account ?? undefined);
    return {
      status: {
        ...known,
        account: known.account ?? account,
        source: found.source,
        keyPrefix: prefixOf(found),
        accepted: true,
        message: null,
      },
      exitCode: 0,
    };
  } catch (error) {
    if (context.host.signal.aborted) throw error;
    const { kind, message, exitCode } = toCliError(error);
    // A keychain that cannot be read says nothing about the service.
    const accepted = found !== undefined && kind === 'credentials' ? false : null;
    const keyPrefix = prefixOf(found);
    return { status: { ...known, keyPrefix, accepted, message: context.messages.clean(message) }, exitCode };
  }
}

/** The first 11 characters (specification, section 2.1), of what is certainly no password in the wrong place. */
function prefixOf(found: Credentials | undefined): string | null {
  return found?.kind === 'api-key' && isWholeKey(found.key) ? found.key.slice(0, 11) : null;
}

async function rendered(
  context: Context,
  statuses: readonly Status[],
  format: StatusOptions['format'],
): Promise<string> {
  if (format === 'json') return `${JSON.stringify(statuses, null, 2)}\n`;
  if (statuses.length === 0) return '';
  const { table } = await import('../../ui/table.ts');
  const rows = statuses.map(({ baseUrl, account, kind, source, accepted, message }) => {
    const word = accepted === true ? 'yes' : accepted === false ? 'no' : 'unknown';
    return [baseUrl, account ?? '?', kind, source, message === null ? word : `${word}: ${message}`];
  });
  return table(COLUMNS, rows, context.color && context.host.terminal.stdout);
}
