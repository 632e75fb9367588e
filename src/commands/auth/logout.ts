import { changeSettings, type StoredCredential, spellBaseUrl, withProfile } from '../../config.ts';
import type { Context } from '../../context.ts';
import { toCliError, usageError } from '../../errors.ts';
import { noteShadows } from './keep.ts';

export interface LogoutOptions {
  readonly all?: boolean;
  readonly repository?: string;
}

/**
 * Erases what is kept for the account of the run, or everything. A credential that cannot be erased does not
 * keep the others; its error comes at the end.
 */
export async function logoutCommand(context: Context, options: LogoutOptions): Promise<void> {
  if (options.all && options.repository !== undefined) {
    throw usageError('--all and --repository exclude each other');
  }
  const vault = await context.vault();
  const doomed = await chosen(context, await vault.list(), options);
  if (doomed.length === 0) context.messages.note('nothing is stored, so there is nothing to erase');
  let failure: unknown;
  for (const entry of doomed) {
    try {
      await vault.remove(entry);
    } catch (error) {
      if (failure !== undefined) context.messages.failure(toCliError(failure).message);
      failure = error;
      continue;
    }
    const what = entry.kind === 'repository' ? 'the password' : 'an API key';
    context.messages.note(`Erased ${what} of ${entry.account} for ${entry.baseUrl}`);
    if (entry.kind === 'api-key')
      context.messages.note('the key itself stays valid until doi-cli keys revoke');
  }
  await forgetAccounts(context, doomed);
  noteShadows(context, undefined);
  if (failure !== undefined) throw failure;
}

async function chosen(
  context: Context,
  stored: readonly StoredCredential[],
  { all, repository }: LogoutOptions,
): Promise<readonly StoredCredential[]> {
  if (all) return stored;
  const baseUrl = spellBaseUrl(await context.baseUrl());
  const account =
    repository ?? (context.host.env['DOI_CLI_REPOSITORY'] || (await context.profile()).repository);
  return stored.filter(
    (entry) => entry.baseUrl === baseUrl && entry.account.toLowerCase() === account?.toLowerCase(),
  );
}

/** A profile whose account has nothing left is nobody's any more. */
async function forgetAccounts(context: Context, erased: readonly StoredCredential[]): Promise<void> {
  if (erased.length === 0) return;
  const accounts = new Set(erased.map(({ account }) => account.toLowerCase()));
  await changeSettings(context.host.env, (settings) =>
    Object.entries(settings.profiles).reduce((changed, [name, { repository }]) => {
      const id = repository?.toLowerCase();
      const left = settings.stored.some(({ account }) => account.toLowerCase() === id);
      return id !== undefined && accounts.has(id) && !left
        ? withProfile(changed, name, { repository: undefined })
        : changed;
    }, settings),
  );
}
