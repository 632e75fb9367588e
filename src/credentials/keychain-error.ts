import { CliError } from '../errors.ts';

const INSTEAD =
  'set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD, or DOI_CLI_API_KEY, in the environment,' +
  ' or store them in a file that is not encrypted: doi-cli auth login --insecure-file';

/** Why a keychain did not do what it was asked: messages and hints. */
const FAILURES = {
  // Or the prompt to unlock it was dismissed.
  locked: ['the keychain is locked', `unlock the keychain, or ${INSTEAD}`],
  refused: ['the keychain refused access', `allow access in the keychain's own settings, or ${INSTEAD}`],
  // There is no binding for this platform, no service, or a service without a keyring.
  missing: ['there is no keychain to use here', INSTEAD],
  hanging: ['the keychain does not answer', `restart the keychain's service, or ${INSTEAD}`],
} as const;

const DBUS = /\bD-?Bus|Platform|freedesktop|ServiceUnknown|no result found/i;
const NO_SERVICE = 'no Secret Service runs in this session';

export type KeychainFailure = keyof typeof FAILURES;

/** A keychain that could not be used, and why. */
export class KeychainError extends CliError {
  readonly failure: KeychainFailure;

  constructor(failure: KeychainFailure, reason: string) {
    const [message, hint] = FAILURES[failure];
    // The words of D-Bus help few people: DOI_CLI_DEBUG=1 shows them.
    const words = DBUS.test(reason) ? (failure === 'missing' ? NO_SERVICE : '') : reason;
    super('credentials', words === '' ? message : `${message} (${words})`, {
      hint,
      cause: new Error(reason),
    });
    this.name = 'KeychainError';
    this.failure = failure;
  }
}
