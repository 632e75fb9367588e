import type { Service } from '../../api/service.ts';
import { mdsUrlFor, urlFromEnv } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { normalizeBaseUrl } from '../../settings/settings.ts';

export interface MdsOptions {
  readonly mdsUrl?: URL;
}

/**
 * Opens the MDS API with credentials. Stored credentials belong to the REST API of the base URL and are sent
 * only to the MDS API of the same service; credentials of the environment are sent wherever the user says. An
 * API key goes with an empty password, which MDS refuses (service.md, M2): not yet handled.
 * @throws {CliError} kind `usage` if the URL of MDS is unknown; kind `credentials` without credentials.
 */
export async function mdsService(context: Context, options: MdsOptions): Promise<Service> {
  const baseUrl = await context.baseUrl();
  const mdsUrl = mdsUrlOf(context, options, baseUrl);
  const sameService = [baseUrl.origin, mdsUrlFor(baseUrl)?.origin].includes(mdsUrl.origin);
  const credentials = await context.credentials('mds', { environmentOnly: !sameService });
  // Where MDS names the caller, it repeats what was sent (service.md, M1).
  return context.connect(credentials, { baseUrl: mdsUrl, namesAccount: false });
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
