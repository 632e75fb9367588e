/** What the program and its keychain child say to each other over IPC. Nothing here imports anything. */

/** Why a keychain did not do what it was asked to. */
export type KeychainFailure =
  /** It is there, and closed: nobody unlocked it, or the prompt for it was dismissed. */
  | 'locked'
  /** It is there, and did not allow this program what it wanted. */
  | 'refused'
  /** There is none: no binding for this platform, no service, or a service without a keyring. */
  | 'missing'
  /** It accepted the request and does not answer. */
  | 'hanging';

export type KeychainRequest =
  | { readonly op: 'get' | 'delete'; readonly account: string }
  | { readonly op: 'set'; readonly account: string; readonly secret: string }
  /** Stores something of no value and deletes it again: only that tells whether storing works. */
  | { readonly op: 'check' };

export type KeychainReply =
  /** The service has answered; what takes long from here on may be a person who types a password. */
  | { readonly opened: true }
  | { readonly value: string | boolean | null }
  | { readonly failure: KeychainFailure; readonly reason: string };
