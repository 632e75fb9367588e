import { urlFromEnv } from '../../cli/base-url.ts';
import type { Context } from '../../cli/context.ts';
import { printRows } from '../../cli/print-rows.ts';
import { Bucket, DEFAULT_ENDPOINT } from '../../datafile/bucket.ts';
import {
  type DatafileCredentials,
  datafileCredentials,
  RenewedCredentials,
} from '../../datafile/credentials.ts';
import { download } from '../../datafile/download.ts';
import type { BucketObject } from '../../datafile/listing.ts';
import { keyMatcher } from '../../datafile/object-keys.ts';
import { checkFolder } from '../../disk/folders.ts';
import { CliError } from '../../errors.ts';
import { settingLines } from '../../text/shell-word.ts';
import { counted, formatBytes, number } from '../../text/words.ts';

interface BucketFlags {
  readonly include?: readonly string[];
}

/** A function that requests temporary credentials and masks them in all output from then on. */
async function temporaryCredentials(context: Context) {
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
async function openBucket(context: Context): Promise<Bucket> {
  const endpoint =
    urlFromEnv(context.host.env, 'DOI_CLI_DATAFILE_ENDPOINT', 'unset it for the default') ??
    new URL(DEFAULT_ENDPOINT);
  const request = await temporaryCredentials(context);
  const store = await context.connect(undefined, { baseUrl: endpoint });
  return new Bucket(store.http, new RenewedCredentials(request, () => context.host.now()));
}

interface CredentialsFlags {
  readonly format: 'json' | 'env' | 'aws';
}

/** Prints temporary credentials for the bucket of the data file, for use in other tools. */
export async function credentialsCommand(context: Context, { format }: CredentialsFlags): Promise<void> {
  const request = await temporaryCredentials(context);
  const requested = context.host.now();
  const credentials = await request();
  const expiration = new Date(requested + credentials.expires_in * 1000).toISOString().replace(/\.\d+/, '');
  await context.out.write(credentialsText(credentials, expiration, format));
  if (context.host.terminal.stdout) {
    const minutes = Math.round(credentials.expires_in / 60);
    context.messages.warn(`a secret is on this screen; it is good for ${minutes} minutes`);
  }
}

function credentialsText(
  credentials: DatafileCredentials,
  expiration: string,
  format: CredentialsFlags['format'],
): string {
  const { access_key_id: id, secret_access_key: secret, session_token: token } = credentials;
  switch (format) {
    case 'json':
      return `${JSON.stringify(credentials, null, 2)}\n`;
    case 'aws':
      return `${JSON.stringify({ Version: 1, AccessKeyId: id, SecretAccessKey: secret, SessionToken: token, Expiration: expiration })}\n`;
    case 'env':
      return settingLines(
        {
          AWS_ACCESS_KEY_ID: id,
          AWS_SECRET_ACCESS_KEY: secret,
          AWS_SESSION_TOKEN: token,
          AWS_CREDENTIAL_EXPIRATION: expiration,
        },
        'posix',
      );
  }
}

interface ListFlags extends BucketFlags {
  readonly format?: 'table' | 'ndjson' | 'json';
}

const LAYOUT = {
  columns: [
    { name: 'size', rank: 1 },
    { name: 'modified', isTime: true, rank: 2, least: 14 },
    { name: 'key', least: 30 },
  ],
  cells: ({ size, lastModified, key }: BucketObject) => [number(size), lastModified, key],
};

/**
 * Prints the files of the data file in the order of the bucket.
 * @throws {CliError} kind `not-found` if there are none, or none that match.
 */
export async function listCommand(context: Context, flags: ListFlags): Promise<void> {
  const bucket = await openBucket(context);
  const wanted = keyMatcher(flags.include ?? []);
  const format = flags.format ?? (context.host.terminal.stdout ? 'table' : 'ndjson');
  const objects: BucketObject[] = [];
  let count = 0;
  for await (const page of bucket.list()) {
    const found = page.filter(({ key }) => wanted(key));
    count += found.length;
    if (format === 'ndjson') await printRows(context, format, found, LAYOUT);
    else for (const object of found) objects.push(object);
  }
  if (format !== 'ndjson') await printRows(context, format, objects, LAYOUT);
  if (count === 0) throw new CliError('not-found', 'the bucket holds no such files');
}

interface DownloadFlags extends BucketFlags {
  readonly dir: string;
  readonly jobs: number;
  readonly check?: boolean;
}

/**
 * Downloads files of the data file, and prints one line of JSON for each unless stdout is a terminal.
 * @throws {CliError} kind `rejected` if files could not be downloaded; else the error that stopped the run.
 */
export async function downloadCommand(context: Context, flags: DownloadFlags): Promise<void> {
  const { host, messages } = context;
  const { dir, jobs, check = false, include = [] } = flags;
  await checkFolder(dir);
  const bucket = await openBucket(context);
  const intervalMs = host.terminal.stderr ? 5000 : 30_000;
  let last = host.now();
  let [allBytes, all, doneBytes, downloaded, unread, unverified] = [0, 0, 0, 0, 0, 0];
  const failures: CliError[] = [];
  await download(bucket, {
    ...{ dir, jobs, check, wanted: keyMatcher(include) },
    ...{ signal: host.signal, now: host.now, note: (text) => messages.note(text) },
    onStart: (objects) => {
      all = objects.length;
      allBytes = objects.reduce((sum, { size }) => sum + size, 0);
    },
    onFile: async ({ object: { key, size }, path, outcome, verified }) => {
      doneBytes += size;
      if (outcome === 'downloaded') downloaded += 1;
      if (!verified && outcome === 'present' && !check) unread += 1;
      else if (!verified) unverified += 1;
      if (host.now() - last >= intervalMs) {
        last = host.now();
        messages.status(`${formatBytes(doneBytes)} of ${formatBytes(allBytes)}, ${counted(all, 'file')}`);
      }
      if (host.terminal.stdout) return;
      await context.out.write(`${JSON.stringify({ key, path, size, outcome, verified })}\n`);
    },
    onFailure: (error) => {
      failures.push(error);
      messages.errorLine(error.message);
    },
  });
  if (unverified > 0) {
    messages.warn(
      `of ${counted(unverified, 'file')} only the size could be checked: nothing tells a checksum`,
    );
  }
  const [first] = failures;
  if (first !== undefined) {
    const message = `${failures.length} of ${counted(all, 'file')} could not be downloaded`;
    throw new CliError('rejected', message, {
      hint: first.hint ?? 'run the same command again; it continues',
    });
  }
  const present = all - downloaded;
  const there = present === 0 ? '' : `, ${number(present)} already present`;
  const how = unread === 0 ? '' : ' by size and time; --check compares their content';
  messages.note(`${counted(downloaded, 'file')} downloaded${there}${how} (${formatBytes(allBytes)} in all)`);
}
