import { randomBytes } from 'node:crypto';
import type { Catalogue } from './catalogue.ts';
import type { Clock } from './clock.ts';
import { DatafileObjects } from './datafile-objects.ts';

/** Temporary credentials are valid for an hour (service.md, D1). */
export const LIFETIME_SECONDS = 3600;

/** The bucket of the monthly data file (service.md, D6). */
export const BUCKET = 'monthly-datafile.datacite.org';

/** Temporary credentials that were given out. */
interface Session {
  readonly accessKeyId: string;
  readonly secret: string;
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The data file, and the temporary credentials that may read it. */
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
