import type { CommandSpec } from '../../cli/declare.ts';
import { formatOption, option } from '../../cli/options.ts';
import { parseRepository } from '../../text/parsers.ts';

const login = (): CommandSpec => ({
  name: 'login',
  description: 'verify a credential with the service and store it in the keychain',
  options: [
    option('--repository <id>', 'the repository account', parseRepository),
    option('--password-stdin', "the account's password is on stdin"),
    option('--api-key-stdin', 'an API key is on stdin'),
    option('--skip-verify', 'store it without asking the service'),
    option('--insecure-file', 'store it in a file that is not encrypted instead'),
  ],
  examples: [
    'doi-cli auth login --repository DEMO.REPO',
    'doi-cli auth login --repository DEMO.REPO --password-stdin < password.txt',
    'doi-cli auth login --api-key-stdin --insecure-file < key.txt',
  ],
  load: async () => (await import('./login.ts')).loginCommand,
});

const status = (): CommandSpec => ({
  name: 'status',
  description: 'show which credentials there are, where they come from, and whether they are accepted',
  options: [formatOption(['text', 'json'], 'output format').default('text')],
  examples: ['doi-cli auth status', 'doi-cli auth status --format json'],
  load: async () => (await import('./status.ts')).statusCommand,
});

const logout = (): CommandSpec => ({
  name: 'logout',
  description: 'erase stored credentials; API keys stay valid until they are revoked',
  options: [
    option('--all', 'those of every account and every service'),
    option('--repository <id>', "another account's than the profile's", parseRepository),
  ],
  examples: ['doi-cli auth logout', 'doi-cli auth logout --all'],
  load: async () => (await import('./logout.ts')).logoutCommand,
});

/** `doi-cli auth …`: credentials in the keychain of the operating system. */
export const auth: CommandSpec = {
  name: 'auth',
  description: 'log in once: credentials in the keychain of the operating system',
  examples: ['doi-cli auth login --repository DEMO.REPO', 'doi-cli auth status'],
  commands: [login, status, logout],
};
