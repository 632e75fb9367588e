import type { Service } from '../../api/service.ts';
import { mdsUrlFor, urlFromEnv } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { normalizeBaseUrl } from '../../settings/settings.ts';

export interface MdsOptions {
  readonly mdsUrl?: URL;
}

/**
 * The MDS API with credentials. What is kept in the keychain is for the REST API of the base URL; it goes to the MDS API
 * of the same service and to no other. What the environment holds goes where the user says.
 * @throws {CliError} kind `usage` when it is not known where MDS is, kind `credentials` without credentials.
 */
export async function mdsService(context: Context, options: MdsOptions): Promise<Service> {
  const baseUrl = await context.baseUrl();
  const mdsUrl = chosen(context, options, baseUrl);
  const kin = [baseUrl.origin, mdsUrlFor(baseUrl)?.origin].includes(mdsUrl.origin);
  const credentials = await context.credentials('mds', { environmentOnly: !kin });
  return context.connect(credentials, { baseUrl: mdsUrl });
}

/** Option, the API beside a base URL that an option names, environment, the API beside the base URL, in this order. */
function chosen(context: Context, { mdsUrl }: MdsOptions, baseUrl: URL): URL {
  const { test, baseUrl: named } = context.options;
  if (test && mdsUrl !== undefined) throw usageError('--test and --mds-url exclude each other');
  const beside = mdsUrlFor(baseUrl);
  const found =
    mdsUrl ??
    (test || named !== undefined ? beside : undefined) ??
    urlFromEnv(context.host.env, 'DOI_CLI_MDS_URL', 'unset it for the default') ??
    beside;
  if (found !== undefined) return found;
  throw usageError(
    `it is not known where the MDS API beside ${normalizeBaseUrl(baseUrl)} is`,
    'name it: --mds-url <url>, or DOI_CLI_MDS_URL',
  );
}
