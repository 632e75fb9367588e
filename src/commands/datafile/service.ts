import { urlFromEnv } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { Bucket, DEFAULT_ENDPOINT } from '../../datafile/bucket.ts';
import { datafileCredentials, RenewedCredentials } from '../../datafile/credentials.ts';

export interface BucketFlags {
  readonly include?: readonly string[];
}

/** A function that requests temporary credentials and masks them in all output from then on. */
export async function temporaryCredentials(context: Context) {
  const { http } = await context.service('datafile');
  return async () => {
    const credentials = await datafileCredentials(http);
    context.redactor.addSecret(credentials.secret_access_key);
    context.redactor.addSecret(credentials.session_token);
    return credentials;
  };
}

/**
 * Opens the bucket of the data file. The object store receives only temporary credentials.
 * @throws {CliError} kind `usage` for an endpoint that is not allowed; `credentials` without credentials.
 */
export async function openBucket(context: Context): Promise<Bucket> {
  const endpoint =
    urlFromEnv(context.host.env, 'DOI_CLI_DATAFILE_ENDPOINT', 'unset it for the default') ??
    new URL(DEFAULT_ENDPOINT);
  const request = await temporaryCredentials(context);
  const store = await context.connect(undefined, { baseUrl: endpoint });
  return new Bucket(store.http, new RenewedCredentials(request, () => context.host.now()));
}
