import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Identity } from './identity.ts';

/**
 * One logged request: enough to see what a client did, without anything that could be used to sign
 * in.
 */
interface LoggedRequest {
  readonly number: number;
  /** When it arrived, by the emulator's clock (ISO 8601). */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  /** Null until a status is sent, and if the connection ends before. */
  status: number | null;
  /** Milliseconds until the answer was sent or the connection ended; null until then. */
  durationMs: number | null;
  readonly authenticated: boolean;
  readonly account: string | null;
  readonly scheme: string | null;
  /**
   * A digest of the Authorization header: it is equal for two requests with the same
   * credentials.
   */
  readonly authorization: string | null;
  readonly headerNames: readonly string[];
  readonly userAgent: string | null;
  /** The fault that struck, in its spelling on the command line. */
  readonly fault: string | null;
}

const MAX_ENTRIES = 20_000;

/** The latest requests, oldest first. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(
    time: number,
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    identity: Identity,
    fault: string | undefined,
  ): LoggedRequest {
    const known = identity.kind === 'account' || identity.kind === 'api-key' ? identity : undefined;
    const { authorization } = headers;
    const entry: LoggedRequest = {
      number: ++this.#count,
      time: new Date(time).toISOString(),
      method,
      path: withoutKeys(path),
      status: null,
      durationMs: null,
      authenticated: known !== undefined,
      account: known?.account.id ?? null,
      scheme: known?.scheme ?? (authorization === undefined ? null : 'refused'),
      authorization:
        authorization === undefined
          ? null
          : `sha256:${createHash('sha256').update(authorization).digest('hex')}`,
      headerNames: Object.keys(headers),
      userAgent: headers['user-agent'] ?? null,
      fault: fault ?? null,
    };
    this.#entries.push(entry);
    // Drop half at once, so that not every request pays for a full log.
    if (this.#entries.length > 2 * MAX_ENTRIES) this.#entries = this.#entries.slice(-MAX_ENTRIES);
    return entry;
  }

  /** The entries after a number. */
  since(number: number): LoggedRequest[] {
    return this.#entries.filter((entry) => entry.number > number);
  }
}

/** Shortens an API key that was sent in an address by mistake to its prefix. */
function withoutKeys(path: string): string {
  return path.replaceAll(/(DC\.[A-Za-z0-9]{8})[A-Za-z0-9]+/g, '$1…');
}
