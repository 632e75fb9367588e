import type { Command } from 'commander';
import { argument, examples, formatOption, option, type Runner, type Wanted } from '../../cli/options.ts';
import { parseDuration } from '../../text/parsers.ts';
import type { AuditOptions } from './audit.ts';
import type { CreateOptions } from './create.ts';
import type { IdentifyOptions } from './identify.ts';
import type { ListOptions } from './list.ts';
import { parseKeyName, parseKeyReference } from './parsers.ts';
import type { RevokeOptions } from './revoke.ts';
import type { RotateOptions } from './rotate.ts';

/** `doi-cli keys …`: the API keys of a repository account. */
export function addKeys(program: Command, run: Runner, wanted: Wanted): void {
  const keys = program
    .command('keys')
    .description('create, list, rotate, audit and revoke the API keys of a repository account')
    .addHelpText('after', examples('doi-cli keys create --name ci', 'doi-cli keys list'));
  if (!wanted(keys)) return;

  keys
    .command('create')
    .description('create an API key and print it, once')
    .requiredOption('--name <name>', 'what the key is for (up to 191 characters)', argument(parseKeyName))
    .option('--key-only', 'print the bare key and a newline')
    .option('--save', 'also store it in the keychain, for this profile')
    .addOption(formatOption(['text', 'json'], 'text for people, or the resource object of the service'))
    .addHelpText(
      'after',
      examples(
        'doi-cli keys create --name ci',
        'doi-cli keys create --name ci --key-only | gh secret set DOI_KEY',
        'doi-cli keys create --name laptop --save',
      ),
    )
    .action(
      run(async (context, options: CreateOptions) => {
        const { createKeyCommand } = await import('./create.ts');
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
        const { listKeysCommand } = await import('./list.ts');
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
        const { revokeKeysCommand } = await import('./revoke.ts');
        await revokeKeysCommand(context, references, options);
      }),
    );

  keys
    .command('rotate')
    .description('replace an API key: create a new one, prove that it works, and then revoke the old one')
    .argument('<key>', 'id, key prefix or exact name of the key', argument(parseKeyReference))
    .addOption(option('--name <new name>', "the new key's name (default: the old one's)", parseKeyName))
    .option('--keep-old', 'do not revoke the old key')
    .option('--key-only', 'print the bare key and a newline')
    .option('--save', 'also store the new key in the keychain, for this profile')
    .option('--yes', 'do not ask; required where nobody can be asked')
    .addHelpText(
      'after',
      examples(
        'doi-cli keys rotate ci --yes',
        'doi-cli keys rotate ci --save --yes',
        'doi-cli keys rotate ci --keep-old --key-only | gh secret set DOI_KEY',
      ),
    )
    .action(
      run(async (context, reference: string, options: RotateOptions) => {
        const { rotateKeyCommand } = await import('./rotate.ts');
        await rotateKeyCommand(context, reference, options);
      }),
    );

  keys
    .command('audit')
    .description('list the active keys to look at: never used, unused, too old, or of the same name')
    .addOption(
      option('--stale <duration>', 'unused for longer than this', parseDuration).default(90 * DAY_MS, '90d'),
    )
    .addOption(
      option('--max-age <duration>', 'created longer ago than this', parseDuration).default(
        365 * DAY_MS,
        '365d',
      ),
    )
    .option('--exit-code', 'end with exit code 1 when there are any')
    .addOption(formatOption(['table', 'json', 'ndjson', 'csv'], 'output format').default('table'))
    .addHelpText(
      'after',
      examples('doi-cli keys audit', 'doi-cli keys audit --stale 90d --max-age 365d --format csv'),
    )
    .action(
      run(async (context, options: AuditOptions) => {
        const { auditKeysCommand } = await import('./audit.ts');
        return auditKeysCommand(context, options);
      }),
    );

  keys
    .command('identify')
    .description(
      'say which keys a text on stdin holds, such as a leaked key or a log line; it is sent nowhere',
    )
    .addOption(formatOption(['table', 'json'], 'output format').default('table'))
    .addHelpText(
      'after',
      examples('doi-cli keys identify < key.txt', 'grep -h "DC" *.txt | doi-cli keys identify --format json'),
    )
    .action(
      run(async (context, options: IdentifyOptions) => {
        const { identifyKeysCommand } = await import('./identify.ts');
        await identifyKeysCommand(context, options);
      }),
    );
}

const DAY_MS = 86_400_000;

function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), argument(parseKeyReference)(text)];
}
