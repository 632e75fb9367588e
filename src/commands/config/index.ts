import type { CommandSpec, Declaration } from '../../cli/declare.ts';
import { argument, changeFormat, choiceArgument, formatOption } from '../../cli/options.ts';
import { SETTINGS } from '../../settings/settings.ts';

const NAMES = Object.keys(SETTINGS);
const nameArgument = choiceArgument('<setting>', NAMES, 'the setting');

type Verb = 'list' | 'get' | 'set' | 'unset' | 'path';
const verb = (
  name: Verb,
  description: string,
  more: Pick<CommandSpec, 'arguments' | 'options' | 'examples'>,
): CommandSpec => ({
  ...{ name, description, ...more },
  load: async () => (await import('./settings.ts'))[name],
});
export const format = {
  options: [formatOption(['text', 'json'], 'output format').default('text')],
};

const commands = [
  verb('list', 'list the settings of every profile', {
    ...format,
    examples: ['doi-cli config list', 'doi-cli config list --format json'],
  }),
  verb('get', 'print one setting of the profile in use', {
    arguments: [nameArgument],
    ...format,
    examples: ['doi-cli config get base-url', 'doi-cli config get mailto --profile test'],
  }),
  verb('set', 'change one setting of the profile in use; creates a missing profile', {
    arguments: [nameArgument, argument('<value>', 'the new value')],
    options: [changeFormat()],
    examples: [
      'doi-cli config set mailto me@example.org',
      'doi-cli config set base-url https://api.test.datacite.org --profile test',
    ],
  }),
  verb('unset', 'remove one setting of the profile in use', {
    arguments: [nameArgument],
    options: [changeFormat()],
    examples: ['doi-cli config unset mailto'],
  }),
  verb('path', 'print the path of the settings file', { examples: ['doi-cli config path'] }),
];

export const config: Declaration = {
  examples: commands.flatMap(({ examples }) => examples),
  isOnePage: true,
  commands,
};
