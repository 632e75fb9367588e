import { command, type Declaration } from '../../cli/declare.ts';
import {
  ageOption,
  argument,
  changeFormat,
  expert,
  formatOption,
  option,
  required,
} from '../../cli/options.ts';
import { isWholeKey, keyPrefixOf, parseKeyName } from '../../text/api-key.ts';

const ROWS = ['table', 'json', 'ndjson', 'csv'] as const;

/** An id, a key prefix or a name. The error for a whole key does not repeat the key. */
function parseKeyReference(text: string): string {
  if (text.trim() === '') throw new Error('a key is named by its id, its prefix or its exact name');
  if (isWholeKey(text)) {
    throw new Error(`this is a whole API key: type its prefix, ${keyPrefixOf(text.trim())}`);
  }
  return text;
}

export const create = command({
  name: 'create',
  description: 'create an API key and print it, once',
  options: [
    required('--name <name>', 'what the key is for, up to 191 characters', parseKeyName),
    option('--key-only', 'print only the key and a newline'),
    option('--save', 'store the key in the keychain instead of printing it'),
    option('--if-absent', 'create nothing if an active key has this name'),
    formatOption(['text', 'json'], 'readable text, or the resource object of the service').default(
      'text',
    ),
    ...expert(option('--show', 'with --save: print the key as well')),
  ],
  examples: [
    'doi-cli keys create --name ci',
    'doi-cli keys create --name ci --key-only | gh secret set DOI_CLI_API_KEY',
    'doi-cli keys create --name laptop --save',
    'doi-cli keys create --name nightly --if-absent --format json',
  ],
  load: async () => (await import('./create.ts')).createKeyCommand,
});

export const list = command({
  name: 'list',
  description: 'list the API keys by name and prefix; a whole key is never shown again',
  options: [
    option('--include-revoked', 'list revoked keys too'),
    formatOption(ROWS, 'output format').default('table'),
  ],
  examples: ['doi-cli keys list', 'doi-cli keys list --include-revoked --format csv'],
  load: async () => (await import('./list.ts')).listKeysCommand,
});

export const revoke = command({
  name: 'revoke',
  description: 'revoke API keys permanently, and erase those that are stored here',
  arguments: [argument('<key...>', 'id, key prefix or exact name of each key', parseKeyReference)],
  options: [option('--yes', 'skip the confirmation; required without a terminal'), changeFormat()],
  examples: ['doi-cli keys revoke ci', 'doi-cli keys revoke DC.Ab3dE5gH --yes'],
  load: async () => (await import('./revoke.ts')).revokeKeysCommand,
});

export const rotate = command({
  name: 'rotate',
  description: 'replace an API key: create a new key, verify it, then revoke the old key',
  arguments: [argument('[key]', 'id, key prefix or exact name of the key', parseKeyReference)],
  options: [
    option('--current', 'replace the key in use: DOI_CLI_API_KEY, or else the stored key'),
    option('--name <new name>', "name of the new key (default: the old key's name)", parseKeyName),
    option('--key-only', 'print only the key and a newline'),
    option('--save', 'store the new key in the keychain instead of printing it'),
    option('--yes', 'skip the confirmation; required without a terminal'),
    changeFormat(),
    ...expert(
      option('--keep-old', 'do not revoke the old key'),
      option('--show', 'with --save: print the new key as well'),
    ),
  ],
  examples: [
    'doi-cli keys rotate ci --yes',
    'doi-cli keys rotate ci --save --yes',
    'doi-cli keys rotate ci --key-only --yes | gh secret set DOI_CLI_API_KEY',
    'doi-cli keys rotate ci --yes --format json',
  ],
  load: async () => (await import('./rotate.ts')).rotateKeyCommand,
});

export const prune = command({
  name: 'prune',
  description:
    'revoke all active keys of a name except one, for instance after interrupted rotations',
  options: [
    required('--name <name>', 'exact name of the keys', parseKeyReference),
    required('--keep <key>', 'id or key prefix of the key that stays', parseKeyReference),
    option('--yes', 'skip the confirmation; required without a terminal'),
    changeFormat(),
  ],
  examples: ['doi-cli keys prune --name ci --keep "$(head -c 11 key.txt)" --yes'],
  load: async () => (await import('./revoke.ts')).pruneKeysCommand,
});

export const audit = command({
  name: 'audit',
  description: 'list active keys that need attention: unused, old, or with duplicate names',
  options: [
    ageOption('--stale <duration>', 'list keys unused for longer than this', '90d'),
    ageOption('--max-age <duration>', 'list keys older than this', '365d'),
    option('--exit-code', 'exit with 1 if a key is listed'),
    formatOption(ROWS, 'output format').default('table'),
    ...expert(ageOption('--grace <duration>', 'how long a new key may stay unused', '7d')),
  ],
  examples: ['doi-cli keys audit', 'doi-cli keys audit --stale 90d --max-age 365d --format csv'],
  load: async () => (await import('./audit.ts')).auditKeysCommand,
});

export const identify = command({
  name: 'identify',
  description: 'identify the keys in a text on stdin, such as a log; the text is sent nowhere',
  options: [formatOption(ROWS, 'output format').default('table')],
  examples: [
    'doi-cli keys identify < key.txt',
    'grep -h "DC" *.txt | doi-cli keys identify --format json',
  ],
  load: async () => (await import('./identify.ts')).identifyKeysCommand,
});

export const keys: Declaration = {
  examples: ['doi-cli keys create --name ci', 'doi-cli keys list'],
  commands: [create, list, revoke, rotate, prune, audit, identify],
};
