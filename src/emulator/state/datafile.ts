import { randomBytes } from 'node:crypto';
import { type Answer, BAD_CREDENTIALS, json, methodNotAllowed, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import type { Catalogue } from './catalogue.ts';
import type { Clock } from './clock.ts';
import { DatafileObjects } from './datafile-objects.ts';
import { activeAccount, type Identity } from './identity.ts';
import type { World } from './world.ts';

/** Observed: temporary credentials are good for an hour. */
const LIFETIME_SECONDS = 3600;

/** The bucket of the monthly data file, as it is documented. */
export const BUCKET = 'monthly-datafile.datacite.org';

/** Temporary credentials that were given out. */
export interface Session {
  readonly accessKeyId: string;
  readonly secret: string;
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The data file, and who may read it. */
export class Datafile {
  readonly objects: DatafileObjects;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Session>();

  constructor(catalogue: Catalogue, clock: Clock) {
    this.#clock = clock;
    this.objects = new DatafileObjects(catalogue, clock.now());
  }

  issue(): Session {
    const session: Session = {
      accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
      secret: randomBytes(30).toString('base64'),
      token: randomBytes(150).toString('base64'),
      expires: this.#clock.now() + LIFETIME_SECONDS * 1000,
    };
    this.#sessions.set(session.accessKeyId, session);
    return session;
  }

  session(accessKeyId: string): Session | undefined {
    return this.#sessions.get(accessKeyId);
  }

  hasExpired({ expires }: Session): boolean {
    return this.#clock.now() >= expires;
  }
}

/** GET /credentials/datafile: JSON, or as plain text a profile for a credentials file. Observed. */
export function datafileCredentials(world: World, request: Request, identity: Identity): Answer {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  // Members may read it too.
  if (activeAccount(identity) === undefined) return BAD_CREDENTIALS;
  const { accessKeyId, secret, token } = world.datafile.issue();
  const wantsText = request.headers.accept?.includes('text/plain');
  if (wantsText || new Params(request.query).get('format') === 'text') {
    const lines = [
      '[datacite-datafile]',
      `aws_access_key_id=${accessKeyId}`,
      `aws_secret_access_key=${secret}`,
      `aws_session_token=${token}`,
    ];
    return { status: 200, body: `${lines.join('\n')}\n`, contentType: 'text/plain' };
  }
  return json(200, {
    bucket: BUCKET,
    access_key_id: accessKeyId,
    secret_access_key: secret,
    session_token: token,
    expires_in: LIFETIME_SECONDS,
  });
}
