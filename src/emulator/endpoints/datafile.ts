import { randomBytes } from 'node:crypto';
import { type Answer, BAD_CREDENTIALS, json, NOT_FOUND, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { activeAccount, type Identity } from '../state/identity.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';

/**
 * GET /credentials/datafile: JSON, or as plain text a profile for a credentials file (service.md,
 * D1, D2). There is no bucket that they open.
 */
export function datafileCredentials(_: World, request: Request, identity: Identity): Answer {
  if (request.method !== 'GET') return NOT_FOUND;
  // Members may also have these credentials (service.md, D3).
  const account = activeAccount(identity);
  if (account === undefined) return BAD_CREDENTIALS;
  const headers = consumerHeaders(account);
  const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
  const secret = randomBytes(30).toString('base64');
  const token = randomBytes(150).toString('base64');
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
    bucket: 'monthly-datafile.datacite.org',
    access_key_id: accessKeyId,
    secret_access_key: secret,
    session_token: token,
    expires_in: 3600,
  };
  return json(200, credentials, headers);
}
