import type { DatafileCredentials } from '../../api/datafile.ts';
import type { Context } from '../../cli/context.ts';
import { temporaryCredentials } from './service.ts';

export interface CredentialsFlags {
  readonly format: 'json' | 'env' | 'aws';
}

/** Prints temporary credentials for the bucket of the data file, for other tools. */
export async function credentialsCommand(context: Context, { format }: CredentialsFlags): Promise<void> {
  const ask = await temporaryCredentials(context);
  const asked = context.host.now();
  const made = await ask();
  const expiration = new Date(asked + made.expires_in * 1000).toISOString().replace(/\.\d+/, '');
  await context.out.write(rendered(made, expiration, format));
  if (context.host.terminal.stdout) {
    const minutes = Math.round(made.expires_in / 60);
    context.messages.warn(`a secret is on this screen; it is good for ${minutes} minutes`);
  }
}

function rendered(made: DatafileCredentials, expiration: string, format: CredentialsFlags['format']): string {
  const [id, secret, token] = [made.access_key_id, made.secret_access_key, made.session_token];
  switch (format) {
    case 'json':
      return `${JSON.stringify(made, null, 2)}\n`;
    case 'aws':
      return `${JSON.stringify({ Version: 1, AccessKeyId: id, SecretAccessKey: secret, SessionToken: token, Expiration: expiration })}\n`;
    case 'env':
      return Object.entries({
        AWS_ACCESS_KEY_ID: id,
        AWS_SECRET_ACCESS_KEY: secret,
        AWS_SESSION_TOKEN: token,
        AWS_CREDENTIAL_EXPIRATION: expiration,
      })
        .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
        .join('');
  }
}
