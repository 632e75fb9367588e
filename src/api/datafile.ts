import { BadBody, readJson } from './http/body.ts';
import type { Http } from './http/http.ts';

/** Temporary credentials for the bucket of the monthly data file, as the service sends them (observed). */
export interface DatafileCredentials {
  readonly bucket: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  /** Seconds from the answer on; an hour. */
  readonly expires_in: number;
}

const TEXTS = ['bucket', 'access_key_id', 'secret_access_key', 'session_token'] as const;

/**
 * Asks for temporary credentials (observed: GET /credentials/datafile). Each call makes new ones.
 * @throws {CliError} kind `credentials` when the account may not have them.
 */
export async function datafileCredentials(http: Http): Promise<DatafileCredentials> {
  return http.call({
    method: 'GET',
    url: http.url('/credentials/datafile'),
    read: async (response) => {
      const body = await readJson(response);
      // They end up in headers and shells: what is not plain printable text is none.
      const sound = TEXTS.every((name) => /^[\x21-\x7e]+$/.test(String(body[name] ?? '')));
      const lifetime = body['expires_in'];
      if (!sound || typeof lifetime !== 'number' || !(lifetime > 0)) {
        throw new BadBody('the answer holds no credentials for the data file');
      }
      // It is part of addresses.
      if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(String(body['bucket']))) {
        throw new BadBody('the answer names no bucket');
      }
      return body as unknown as DatafileCredentials;
    },
  });
}
