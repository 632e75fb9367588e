import { pathToFileURL } from 'node:url';
import { Keychain } from '../../src/credentials/keychain.ts';
import { built } from './built.ts';
import type { KeychainEnv } from './secret-service.ts';

/** The built program that talks to the keychain. */
export const KEYCHAIN_CHILD = pathToFileURL(built('dist/keychain-child.js'));

/** A real keychain for a run in this process; the run closes it. */
export function realKeychain(env: KeychainEnv): Keychain {
  return new Keychain({
    child: KEYCHAIN_CHILD,
    env,
    signal: new AbortController().signal,
    note: () => undefined,
  });
}
