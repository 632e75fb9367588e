import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import {
  changeSettings,
  configFile,
  profileOf,
  readSettings,
  SETTINGS,
  type SettingName,
  withProfile,
} from '../../settings/settings.ts';
import { withoutCredentials } from '../../text/parsers.ts';
import { visible } from '../../text/redact.ts';

/** Prints every profile with its settings. */
export async function list(
  context: Context,
  { format }: { readonly format: 'text' | 'json' },
): Promise<void> {
  const all = await readSettings(context.host.env);
  const profiles = Object.fromEntries(
    Object.entries(all.profiles).map(([name, { 'base-url-before-login': _, ...own }]) => [
      name,
      Object.fromEntries(
        Object.entries(own).map(([setting, value]) => [
          setting,
          setting === 'base-url' ? withoutCredentials(value) : value,
        ]),
      ),
    ]),
  );
  if (format === 'json') return context.out.write(`${JSON.stringify(profiles, null, 2)}\n`);
  const lines = Object.entries(profiles).flatMap(([profile, settings]) =>
    Object.entries(settings).map(([name, value]) => `${profile}.${name}=${value}`),
  );
  if (lines.length === 0) context.messages.note('nothing is set; doi-cli config set <name> <value>');
  await context.out.write(...lines.map((line) => `${visible(line)}\n`));
}

/**
 * Prints one setting.
 * @throws {CliError} kind `not-found` when it is not set.
 */
export async function get(context: Context, name: SettingName): Promise<void> {
  const value = (await context.profile())[name];
  if (value === undefined) {
    throw new CliError('not-found', `${name} is not set in the profile ${context.profileName}`);
  }
  await context.out.write(`${visible(name === 'base-url' ? withoutCredentials(value) : value)}\n`);
}

/** Changes one setting, after the same check that its option has. */
export async function set(
  context: Context,
  name: SettingName,
  value: string,
  options: ChangeOptions,
): Promise<void> {
  try {
    SETTINGS[name](value);
  } catch (error) {
    throw usageError(`${name}: ${(error as Error).message}`);
  }
  await write(context, name, value, options);
}

/** Removes one setting; no error when it was not set. */
export async function unset(context: Context, name: SettingName, options: ChangeOptions): Promise<void> {
  await write(context, name, undefined, options);
}

/** Prints the path of the settings file, whether or not it exists yet. */
export async function path(context: Context): Promise<void> {
  await context.out.write(`${configFile(context.host.env)}\n`);
}

interface ChangeOptions {
  readonly format: 'text' | 'json';
}

async function write(
  context: Context,
  name: SettingName,
  value: string | undefined,
  { format }: ChangeOptions,
): Promise<void> {
  const profile = context.profileName;
  let previous: string | undefined;
  await changeSettings(context.host.env, (settings) => {
    previous = profileOf(settings, profile)?.[name];
    return withProfile(settings, profile, {
      [name]: value,
      // The user has set it now, so no logout changes it back.
      ...(name === 'base-url' ? { 'base-url-before-login': undefined } : {}),
    });
  });
  if (format === 'text') return;
  const shown = (text?: string) => (name === 'base-url' && text ? withoutCredentials(text) : (text ?? null));
  const outcome = value === undefined ? 'unset' : 'set';
  const line = { outcome, profile, name, value: shown(value), previous: shown(previous) };
  await context.out.write(`${JSON.stringify(line)}\n`);
}
