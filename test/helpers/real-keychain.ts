import { Keychain } from '../../src/credentials/keychain.ts';
import type { KeychainEnv } from './secret-service.ts';

/** The built program that talks to the keychain. */
export const KEYCHAIN_CHILD = new URL('../../dist/keychain-child.js', import.meta.url);

/** A real keychain for a run in this process; the run closes it. */
export function realKeychain(env: KeychainEnv): Keychain {
  return new Keychain({
    child: KEYCHAIN_CHILD,
    env,
    signal: new AbortController().signal,
    note: () => undefined,
  });
}
