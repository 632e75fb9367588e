import type { Command } from 'commander';
import { examples, formatOption, option, type Runner, type Wanted } from '../../cli/options.ts';
import { parseRepository } from '../../text/parsers.ts';
import type { LoginOptions } from './login.ts';
import type { LogoutOptions } from './logout.ts';
import type { StatusOptions } from './status.ts';

/** `doi-cli auth …`: credentials in the keychain of the operating system. */
export function addAuth(program: Command, run: Runner, wanted: Wanted): void {
  const auth = program
    .command('auth')
    .description('log in once: credentials in the keychain of the operating system')
    .addHelpText('after', examples('doi-cli auth login --repository DEMO.REPO', 'doi-cli auth status'));
  if (!wanted(auth)) return;

  auth
    .command('login')
    .description('verify a credential with the service and store it in the keychain')
    .addOption(option('--repository <id>', 'the repository account', parseRepository))
    .option('--password-stdin', "the account's password is on stdin")
    .option('--api-key-stdin', 'an API key is on stdin')
    .option('--skip-verify', 'store it without asking the service')
    .option('--insecure-file', 'store it in a file that is not encrypted instead')
    .addHelpText(
      'after',
      examples(
        'doi-cli auth login --repository DEMO.REPO',
        'doi-cli auth login --repository DEMO.REPO --password-stdin < password.txt',
        'doi-cli auth login --api-key-stdin --insecure-file < key.txt',
      ),
    )
    .action(
      run(async (context, options: LoginOptions) =>
        (await import('./login.ts')).loginCommand(context, options),
      ),
    );
  auth
    .command('status')
    .description('show which credentials there are, where they come from, and whether they are accepted')
    .addOption(formatOption(['text', 'json'], 'output format').default('text'))
    .addHelpText('after', examples('doi-cli auth status', 'doi-cli auth status --format json'))
    .action(
      run(async (context, options: StatusOptions) =>
        (await import('./status.ts')).statusCommand(context, options),
      ),
    );
  auth
    .command('logout')
    .description('erase stored credentials; API keys stay valid until they are revoked')
    .option('--all', 'those of every account and every service')
    .addOption(option('--repository <id>', "another account's than the profile's", parseRepository))
    .addHelpText('after', examples('doi-cli auth logout', 'doi-cli auth logout --all'))
    .action(
      run(async (context, options: LogoutOptions) =>
        (await import('./logout.ts')).logoutCommand(context, options),
      ),
    );
}
