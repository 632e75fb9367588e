import { CliError } from '../../errors.ts';
import type { WireResponse } from './transport.ts';

/**
 * Checks on every DOI read who the service took us for, by two headers (service.md, A6, A7). Refused
 * credentials are answered with 200, the anonymous result and neither header (service.md, A8), which is not
 * detected yet: an answer with neither header is accepted.
 */
export class Caller {
  readonly #sent: { readonly what: string; readonly account: string | undefined } | undefined;
  #account: string | undefined;

  /**
   * @param sent the credentials in the requests; undefined for none. `what` names them in errors; `account`
   *   is the repository account that the service must name, if known.
   */
  constructor(sent: { what: string; account: string | undefined } | undefined) {
    this.#sent = sent;
    this.#account = sent?.account?.toLowerCase();
  }

  /** The account that the service recognised, in lower case; undefined before an answer names it. */
  get account(): string | undefined {
    return this.#account;
  }

  /** @throws {CliError} kind `credentials` when the answer is for an anonymous reader or another account. */
  check(response: WireResponse): void {
    if (this.#sent === undefined) return;
    const { what } = this.#sent;
    if (response.header('x-anonymous-consumer')?.toLowerCase() === 'true') {
      response.discard();
      const message = `the service did not accept ${what} and answered as to an anonymous reader`;
      const hint = 'correct or replace the credentials, or read Findable DOIs with --anonymous';
      throw new CliError('credentials', message, { hint });
    }
    const account = response.header('x-credential-username')?.toLowerCase();
    if (account === undefined) return;
    if (this.#account !== undefined && this.#account !== account) {
      response.discard();
      const message = `the service took ${what} for the account ${account}, not ${this.#account}`;
      throw new CliError('credentials', message, { hint: 'check which credentials are set' });
    }
    this.#account = account;
  }
}
