import { verifyApiKey } from '../../api/account.ts';
import type { Service } from '../../api/service.ts';
import { mdsUrlFor, urlFromEnv } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import type { Credentials, Need } from '../../credentials/resolve.ts';
import { usageError } from '../../errors.ts';
import { normalizeBaseUrl } from '../../settings/settings.ts';

export interface MdsOptions {
  readonly mdsUrl?: URL;
}

/**
 * Opens the MDS API with credentials. Stored credentials belong to the REST API of the base URL and are sent
 * only to the MDS API of the same service; credentials of the environment are sent wherever the user says.
 * @throws {CliError} kind `usage` if the URL of MDS is unknown; kind `credentials` without credentials.
 */
export async function mdsService(
  context: Context,
  options: MdsOptions,
  need: Extract<Need, 'mds' | 'mds-list'> = 'mds',
): Promise<Service> {
  const baseUrl = await context.baseUrl();
  const mdsUrl = mdsUrlOf(context, options, baseUrl);
  const sameService = [baseUrl.origin, mdsUrlFor(baseUrl)?.origin].includes(mdsUrl.origin);
  const credentials = await context.credentials(need, { environmentOnly: !sameService });
  const withAccount = await named(context, credentials, sameService);
  return context.connect(withAccount, { baseUrl: mdsUrl, isMds: true });
}

/**
 * An API key with its account, which MDS takes for the repository of a new DOI (service.md, M2): the account
 * of the environment, or the account that the REST API names. A key for another service is not sent there.
 */
async function named(
  context: Context,
  credentials: Credentials | undefined,
  sameService: boolean,
): Promise<Credentials | undefined> {
  if (credentials?.kind !== 'api-key' || credentials.account !== undefined) return credentials;
  const given = context.host.env['DOI_CLI_REPOSITORY'] || undefined;
  const account = given ?? (sameService ? await verifyApiKey(await context.connect(credentials)) : undefined);
  return account === undefined ? credentials : { ...credentials, account };
}

/** The URL of MDS: from --mds-url, --test or --base-url, the environment, or the base URL, in this order. */
function mdsUrlOf(context: Context, { mdsUrl }: MdsOptions, baseUrl: URL): URL {
  const { test, baseUrl: named } = context.options;
  if (test && mdsUrl !== undefined) throw usageError('--test and --mds-url exclude each other');
  const derived = mdsUrlFor(baseUrl);
  const found =
    mdsUrl ??
    (test || named !== undefined ? derived : undefined) ??
    urlFromEnv(context.host.env, 'DOI_CLI_MDS_URL', 'unset it for the default') ??
    derived;
  if (found !== undefined) return found;
  throw usageError(
    `the URL of the MDS API that belongs to ${normalizeBaseUrl(baseUrl)} is unknown`,
    'name it: --mds-url <url>, or DOI_CLI_MDS_URL',
  );
}
