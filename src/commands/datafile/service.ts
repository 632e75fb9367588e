import { datafileCredentials } from '../../api/datafile.ts';
import { urlFromEnv } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { Bucket, DEFAULT_ENDPOINT } from '../../datafile/bucket.ts';
import { RenewedCredentials } from '../../datafile/credentials.ts';

export interface PlaceFlags {
  readonly endpoint?: URL;
  readonly include?: readonly string[];
}

/** Asks for temporary credentials. From here on they are masked in all that is said. */
export async function temporaryCredentials(context: Context) {
  const { http } = await context.service('datafile');
  return async () => {
    const made = await datafileCredentials(http);
    context.redactor.addSecret(made.secret_access_key);
    context.redactor.addSecret(made.session_token);
    return made;
  };
}

/**
 * The bucket of the data file. Only temporary credentials go to the object store, never those of the account.
 * @throws {CliError} kind `usage` for an endpoint that nothing may be sent to, kind `credentials` without credentials.
 */
export async function openBucket(context: Context, flags: PlaceFlags): Promise<Bucket> {
  const endpoint =
    flags.endpoint ??
    urlFromEnv(context.host.env, 'DOI_CLI_DATAFILE_ENDPOINT', 'unset it for the default') ??
    new URL(DEFAULT_ENDPOINT);
  const ask = await temporaryCredentials(context);
  const store = await context.connect(undefined, { baseUrl: endpoint });
  return new Bucket(store.http, new RenewedCredentials(ask, () => context.host.now()));
}
