import type { Context } from '../../cli/context.ts';
import { printRows } from '../../cli/print-rows.ts';
import { Bucket, DEFAULT_ENDPOINT } from '../../datafile/bucket.ts';
import { datafileCredentials } from '../../datafile/credentials.ts';
import type { BucketObject } from '../../datafile/listing.ts';
import { keyMatcher } from '../../datafile/object-keys.ts';
import { CliError } from '../../errors.ts';
import { settingLines } from '../../text/shell-word.ts';
import { number } from '../../text/words.ts';

/** @returns a function that requests temporary credentials and masks them in all later output. */
async function temporaryCredentials(context: Context) {
  const { http } = await context.service('datafile');
  return async () => {
    const credentials = await datafileCredentials(http);
    context.redactor.addSecret(credentials.secret_access_key);
    context.redactor.addSecret(credentials.session_token);
    return credentials;
  };
}

/** Opens the bucket of the data file. The object store receives only temporary credentials. */
export async function openBucket(context: Context): Promise<Bucket> {
  const baseUrl =
    context.urlFromEnv('DOI_CLI_DATAFILE_ENDPOINT', 'unset it for the default') ??
    new URL(DEFAULT_ENDPOINT);
  const request = await temporaryCredentials(context);
  return new Bucket(
    (await context.connect(undefined, { baseUrl })).http,
    request,
    context.host.now,
  );
}

/** The files of the bucket that match any pattern; all without patterns. */
export async function listFiles(
  { messages }: Context,
  bucket: Bucket,
  patterns: readonly string[] = [],
): Promise<readonly BucketObject[]> {
  const isWanted = keyMatcher(patterns);
  const objects = (await bucket.list()).filter(({ key }) => isWanted(key));
  const keys = objects.map(({ key }) => key);
  if (objects.length > 0) {
    const unmatched = patterns.filter((pattern) => !keys.some(keyMatcher([pattern])));
    for (const pattern of unmatched) messages.warn(`no file matches --include ${pattern}`);
    return objects;
  }
  throw new CliError('not-found', 'the bucket contains no such files', {
    hint: 'doi-cli datafile list shows all files',
  });
}

export async function listCommand(
  context: Context,
  {
    include,
    format = context.host.terminal.stdout ? 'table' : 'ndjson',
  }: { readonly include?: readonly string[]; readonly format?: 'table' | 'ndjson' | 'json' },
): Promise<void> {
  const objects = await listFiles(context, await openBucket(context), include);
  await printRows(context, format, objects, {
    columns: [
      { name: 'size', rank: 1 },
      { name: 'modified', isTime: true, rank: 2, least: 14 },
      { name: 'key', least: 30 },
    ],
    cells: ({ size, lastModified, key }) => [number(size), lastModified, key],
  });
}

/** Prints temporary credentials for the bucket of the data file, for use in other tools. */
export async function credentialsCommand(
  context: Context,
  { format }: { readonly format: 'json' | 'env' | 'aws' },
): Promise<void> {
  const request = await temporaryCredentials(context);
  const requested = context.host.now();
  const credentials = await request();
  const { access_key_id, secret_access_key, session_token, expires_in } = credentials;
  const expiration = new Date(requested + expires_in * 1000).toISOString().replace(/\.\d+/, '');
  const aws = {
    Version: 1,
    AccessKeyId: access_key_id,
    SecretAccessKey: secret_access_key,
    SessionToken: session_token,
    Expiration: expiration,
  };
  const env = {
    AWS_ACCESS_KEY_ID: access_key_id,
    AWS_SECRET_ACCESS_KEY: secret_access_key,
    AWS_SESSION_TOKEN: session_token,
    AWS_CREDENTIAL_EXPIRATION: expiration,
  };
  const json = format === 'aws' ? JSON.stringify(aws) : JSON.stringify(credentials, null, 2);
  await context.out.write(format === 'env' ? settingLines(env, 'posix') : `${json}\n`);
  if (context.host.terminal.stdout) {
    const minutes = Math.round(expires_in / 60);
    context.messages.warn(`this screen shows a secret, valid for ${minutes} minutes`);
  }
}
