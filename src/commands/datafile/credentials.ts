import { datafileCredentials } from '../../api/datafile.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { settingLines } from '../../text/shell-word.ts';
import type { credentials } from './index.ts';

/** Prints temporary credentials for the bucket of the data file, and masks them elsewhere. */
export async function credentialsCommand(
  context: Context,
  { format }: OptionsOf<typeof credentials>,
): Promise<void> {
  const { http } = await context.services.open('datafile');
  const requested = context.host.now();
  const credentials = await datafileCredentials(http);
  const { access_key_id, secret_access_key, session_token, expires_in } = credentials;
  context.redactor.addSecret(secret_access_key);
  context.redactor.addSecret(session_token);
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
