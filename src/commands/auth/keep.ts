import { type Place, type Profile, spellBaseUrl } from '../../config.ts';
import type { Context } from '../../context.ts';

/** A credential to be kept, with the account that it belongs to. */
export interface Kept {
  readonly kind: 'repository' | 'api-key';
  readonly account: string;
  readonly secret: string;
  readonly place: Place;
}

/**
 * Where a new API key of the account is to be kept: in the keychain, or where somebody already insisted on a file.
 * @throws {CliError} kind `credentials` when nothing could be kept there now.
 */
export async function checkPlace(context: Context, account: string): Promise<Place> {
  const vault = await context.vault();
  const baseUrl = spellBaseUrl(await context.baseUrl());
  const stored =
    (await vault.find({ baseUrl, kind: 'api-key', account })) ??
    (await vault.find({ baseUrl, kind: 'repository', account }));
  const place = stored?.place ?? 'keychain';
  await vault.check(place);
  return place;
}

/**
 * Keeps a credential for the base URL of the run, and makes it the profile's own: its repository, its base URL
 * where that was given for this run only (until the logout), and its mailto likewise.
 * @returns a function that brings back what was there before.
 */
export async function keep(
  context: Context,
  { kind, account, secret, place }: Kept,
): Promise<() => Promise<void>> {
  const url = await context.baseUrl({ mayBeNew: true });
  const baseUrl = spellBaseUrl(url);
  const before = await context.profile({ mayBeNew: true });
  const usual = spellBaseUrl(await context.usualBaseUrl());
  const sameAccount = before.repository?.toLowerCase() === account.toLowerCase();
  const changes: Profile = {
    ...(usual === baseUrl
      ? {}
      : {
          'base-url': baseUrl,
          'base-url-before-login': before['base-url-before-login'] ?? before['base-url'] ?? '',
        }),
    ...(sameAccount ? {} : { repository: account }),
    ...(context.options.mailto === undefined ? {} : { mailto: context.options.mailto }),
  };
  const vault = await context.vault();
  const undo = await vault.save({ baseUrl, kind, account, place }, secret, context.profileName, changes);
  if (usual !== baseUrl) {
    context.messages.note(`the profile ${context.profileName} now means ${baseUrl}, no longer ${usual}`);
  }
  return undo;
}

/** Says which variables of the environment go before what is kept. */
export function noteShadows(context: Context, kind: Kept['kind'] | undefined): void {
  const { env } = context.host;
  const names = ['DOI_CLI_PASSWORD', 'DOI_CLI_API_KEY'].filter((name) => env[name]);
  if (names.length === 0) return;
  const what =
    kind === undefined ? 'anything stored' : `the stored ${kind === 'repository' ? 'password' : 'API key'}`;
  context.messages.warn(
    `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} set in the environment and used before ${what}`,
  );
}
