import { accountOf } from '../../api/account.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { runCommand } from '../../cli/run-command.ts';
import type { SourcedCredentials } from '../../credentials/resolve.ts';
import { CliError, usageError } from '../../errors.ts';
import { SECRETS } from '../../settings/environment.ts';
import { normalizeBaseUrl } from '../../settings/settings.ts';
import type { exec } from './index.ts';

/**
 * Runs a program with the credentials of the profile in its environment. Neither output nor
 * argument lists contain them. @returns its exit code; after a signal the same as a shell's.
 */
export async function execCommand(
  context: Context,
  command: string,
  args: readonly string[],
  { as: [username, password] }: OptionsOf<typeof exec>,
): Promise<number> {
  const credentials = await context.services.credentials('exec');
  if (credentials === undefined) throw new CliError('credentials', 'there are no credentials');
  const secret = credentials.kind === 'api-key' ? credentials.key : credentials.password;
  context.redactor.addSecret(secret);
  if (secret.includes('\0')) throw usageError('a password with a NUL cannot be in an environment');
  const baseUrl = normalizeBaseUrl(await context.services.baseUrl());
  const added = {
    // The credentials belong to this service; a doi-cli in that program would use the default one.
    DOI_CLI_BASE_URL: baseUrl,
    [username]: await userNameOf(context, credentials),
    [password]: secret,
  };
  return runCommand(context, command, args, added, SECRETS);
}

/** The service accepts a key as the password of its account (service.md, A3). */
async function userNameOf(context: Context, credentials: SourcedCredentials): Promise<string> {
  if (credentials.kind === 'repository') return credentials.id;
  const known = credentials.account ?? context.host.env['DOI_CLI_REPOSITORY'];
  if (known) return known;
  return accountOf(await context.services.connect(credentials));
}
