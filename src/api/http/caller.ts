import { CliError } from '../../errors.ts';
import type { Call } from './call.ts';
import type { SentCredentials } from './error-response.ts';
import type { WireResponse } from './transport.ts';

const ANONYMOUS = 'x-anonymous-consumer';
const USERNAME = 'x-credential-username';
// No colon, blank or control character, as in an account that a user names.
const ACCOUNT = /^[^\s:\p{C}]{1,100}$/u;

interface Sent extends SentCredentials {
  /**
   * The account that the service must name; undefined for an API key whose account is not known.
   */
  readonly account: string | undefined;
  readonly secret: string;
}

interface CallerOptions {
  /**
   * Asks in a way that needs no headers whether the service accepts the credentials; throws if it
   * does not.
   */
  readonly probe?: (() => Promise<void>) | undefined;
  /** Called at once for a write that the service carried out as another account. */
  readonly onForeignWrite?: (error: CliError) => void;
}

/**
 * Checks on every successful answer who the service took us for. Refused credentials get a 200 with
 * what an anonymous reader sees and no sign of a refusal (service.md, A8), so a read must name the
 * account (service.md, A6). A write need not: the service refuses one without credentials.
 */
export class Caller {
  readonly #sent: Sent | undefined;
  readonly #options: CallerOptions;
  #account: string | undefined;
  #isNamed = false;
  #probed: Promise<void> | undefined;
  #foreignWrite: CliError | undefined;

  /** @param sent the credentials in the requests; undefined for none. */
  constructor(sent: Sent | undefined, options: CallerOptions = {}) {
    this.#sent = sent;
    this.#options = options;
    this.#account = sent?.account?.toLowerCase();
  }

  /** What was sent, for errors; undefined without credentials. */
  get what(): string | undefined {
    return this.#sent?.what;
  }

  /**
   * The account of the credentials, in lower case; undefined while neither we nor an answer know
   * it.
   */
  get account(): string | undefined {
    return this.#account;
  }

  /** The account as an answer named it; undefined where a probe alone accepted the credentials. */
  get named(): string | undefined {
    return this.#isNamed ? this.#account : undefined;
  }

  /**
   * Waits for the probe, before a request. @throws {CliError} of a refused probe or a foreign
   * write.
   */
  async ready(): Promise<void> {
    this.requireOwnWrites();
    if (this.#sent === undefined) return;
    this.#probed ??= this.#options.probe?.();
    await this.#probed;
  }

  /**
   * @throws {CliError} kind `credentials` when the service carried out a write as another account.
   */
  requireOwnWrites(): void {
    if (this.#foreignWrite !== undefined) throw this.#foreignWrite;
  }

  /**
   * Checks an answer. @throws {CliError} for a read without the account; a write has been carried
   * out.
   */
  check(
    response: WireResponse,
    { method, isProbe }: Pick<Call<unknown>, 'method' | 'isProbe'>,
  ): void {
    if (this.#sent === undefined) return;
    const isRead = method === 'GET';
    const problem = this.#problem(this.#sent, response, isRead && !isProbe);
    if (problem === undefined) return;
    if (isRead) {
      response.discard();
      // A proxy that removes headers looks the same, and is rarer (service.md, A8).
      const hint = this.#sent.repair ?? 'where a proxy removes headers, add --probe-credentials';
      throw new CliError('credentials', problem, { hint });
    }
    const message = `${problem}, and carried out a ${method}`;
    const hint = 'look at what this run has changed, and check which credentials are set';
    this.#foreignWrite ??= new CliError('credentials', message, { hint });
    this.#options.onForeignWrite?.(this.#foreignWrite);
  }

  /** What is wrong with the headers of an answer; learns the account from those that are right. */
  #problem({ what, secret }: Sent, response: WireResponse, mustName: boolean): string | undefined {
    if (valuesOf(response, ANONYMOUS).some((value) => value.toLowerCase() !== 'false')) {
      return `the service did not accept ${what} and answered as to an anonymous reader`;
    }
    const sent = valuesOf(response, USERNAME);
    const [spelled] = sent;
    const names = new Set(sent.map((value) => value.toLowerCase()));
    const name = spelled?.toLowerCase();
    if (name === undefined) {
      // Where one answer names the account, no proxy removes the header from the others.
      const isSettled = this.#probed !== undefined && !this.#isNamed;
      if (!mustName || isSettled) return undefined;
      return `the service did not accept ${what}: its answer does not name the account`;
    }
    if (names.size > 1 || name === '') {
      return `the service does not clearly say for which account it took ${what}`;
    }
    if (this.#account !== undefined && this.#account !== name) {
      // As it was sent: a secret in lower case would not be masked.
      return `the service took ${what} for the account ${spelled}, not ${this.#account}`;
    }
    // The name of an account is kept in the settings.
    if (
      this.#account === undefined &&
      (!ACCOUNT.test(name) || name.includes(secret.toLowerCase()))
    ) {
      return `the service names no account for ${what}, but something else`;
    }
    this.#account = name;
    this.#isNamed = true;
    return undefined;
  }
}

/** The values of a header that may come on several lines; empty when it is absent. */
function valuesOf(response: WireResponse, name: string): string[] {
  // Other white space than blanks and tabs is part of a value; trim() would remove it.
  const plain = (part: string) => (/[^\t\x20-\x7e]/.test(part) ? part : part.trim());
  return response.header(name)?.split(',').map(plain) ?? [];
}
