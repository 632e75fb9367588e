import { sign } from 'aws4';
import type { DatafileCredentials } from '../api/datafile.ts';

/** The given headers together with those that sign a GET request with AWS Signature Version 4. */
export function signedHeaders(
  url: URL,
  region: string,
  { access_key_id, secret_access_key, session_token }: DatafileCredentials,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const signed = sign(
    {
      service: 's3',
      region,
      method: 'GET',
      host: url.host,
      path: url.pathname + url.search,
      headers: { ...headers },
    },
    { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token },
  );
  const named = Object.entries(signed.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  // undici sets the host header.
  return Object.fromEntries(named.filter(([name]) => name !== 'host'));
}
