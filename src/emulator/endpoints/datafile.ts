import { type Answer, BAD_CREDENTIALS, json, NOT_FOUND, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { BUCKET, LIFETIME_SECONDS } from '../state/datafile.ts';
import { activeAccount, type Identity } from '../state/identity.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';

/**
 * GET /credentials/datafile: JSON, or as plain text a profile for a credentials file (service.md,
 * D1, D2).
 */
export function datafileCredentials(world: World, request: Request, identity: Identity): Answer {
  if (request.method !== 'GET') return NOT_FOUND;
  // Members may also have these credentials (service.md, D3).
  const account = activeAccount(identity);
  if (account === undefined) return BAD_CREDENTIALS;
  const headers = consumerHeaders(account);
  const { accessKeyId, secret, token } = world.datafile.issue();
  const wantsText = request.headers.accept?.includes('text/plain');
  if (wantsText || new Params(request.query).get('format') === 'text') {
    const lines = [
      '[datacite-datafile]',
      `aws_access_key_id=${accessKeyId}`,
      `aws_secret_access_key=${secret}`,
      `aws_session_token=${token}`,
    ];
    return { status: 200, body: `${lines.join('\n')}\n`, contentType: 'text/plain', headers };
  }
  const credentials = {
    bucket: BUCKET,
    access_key_id: accessKeyId,
    secret_access_key: secret,
    session_token: token,
    expires_in: LIFETIME_SECONDS,
  };
  return json(200, credentials, headers);
}
