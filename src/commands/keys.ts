import type { Command } from 'commander';
import { argument, examples, formatOption, type Runner } from '../options.ts';
import type { CreateOptions } from './keys/create.ts';
import type { ListOptions } from './keys/list.ts';
import { parseKeyName, parseKeyReference } from './keys/names.ts';
import type { RevokeOptions } from './keys/revoke.ts';

/** `doi-cli keys …`: the API keys of a repository account. */
export function addKeys(program: Command, run: Runner): void {
  const keys = program
    .command('keys')
    .description('create, list and revoke the API keys of a repository account')
    .addHelpText('after', examples('doi-cli keys create --name ci', 'doi-cli keys list'));

  keys
    .command('create')
    .description('create an API key and print it, once')
    .requiredOption('--name <name>', 'what the key is for (up to 191 characters)', argument(parseKeyName))
    .option('--key-only', 'print the bare key and a newline')
    .addOption(formatOption(['text', 'json'], 'text for people, or the resource object of the service'))
    .addHelpText(
      'after',
      examples('doi-cli keys create --name ci', 'doi-cli keys create --name ci --key-only'),
    )
    .action(
      run(async (context, options: CreateOptions) => {
        const { createKeyCommand } = await import('./keys/create.ts');
        await createKeyCommand(context, options);
      }),
    );

  keys
    .command('list')
    .description('list the API keys; a key itself is never shown again')
    .option('--include-revoked', 'list revoked keys too')
    .addOption(formatOption(['table', 'json', 'ndjson', 'csv'], 'output format').default('table'))
    .addHelpText('after', examples('doi-cli keys list', 'doi-cli keys list --include-revoked --format csv'))
    .action(
      run(async (context, options: ListOptions) => {
        const { listKeysCommand } = await import('./keys/list.ts');
        await listKeysCommand(context, options);
      }),
    );

  keys
    .command('revoke')
    .description('revoke API keys for good')
    .argument('<key...>', 'id, key prefix or exact name of each key', collect)
    .option('--yes', 'do not ask; required where nobody can be asked')
    .addHelpText('after', examples('doi-cli keys revoke ci', 'doi-cli keys revoke DC.Ab3dE5gH --yes'))
    .action(
      run(async (context, references: readonly string[], options: RevokeOptions) => {
        const { revokeKeysCommand } = await import('./keys/revoke.ts');
        await revokeKeysCommand(context, references, options);
      }),
    );
}

function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), argument(parseKeyReference)(text)];
}
