import { type Command, InvalidArgumentError } from 'commander';
import { argument, examples, formatOption, type Runner, type Wanted } from '../../cli/options.ts';
import { SETTINGS, type SettingName } from '../../settings/settings.ts';
import type { ConfigListOptions } from './settings.ts';

const NAMES = Object.keys(SETTINGS).join(', ');

/** `doi-cli config …`: the settings of profiles. */
export function addConfig(program: Command, run: Runner, wanted: Wanted): void {
  const config = program
    .command('config')
    .description(`settings of a profile: ${NAMES}; never a secret`)
    .addHelpText('after', examples('doi-cli config set mailto me@example.org', 'doi-cli config list'));
  if (!wanted(config)) return;

  config
    .command('list')
    .description('list the settings of every profile')
    .addOption(formatOption(['text', 'json'], 'output format').default('text'))
    .addHelpText('after', examples('doi-cli config list', 'doi-cli config list --format json'))
    .action(
      run(async (context, options: ConfigListOptions) =>
        (await import('./settings.ts')).list(context, options),
      ),
    );
  config
    .command('get')
    .description('print one setting of the profile in use')
    .argument('<name>', NAMES, argument(parseName))
    .addHelpText('after', examples('doi-cli config get base-url', 'doi-cli config get mailto --profile test'))
    .action(run(async (context, name: SettingName) => (await import('./settings.ts')).get(context, name)));
  config
    .command('set')
    .description('change one setting of the profile in use, making the profile if need be')
    .argument('<name>', NAMES, argument(parseName))
    .argument('<value>', 'the new value')
    .addHelpText(
      'after',
      examples(
        'doi-cli config set mailto me@example.org',
        'doi-cli config set base-url https://api.test.datacite.org --profile test',
      ),
    )
    .action(
      run(async (context, name: SettingName, value: string) =>
        (await import('./settings.ts')).set(context, name, value),
      ),
    );
  config
    .command('unset')
    .description('remove one setting of the profile in use')
    .argument('<name>', NAMES, argument(parseName))
    .addHelpText('after', examples('doi-cli config unset mailto'))
    .action(run(async (context, name: SettingName) => (await import('./settings.ts')).unset(context, name)));
  config
    .command('path')
    .description('print where the settings file is')
    .addHelpText('after', examples('doi-cli config path'))
    .action(run(async (context) => (await import('./settings.ts')).path(context)));
}

function parseName(text: string): SettingName {
  if (!Object.hasOwn(SETTINGS, text)) throw new InvalidArgumentError(`the settings are ${NAMES}`);
  return text as SettingName;
}
