import type { CommandSpec } from '../../cli/declare.ts';
import { argument, changeFormat, choiceArgument, formatOption } from '../../cli/options.ts';
import { SETTINGS } from '../../settings/settings.ts';

const NAMES = Object.keys(SETTINGS);
const nameArgument = choiceArgument('<setting>', NAMES, 'the setting');

const list: CommandSpec = {
  name: 'list',
  description: 'list the settings of every profile',
  options: [formatOption(['text', 'json'], 'output format').default('text')],
  examples: ['doi-cli config list', 'doi-cli config list --format json'],
  load: async () => (await import('./settings.ts')).list,
};

const get: CommandSpec = {
  name: 'get',
  description: 'print one setting of the profile in use',
  arguments: [nameArgument],
  options: [formatOption(['text', 'json'], 'output format').default('text')],
  examples: ['doi-cli config get base-url', 'doi-cli config get mailto --profile test'],
  load: async () => (await import('./settings.ts')).get,
};

const set: CommandSpec = {
  name: 'set',
  description: 'change one setting of the profile in use; creates the profile if there is none',
  arguments: [nameArgument, argument('<value>', 'the new value')],
  options: [changeFormat()],
  examples: [
    'doi-cli config set mailto me@example.org',
    'doi-cli config set base-url https://api.test.datacite.org --profile test',
  ],
  load: async () => (await import('./settings.ts')).set,
};

const unset: CommandSpec = {
  name: 'unset',
  description: 'remove one setting of the profile in use',
  arguments: [nameArgument],
  options: [changeFormat()],
  examples: ['doi-cli config unset mailto'],
  load: async () => (await import('./settings.ts')).unset,
};

const path: CommandSpec = {
  name: 'path',
  description: 'print the path of the settings file',
  examples: ['doi-cli config path'],
  load: async () => (await import('./settings.ts')).path,
};

const commands = [list, get, set, unset, path];

export const config: CommandSpec = {
  name: 'config',
  description: `settings of a profile: ${NAMES.join(', ')}; never a secret`,
  examples: commands.flatMap(({ examples }) => examples),
  isOnePage: true,
  commands,
};
