import { megabytes } from '../../text/words.ts';

/** No complete answer arrived. */
export class NetworkError extends Error {
  override readonly name: string = 'NetworkError';
  /** True if the request certainly never reached the service. */
  readonly unsent: boolean;

  constructor(message: string, unsent: boolean, cause: unknown) {
    super(message, { cause });
    this.unsent = unsent;
  }
}

/** An answer that exceeds a bound: the same request would be answered in the same way again. */
export class TooLarge extends NetworkError {
  override readonly name = 'TooLarge';

  constructor(what: string) {
    super(what, false, undefined);
  }

  /** @param compressed whether the bytes are those on the wire, before they are unpacked. */
  static bytes(most: number, compressed = false): TooLarge {
    return new TooLarge(`the answer is larger than ${megabytes(most)}${compressed ? ' compressed' : ''}`);
  }
}

/** The port answers without TLS. */
export class NotHttps extends NetworkError {
  override readonly name = 'NotHttps';

  constructor(cause: unknown) {
    super('the port does not speak https', false, cause);
  }
}
