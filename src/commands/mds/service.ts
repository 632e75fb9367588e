import { spellBaseUrl } from '../../config.ts';
import { type Context, DEFAULT_BASE_URL, type Service, TEST_BASE_URL } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { parseBaseUrl } from '../../values.ts';

export interface MdsOptions {
  readonly mdsUrl?: URL;
}

/** The MDS API beside each REST API that is known. */
const PARTNERS: Readonly<Record<string, string>> = {
  [DEFAULT_BASE_URL]: 'https://mds.datacite.org',
  [TEST_BASE_URL]: 'https://mds.test.datacite.org',
};

/**
 * The MDS API with credentials. What is kept in the keychain is for the REST API of the base URL; it goes to the MDS API
 * of the same service and to no other. What the environment holds goes where the user says.
 * @throws {CliError} kind `usage` when it is not known where MDS is, kind `credentials` without credentials.
 */
export async function mdsService(context: Context, options: MdsOptions): Promise<Service> {
  const baseUrl = await context.baseUrl();
  const mdsUrl = chosen(context, options, baseUrl);
  const partner = PARTNERS[spellBaseUrl(baseUrl)];
  const kin = mdsUrl.origin === baseUrl.origin || (partner !== undefined && mdsUrl.origin === partner);
  const credentials = await context.credentials('mds', { environmentOnly: !kin });
  return context.connect(credentials, { baseUrl: mdsUrl });
}

/** Option, the partner of a base URL that an option names, environment, the partner of the base URL, in this order. */
function chosen(context: Context, { mdsUrl }: MdsOptions, baseUrl: URL): URL {
  const { test, baseUrl: named } = context.options;
  if (test && mdsUrl !== undefined) throw usageError('--test and --mds-url exclude each other');
  if (mdsUrl !== undefined) return mdsUrl;
  const partner = PARTNERS[spellBaseUrl(baseUrl)];
  if (partner !== undefined && (test || named !== undefined)) return new URL(partner);
  const fromEnv = context.host.env['DOI_CLI_MDS_URL'];
  if (fromEnv === '') {
    throw usageError('DOI_CLI_MDS_URL is set but empty', 'unset it for the MDS API beside the base URL');
  }
  if (fromEnv !== undefined) {
    try {
      return parseBaseUrl(fromEnv);
    } catch (error) {
      throw usageError(`DOI_CLI_MDS_URL: ${(error as Error).message}`);
    }
  }
  if (partner !== undefined) return new URL(partner);
  throw usageError(
    `it is not known where the MDS API beside ${spellBaseUrl(baseUrl)} is`,
    'name it: --mds-url <url>, or DOI_CLI_MDS_URL',
  );
}
