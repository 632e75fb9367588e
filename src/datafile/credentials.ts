import { sign } from 'aws4';
import type { DatafileCredentials } from '../api/datafile.ts';

/** How long before they expire credentials are renewed: none may expire during a request. */
const MARGIN_MS = 5 * 60_000;

/** Temporary credentials, renewed before they expire; concurrent users share one renewal. */
export class RenewedCredentials {
  readonly #request: () => Promise<DatafileCredentials>;
  readonly #now: () => number;
  #current: { readonly value: DatafileCredentials; readonly renewAt: number } | undefined;
  #renewal: Promise<DatafileCredentials> | undefined;

  constructor(request: () => Promise<DatafileCredentials>, now: () => number) {
    this.#request = request;
    this.#now = now;
  }

  /** Credentials that stay valid for a while. */
  async current(): Promise<DatafileCredentials> {
    if (this.#current !== undefined && this.#now() < this.#current.renewAt) return this.#current.value;
    return this.#renew();
  }

  /** Credentials other than these, which the object store refused. */
  async replace(refused: DatafileCredentials): Promise<DatafileCredentials> {
    return this.#current?.value === refused ? this.#renew() : this.current();
  }

  #renew(): Promise<DatafileCredentials> {
    this.#renewal ??= this.#request()
      .then((value) => {
        const lifetimeMs = value.expires_in * 1000;
        const renewAt = this.#now() + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2);
        this.#current = { value, renewAt };
        return value;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }
}

/** The given headers together with those that sign a GET request with AWS Signature Version 4. */
export function signedHeaders(
  { host, pathname, search }: URL,
  region: string,
  { access_key_id, secret_access_key, session_token }: DatafileCredentials,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const signed = sign(
    { service: 's3', region, method: 'GET', host, path: pathname + search, headers: { ...headers } },
    { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token },
  );
  const all = Object.entries(signed.headers ?? {}).map(([name, value]) => [name.toLowerCase(), `${value}`]);
  // undici sets the host header.
  return Object.fromEntries(all.filter(([name]) => name !== 'host'));
}
