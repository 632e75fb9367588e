import type { DatafileCredentials } from '../api/datafile.ts';

/** Renewed so long before their end: a request that is on its way must not meet it. */
const MARGIN_MS = 5 * 60_000;

/** Temporary credentials that are renewed before they expire, once for all who use them. */
export class RenewedCredentials {
  readonly #ask: () => Promise<DatafileCredentials>;
  readonly #now: () => number;
  #current: { readonly value: DatafileCredentials; readonly renewAt: number } | undefined;
  #asking: Promise<DatafileCredentials> | undefined;

  constructor(ask: () => Promise<DatafileCredentials>, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  /** Credentials that are good for a while. */
  async current(): Promise<DatafileCredentials> {
    if (this.#current !== undefined && this.#now() < this.#current.renewAt) return this.#current.value;
    return this.#renew();
  }

  /** The latest ones, however old. Call it only after {@link current}. */
  get latest(): DatafileCredentials {
    if (this.#current === undefined) throw new Error('there are no credentials yet');
    return this.#current.value;
  }

  /** Others than these, which were refused. */
  async instead(refused: DatafileCredentials): Promise<DatafileCredentials> {
    return this.#current !== undefined && this.#current.value !== refused ? this.current() : this.#renew();
  }

  #renew(): Promise<DatafileCredentials> {
    this.#asking ??= this.#ask()
      .then((value) => {
        const lifetimeMs = value.expires_in * 1000;
        const renewAt = this.#now() + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2);
        this.#current = { value, renewAt };
        return value;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}
