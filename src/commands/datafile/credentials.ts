import type { Context } from '../../cli/context.ts';
import type { DatafileCredentials } from '../../datafile/credentials.ts';
import { settingLines } from '../../text/shell-word.ts';
import { temporaryCredentials } from './service.ts';

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
