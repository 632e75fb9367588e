import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { CliError } from '../../errors.ts';
import {
  changeSettings,
  configFile,
  profileOf,
  readSettings,
  SETTINGS,
  type SettingName,
  withProfile,
} from '../../settings/settings.ts';
import { parseFrom } from '../../text/parsers.ts';
import { visible } from '../../text/redact.ts';
import { withoutCredentials } from '../../text/url.ts';
import type { format } from './index.ts';

type FormatOption = OptionsOf<typeof format>;

const shown = (name: string, value: string) =>
  name === 'base-url' ? withoutCredentials(value) : value;

export async function list(context: Context, { format }: FormatOption): Promise<void> {
  const { profiles } = await readSettings(context.host.env);
  const all = Object.entries(profiles).map(([profile, settings]) => ({
    profile,
    pairs: Object.entries(settings)
      .filter(([name]) => name in SETTINGS)
      .map(([name, value]) => [name, shown(name, value)] as const),
  }));
  if (format === 'json') {
    const object = Object.fromEntries(
      all.map(({ profile, pairs }) => [profile, Object.fromEntries(pairs)]),
    );
    return context.out.write(`${JSON.stringify(object, null, 2)}\n`);
  }
  const lines = all.flatMap(({ profile, pairs }) =>
    pairs.map(([name, value]) => `${profile}.${name}=${value}`),
  );
  if (lines.length === 0)
    context.messages.note('no setting has a value; doi-cli config set <name> <value>');
  await context.out.write(...lines.map((line) => `${visible(line)}\n`));
}

export async function get(
  context: Context,
  name: SettingName,
  { format }: FormatOption,
): Promise<void> {
  const value = (await context.services.profile())[name];
  if (value === undefined) {
    throw new CliError(
      'not-found',
      `${name} is not set in the profile ${context.services.profileName}`,
    );
  }
  const text = shown(name, value);
  const object = { profile: context.services.profileName, name, value: text };
  await context.out.write(`${format === 'json' ? JSON.stringify(object) : visible(text)}\n`);
}

/** Changes one setting, after the same check as its option. */
export async function set(
  context: Context,
  name: SettingName,
  value: string,
  options: FormatOption,
): Promise<void> {
  parseFrom(name, value, SETTINGS[name]);
  await change(context, name, value, options);
}

export async function unset(
  context: Context,
  name: SettingName,
  options: FormatOption,
): Promise<void> {
  await change(context, name, undefined, options);
}

async function change(
  context: Context,
  name: SettingName,
  value: string | undefined,
  { format }: FormatOption,
): Promise<void> {
  const profile = context.services.profileName;
  let previous: string | undefined;
  await changeSettings(context.services.settingsHost, (settings) => {
    previous = profileOf(settings, profile)?.[name];
    // When the user sets the base URL, a logout no longer restores the earlier one.
    const isUrl = name === 'base-url';
    return withProfile(settings, profile, {
      [name]: value,
      ...(isUrl && { 'base-url-before-login': undefined }),
    });
  });
  const outcome = value === undefined ? 'unset' : 'set';
  const [now, before] = [value, previous].map((each) =>
    each === undefined ? null : shown(name, each),
  );
  await context.printChange(format, { outcome, profile, name, value: now, previous: before });
}

/** Prints the path of the settings file, whether or not it exists yet. */
export async function path(context: Context): Promise<void> {
  await context.out.write(`${configFile(context.host.env)}\n`);
}
