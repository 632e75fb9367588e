import { command, type Declaration } from '../../cli/declare.ts';
import { argument, changeFormat, expert, formatOption, option } from '../../cli/options.ts';
import { parseRepository } from '../../text/parsers.ts';

export const login = command({
  name: 'login',
  description: 'verify a credential with the service and store it in the keychain',
  options: [
    option('--repository <id>', 'the repository account', parseRepository),
    option('--password-stdin', "read the account's password from stdin").conflicts('apiKeyStdin'),
    option('--api-key-stdin', 'read an API key from stdin'),
    option('--insecure-file', 'store the credential in an unencrypted file instead'),
    changeFormat(),
    ...expert(option('--skip-verify', 'store the credential without verifying it')),
  ],
  examples: [
    'doi-cli auth login --repository DEMO.REPO',
    'doi-cli auth login --repository DEMO.REPO --password-stdin < password.txt',
    'doi-cli auth login --api-key-stdin --insecure-file < key.txt',
  ],
  load: async () => (await import('./login.ts')).loginCommand,
});

export const status = command({
  name: 'status',
  description:
    'show the credentials, whether the service accepts them,' +
    ' and the prefixes and domains of their accounts',
  options: [formatOption(['text', 'json'], 'output format').default('text')],
  examples: ['doi-cli auth status', 'doi-cli auth status --format json'],
  load: async () => (await import('./status.ts')).statusCommand,
});

export const logout = command({
  name: 'logout',
  description: 'erase stored credentials; API keys stay valid until they are revoked',
  options: [
    option('--all', 'erase the credentials of every account and every service').conflicts([
      'apiKey',
      'repository',
    ]),
    option('--api-key', 'erase only the API key, and leave the password'),
    option(
      '--repository <id>',
      "the account (default: the environment's or profile's)",
      parseRepository,
    ),
    changeFormat(),
  ],
  examples: ['doi-cli auth logout', 'doi-cli auth logout --api-key', 'doi-cli auth logout --all'],
  load: async () => (await import('./logout.ts')).logoutCommand,
});

export const exec = command({
  name: 'exec',
  description:
    'run a program with the credentials in its environment; ends with its exit code, or with 2' +
    ' when it cannot be started',
  arguments: [
    argument('<command>', 'the program to run, after --'),
    argument('[args...]', 'its arguments'),
  ],
  options: [
    option('--as <NAME,NAME>', 'the variables for user name and password', parseNames).default(
      ['DATACITE_USERNAME', 'DATACITE_PASSWORD'],
      'DATACITE_USERNAME,DATACITE_PASSWORD',
    ),
  ],
  examples: [
    "doi-cli auth exec -- sh -c 'echo $DATACITE_USERNAME'",
    'doi-cli auth exec --as DATACITE_USER,DATACITE_PW -- node --version',
  ],
  load: async () => (await import('./exec.ts')).execCommand,
});

/**
 * Variables that the system, shells and doi-cli read for other purposes. Some programs print values
 * that they cannot use, and would reveal the secret.
 */
const RESERVED =
  /^(PATH|HOME|SHELL|IFS|ENV|PS\d|TERM|TMPDIR|LANG|(BASH|LC|LD|DYLD|NODE|DOI_CLI)_.*)$/i;
const CREDENTIAL = /^DOI_CLI_(REPOSITORY|PASSWORD|API_KEY)$/;

function parseNames(text: string): readonly [username: string, password: string] {
  const [username = '', password = '', ...rest] = text.split(',').map((name) => name.trim());
  const isName = (name: string) => /^[a-z_]\w*$/i.test(name);
  const reserved = [username, password].find(
    (name) => RESERVED.test(name) && !CREDENTIAL.test(name),
  );
  if (reserved !== undefined)
    throw new Error(`${reserved} has another meaning for programs: choose another name`);
  const areNames = isName(username) && isName(password) && rest.length === 0;
  if (areNames && username.toUpperCase() !== password.toUpperCase()) return [username, password];
  throw new Error('write the names of two variables: DATACITE_USERNAME,DATACITE_PASSWORD');
}

export const auth: Declaration = {
  examples: ['doi-cli auth login --repository DEMO.REPO', 'doi-cli auth status'],
  commands: [login, status, logout, exec],
};
