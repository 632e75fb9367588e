import { BadBody, readJson } from './http/body.ts';
import type { Http } from './http/http.ts';

/**
 * Temporary credentials for the bucket of the data file, as the service sends them (service.md,
 * D1).
 */
interface DatafileCredentials {
  readonly bucket: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  /** In seconds after the answer: one hour. */
  readonly expires_in: number;
}

const TEXTS = ['bucket', 'access_key_id', 'secret_access_key', 'session_token'] as const;

/**
 * Requests new temporary credentials (service.md, D1, D2). @throws {CliError} kind `credentials` if
 * the service refuses them to the account.
 */
export async function datafileCredentials(http: Http): Promise<DatafileCredentials> {
  return http.call({
    method: 'GET',
    url: http.url('/credentials/datafile'),
    read: async (response) => {
      const body = await readJson(response);
      // The values go into headers and shells, so only printable ASCII is accepted. Tokens have a
      // few thousand characters; masking a secret takes a hundred times its size.
      const valid = TEXTS.every((name) => /^[\x21-\x7e]{1,10000}$/.test(String(body[name] ?? '')));
      const lifetime = body['expires_in'];
      if (!valid || typeof lifetime !== 'number' || !(lifetime > 0)) {
        throw new BadBody('the answer contains no credentials for the data file');
      }
      // The bucket becomes part of URLs of other programs.
      if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(String(body['bucket']))) {
        throw new BadBody('the answer contains no bucket');
      }
      return body as unknown as DatafileCredentials;
    },
  });
}
