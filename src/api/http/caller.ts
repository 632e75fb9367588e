import { CliError } from '../../errors.ts';
import type { Call } from './call.ts';
import type { SentCredentials } from './error-response.ts';
import type { WireResponse } from './transport.ts';

const ANONYMOUS = 'x-anonymous-consumer';
const USERNAME = 'x-credential-username';
// No colon, blank or control character, as in the account ids that users type.
const ACCOUNT = /^[^\s:\p{C}]{1,100}$/u;

interface Sent extends SentCredentials {
  /** The account that answers must name; undefined for an API key whose account is not known. */
  readonly account: string | undefined;
  readonly secret: string;
}

interface CallerOptions {
  /**
   * Checks by a request, without the account headers, that the service accepts the credentials;
   * else throws.
   */
  readonly probe?: (() => Promise<void>) | undefined;
  /** Called at once when the service carried out a write as another account. */
  readonly onForeignWrite?: ((error: CliError) => void) | undefined;
}

/**
 * Checks the account that the service recognized in every successful answer. If the service does
 * not accept the credentials, it answers 200 without an error, as to an anonymous reader
 * (service.md, A8). So the answer to a read must name the account (service.md, A6). The answer to a
 * write need not: the service refuses anonymous writes.
 */
export class Caller {
  readonly #sent: Sent | undefined;
  readonly #options: CallerOptions;
  #account: string | undefined;
  #isNamed = false;
  #probed: Promise<void> | undefined;
  #foreignWrite: CliError | undefined;

  /** @param sent the credentials in the requests; undefined for anonymous requests. */
  constructor(sent: Sent | undefined, options: CallerOptions = {}) {
    this.#sent = sent;
    this.#options = options;
    this.#account = sent?.account?.toLowerCase();
  }

  /** The description of the credentials for errors; undefined without credentials. */
  get what(): string | undefined {
    return this.#sent?.what;
  }

  /**
   * The account of the credentials, in lower case; undefined until an answer names it, if unknown
   * before.
   */
  get account(): string | undefined {
    return this.#account;
  }

  /** The account that an answer named; undefined if only a probe has accepted the credentials. */
  get named(): string | undefined {
    return this.#isNamed ? this.#account : undefined;
  }

  /**
   * Waits for the probe before a request. @throws {CliError} of a refused probe or a foreign write.
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
   * Checks an answer. @throws {CliError} for a read without the right account. For a write it only
   * calls `onForeignWrite`: the write has been carried out.
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

  /** The problem in an answer's headers, if any. Stores the account from correct headers. */
  #problem({ what, secret }: Sent, response: WireResponse, mustName: boolean): string | undefined {
    if (valuesOf(response, ANONYMOUS).some((value) => value.toLowerCase() !== 'false')) {
      return `the service did not accept ${what} and answered as if it were anonymous`;
    }
    const sent = valuesOf(response, USERNAME);
    const [spelled] = sent;
    const names = new Set(sent.map((value) => value.toLowerCase()));
    const name = spelled?.toLowerCase();
    if (name === undefined) {
      // If any answer names the account, no proxy removes the header.
      const isSettled = this.#probed !== undefined && !this.#isNamed;
      if (!mustName || isSettled) return undefined;
      return `the service did not accept ${what}: its response does not identify the account`;
    }
    if (names.size > 1 || name === '') {
      return `the service named several accounts, or an empty one, for ${what}`;
    }
    if (this.#account !== undefined && this.#account !== name) {
      // As the service spelled it: a secret in lower case would not be masked.
      return `the service took ${what} for the account ${spelled}, not ${this.#account}`;
    }
    // The account's name will be stored in the settings.
    if (
      this.#account === undefined &&
      (!ACCOUNT.test(name) || name.includes(secret.toLowerCase()))
    ) {
      return `the service named something that is not an account for ${what}`;
    }
    this.#account = name;
    this.#isNamed = true;
    return undefined;
  }
}

/** The values of a header that may be repeated; empty if it is absent. */
function valuesOf(response: WireResponse, name: string): string[] {
  // White space other than blanks and tabs is part of a value; trim() would remove it.
  const plain = (part: string) => (/[^\t\x20-\x7e]/.test(part) ? part : part.trim());
  return response.header(name)?.split(',').map(plain) ?? [];
}
