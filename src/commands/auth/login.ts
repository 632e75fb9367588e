import { verifyApiKey, verifyRepository } from '../../api/account.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import type { Place } from '../../settings/settings.ts';
import { normalizeBaseUrl } from '../../settings/settings.ts';
import { parseRepository } from '../../text/parsers.ts';
import { askLine } from '../../ui/prompt.ts';
import { promptedSecret, secretFromStdin } from './secrets.ts';
import { type Kept, keep, warnOfEnvironment } from './store.ts';

export interface LoginOptions {
  readonly repository?: string;
  readonly passwordStdin?: boolean;
  readonly apiKeyStdin?: boolean;
  readonly skipVerify?: boolean;
  readonly insecureFile?: boolean;
}

/**
 * Proves a credential with the service and then keeps it. What the service does not accept is not kept.
 * @throws {CliError} kind `usage` when something is missing that cannot be asked for, kind `credentials` when the
 *   service refuses or the keychain cannot be used.
 */
export async function loginCommand(context: Context, options: LoginOptions): Promise<void> {
  if (context.options.anonymous) throw usageError('--anonymous and auth login exclude each other');
  if (options.passwordStdin && options.apiKeyStdin) {
    throw usageError('--password-stdin and --api-key-stdin exclude each other: stdin holds one of them');
  }
  const baseUrl = normalizeBaseUrl(await context.baseUrl({ mayBeNew: true }));
  const place: Place = options.insecureFile ? 'insecure-file' : 'keychain';
  const source = secretSource(context, options);
  const named = await nameOfAccount(context, options, source);
  // Nobody wants to type a password and then hear that it cannot be kept.
  await (await context.vault()).check(place);
  const secret = await source.secret();
  // It is the username of HTTP Basic, which a colon ends (RFC 7617).
  if (source.kind === 'api-key' && secret.includes(':'))
    throw usageError('an API key cannot contain a colon');
  const kept: Kept = { kind: source.kind, account: named ?? '', secret, place };
  const account = options.skipVerify ? kept.account : await prove(context, kept, named);
  context.host.signal.throwIfAborted();
  await keep(context, { ...kept, account });
  const what = kept.kind === 'repository' ? '' : ' with an API key';
  context.messages.note(`Logged in to ${baseUrl} as ${account}${what}${unproven(options)}; ${placed(place)}`);
  warnOfEnvironment(context, { ...kept, account });
}

interface SecretSource {
  readonly kind: Kept['kind'];
  /** The account that the environment gives together with the secret. */
  readonly account?: string;
  readonly secret: () => Promise<string>;
}

/** Where the secret comes from: stdin if an option says so, else the environment, else a hidden prompt. */
function secretSource(context: Context, { passwordStdin, apiKeyStdin }: LoginOptions): SecretSource {
  const { env } = context.host;
  const { DOI_CLI_PASSWORD: password, DOI_CLI_API_KEY: key } = env;
  if (passwordStdin) return { kind: 'repository', secret: () => secretFromStdin(context, 'password') };
  if (apiKeyStdin) return { kind: 'api-key', secret: () => secretFromStdin(context, 'API key') };
  if (password) return { kind: 'repository', secret: async () => password };
  if (context.interactive) return { kind: 'repository', secret: () => promptedSecret(context, 'password') };
  if (key) return { kind: 'api-key', secret: async () => key };
  throw usageError(
    'there is no terminal to ask for the password on',
    'pipe it in with --password-stdin or --api-key-stdin, or set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD',
  );
}

/** The repository account to log in as; an API key needs none, because the service names it. */
async function nameOfAccount(
  context: Context,
  options: LoginOptions,
  { kind }: SecretSource,
): Promise<string | undefined> {
  const { repository } = await context.profile({ mayBeNew: true });
  const fromEnv = context.host.env['DOI_CLI_REPOSITORY'];
  let account = options.repository ?? (kind === 'repository' ? fromEnv || repository : undefined);
  if (account === undefined && kind === 'repository' && context.interactive) {
    account = await askLine(context, 'Repository account id:');
  }
  account = account?.trim();
  if (!account && (kind === 'repository' || options.skipVerify)) {
    throw usageError('the repository account is missing', 'name it with --repository, such as DEMO.REPO');
  }
  try {
    return account && parseRepository(account);
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

/** @returns the account that the credential belongs to. */
async function prove(context: Context, { kind, secret }: Kept, named: string | undefined): Promise<string> {
  const source = 'environment';
  const baseUrl = await context.baseUrl({ mayBeNew: true });
  if (kind === 'repository') {
    const id = named ?? '';
    const service = await context.connect({ kind, id, password: secret, source }, { baseUrl });
    await verifyRepository(service).catch(refused(`the password of ${id}`));
    return id;
  }
  const service = await context.connect({ kind, key: secret, source }, { baseUrl });
  const account = await verifyApiKey(service, named).catch(refused('the API key'));
  // The service spells accounts in lower case; people do not.
  return named ?? account;
}

function refused(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CliError) || error.kind !== 'credentials') throw error;
    throw new CliError('credentials', `${what} was not accepted, and is not stored: ${error.message}`, {
      ...(error.status === undefined ? {} : { status: error.status }),
      cause: error,
    });
  };
}

function unproven({ skipVerify }: LoginOptions): string {
  return skipVerify ? ' (not verified)' : '';
}

function placed(place: Place): string {
  return place === 'keychain'
    ? 'stored in the keychain'
    : 'stored in a file that is not encrypted (doi-cli auth logout erases it)';
}
