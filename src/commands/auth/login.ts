import { isUtf8 } from 'node:buffer';
import { verifyApiKey, verifyPassword } from '../../api/account.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import {
  type NewCredential,
  storeCredential,
  warnOfEnvironment,
} from '../../cli/store-credential.ts';
import { refuseBlank, type SourcedCredentials } from '../../credentials/resolve.ts';
import { CliError, usageError } from '../../errors.ts';
import { plainKey } from '../../settings/environment.ts';
import { normalizeBaseUrl } from '../../settings/settings.ts';
import { shownPrefix } from '../../text/api-key.ts';
import { parseFrom, parseRepository } from '../../text/parsers.ts';
import { askLine, readInput } from '../../ui/input.ts';
import type { login } from './index.ts';

type LoginOptions = OptionsOf<typeof login>;

const MAX_SECRET_BYTES = 16 * 1024;

/** Verifies a credential with the service and stores it if it is accepted. */
export async function loginCommand(context: Context, options: LoginOptions): Promise<void> {
  if (context.options.anonymous) throw usageError('--anonymous and auth login exclude each other');
  const baseUrl = normalizeBaseUrl(await context.services.baseUrl({ mayBeNew: true }));
  const store = options.insecureFile ? 'insecure-file' : 'keychain';
  const { kind, secret: secretFromEnv } = credentialToStore(context, options);
  // Check before the prompts: do not ask for a secret that cannot be stored.
  await (await context.services.vault()).check(store);
  const chosen = await chosenAccount(context, options, kind);
  const secret = secretFromEnv ?? (await readSecret(context, kind));
  // A key is the user name of HTTP Basic, which ends at the first colon (RFC 7617).
  if (kind === 'api-key' && secret.includes(':'))
    throw usageError('an API key cannot contain a colon');
  const account = options.skipVerify
    ? (chosen ?? '')
    : await verify(context, options, { kind, secret, chosen });
  context.host.signal.throwIfAborted();
  await storeCredential(context, { kind, account, secret, store });
  const what = kind === 'repository' ? '' : ' with an API key';
  const unverified = options.skipVerify ? ' (not verified)' : '';
  const where =
    store === 'keychain'
      ? 'stored in the keychain'
      : 'stored in a file that is not encrypted (doi-cli auth logout erases it)';
  const keyPrefix = kind === 'api-key' ? shownPrefix(secret) : null;
  const change = { outcome: 'stored', baseUrl, account, kind, source: store, keyPrefix };
  await context.printChange(options.format, { ...change, verified: !options.skipVerify });
  context.messages.note(`Logged in to ${baseUrl} as ${account}${what}${unverified}; ${where}`);
  warnOfEnvironment(context, account);
}

/**
 * The kind of credential, and its secret if it comes from the environment. The stdin options come
 * first.
 */
function credentialToStore(
  { host, interactive }: Context,
  { passwordStdin, apiKeyStdin }: LoginOptions,
): { readonly kind: NewCredential['kind']; readonly secret?: string } {
  refuseBlank(host.env);
  const { DOI_CLI_PASSWORD: password, DOI_CLI_API_KEY: key } = host.env;
  if (apiKeyStdin) return { kind: 'api-key' };
  if (passwordStdin) return { kind: 'repository' };
  if (password && interactive) {
    // A person who logs in on a terminal expects to be asked.
    throw usageError(
      'DOI_CLI_PASSWORD is set in the environment, and used before any stored password',
      'unset DOI_CLI_PASSWORD',
    );
  }
  if (password) return { kind: 'repository', secret: password };
  if (interactive) return { kind: 'repository' };
  if (key) return { kind: 'api-key', secret: key };
  throw usageError(
    'there is no terminal to ask for the password',
    'pipe it in with --password-stdin or --api-key-stdin',
  );
}

/** A secret from stdin without its line end, or from a hidden prompt; all output masks it. */
async function readSecret(context: Context, kind: NewCredential['kind']): Promise<string> {
  const what = kind === 'repository' ? 'password' : 'API key';
  let secret: string;
  if (!context.host.terminal.stdin) {
    const bytes = await readInput(context, context.host.stdin, 'stdin', MAX_SECRET_BYTES);
    if (!isUtf8(bytes)) throw usageError(`the ${what} on stdin is not UTF-8`);
    // Windows ends lines with two characters.
    secret = bytes.toString().replace(/\r?\n$/, '');
  } else if (context.interactive) {
    secret = await askLine(context, kind === 'repository' ? 'Password:' : 'API key:', {
      hidden: true,
    });
  } else {
    const option = kind === 'repository' ? '--password-stdin' : '--api-key-stdin';
    throw usageError(`the ${what} cannot be asked for here`, `pipe it in: ${option} < file`);
  }
  context.redactor.addSecret(secret);
  if (kind === 'api-key') secret = plainKey(secret);
  if (secret === '') {
    throw new CliError('credentials', `the ${what} on stdin is empty`, {
      hint: 'pipe it in from a file that contains it',
    });
  }
  if (secret.includes('\n')) throw usageError(`the ${what} on stdin has more than one line`);
  if (secret.includes('\0')) throw usageError(`the ${what} on stdin contains a NUL character`);
  return secret;
}

/**
 * The repository account to log in as; optional for an API key, whose account the service knows.
 */
async function chosenAccount(
  context: Context,
  { repository, skipVerify }: LoginOptions,
  kind: NewCredential['kind'],
): Promise<string | undefined> {
  let account = repository;
  if (kind === 'repository') {
    const profile = await context.services.profile({ mayBeNew: true });
    account ??= context.host.env['DOI_CLI_REPOSITORY'] || profile.repository;
    if (context.interactive) account ??= await askLine(context, 'Repository account id:');
  }
  if (account?.trim()) return parseFrom('the repository account', account.trim(), parseRepository);
  if (kind === 'api-key' && !skipVerify) return undefined;
  throw usageError(
    'the repository account is missing',
    'add it: --repository <id>, such as DEMO.REPO',
  );
}

async function verify(
  context: Context,
  { insecureFile }: LoginOptions,
  {
    kind,
    secret,
    chosen,
  }: Pick<NewCredential, 'kind' | 'secret'> & { readonly chosen: string | undefined },
): Promise<string> {
  const isPassword = kind === 'repository';
  const id = chosen ?? '';
  const source = 'this-run';
  const credentials: SourcedCredentials = isPassword
    ? { kind, id, password: secret, source }
    : { kind, key: secret, source };
  const service = await context.services.connect(credentials, {
    baseUrl: await context.services.baseUrl({ mayBeNew: true }),
  });
  try {
    if (isPassword) {
      await verifyPassword(service, id);
      return id;
    }
    const account = await verifyApiKey(service, chosen);
    // The service returns accounts in lower case; keep the user's spelling.
    if (account !== undefined) return chosen ?? account;
    throw new CliError('credentials', 'no answer names its account', {
      hint: 'if you are sure of the account: --repository <id> --skip-verify',
    });
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'credentials') throw error;
    const subject = isPassword ? `the password of ${id}` : 'the API key';
    const refused = `${subject} was not accepted, and is not stored`;
    if (error.status !== 401) throw error.with({ message: `${refused}: ${error.message}` });
    // Usually it is mistyped, or belongs to the other system.
    const which = isPassword ? ['--repository', id] : ['--api-key-stdin'];
    const again = ['auth', 'login', ...which, ...(insecureFile ? ['--insecure-file'] : [])];
    throw error.with({
      message: `${refused}: ${service.http.baseUrl.origin} answered with HTTP 401`,
      hint: context.suggest(...again),
    });
  }
}
