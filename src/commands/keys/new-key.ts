import type { ApiKey, NewApiKey } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { repositoryOf } from '../../cli/service.ts';
import { warnOfEnvironment } from '../../cli/store-credential.ts';
import { createKeySafely } from '../../core/key-changes.ts';
import type { SourcedCredentials } from '../../credentials/resolve.ts';
import { CliError, usageError } from '../../errors.ts';
import type { StoreKind } from '../../settings/settings.ts';
import { visible } from '../../text/redact.ts';
import type { create, rotate } from './index.ts';
import { findStored } from './stored-key.ts';

type NewKeyOptions = OptionsOf<typeof create> | OptionsOf<typeof rotate>;

export interface KeyCreation {
  readonly service: Service<SourcedCredentials>;
  readonly account: string;
  readonly store: StoreKind | undefined;
}

/** Checks everything that can be checked before the key exists. */
export async function prepareCreation(
  context: Context,
  { keyOnly, save, format }: NewKeyOptions,
): Promise<KeyCreation> {
  if (keyOnly && format === 'json') {
    throw usageError('--key-only and --format json exclude each other', 'leave one of them out');
  }
  if (save) await requireProfileAccount(context);
  else if (context.host.stdoutIsNowhere()) {
    throw usageError(
      'stdout is closed or /dev/null: the key would be lost',
      'send it to a pipe or a file',
    );
  }
  const service = await context.services.open('keys');
  const account = repositoryOf(service);
  if (!save) return { service, account, store: undefined };
  const stored =
    (await findStored(context, 'api-key', account)) ??
    (await findStored(context, 'repository', account));
  const store = stored?.place ?? 'keychain';
  await (await context.services.vault()).check(store).catch((error: unknown) => {
    if (store !== 'keychain' || !(error instanceof CliError) || error.kind !== 'credentials')
      throw error;
    const file = context.suggest('auth', 'login', '--insecure-file');
    const hint =
      'leave out --save, or first store the credentials in an unencrypted file,' +
      ` which then also gets the key: ${file}`;
    throw error.with({ hint });
  });
  return { service, account, store };
}

async function requireProfileAccount(context: Context): Promise<void> {
  const { account } = await context.services.fromEnvironment();
  const { repository } = await context.services.profile();
  if (repository === undefined || repository.toLowerCase() === account?.toLowerCase()) return;
  throw usageError(
    `the profile ${context.services.profileName} belongs to ${repository},` +
      ` but DOI_CLI_REPOSITORY is ${account}: --save would change the profile`,
    'choose another profile with --profile',
  );
}

/**
 * Creates a key. All output except its delivery masks it. @param before the keys before the
 * creation.
 */
export async function createKeyForUser(
  context: Context,
  { http }: Service,
  name: string,
  before: readonly ApiKey[],
): Promise<NewApiKey> {
  const { messages, redactor, suggest } = context;
  const notify = () =>
    messages.always(
      `a key named '${visible(name)}' may just have been created:` +
        ' waiting for the answer, so that it is not lost.' +
        ` If you interrupt again, look for it: ${suggest('keys', 'list')}`,
    );
  return context.uninterrupted(notify, async () => {
    // If the process is killed before the answer, this line tells the user where to look.
    messages.status(`creating a key named '${visible(name)}'`);
    const key = await createKeySafely(http, name, before, suggest);
    redactor.addSecret(key.attributes.key);
    return key;
  });
}

/** A new key as text. A stored key itself is left out: a screen is no place for a secret. */
export function formatNewKey(key: NewApiKey, { keyOnly, save, show }: NewKeyOptions): string {
  if (keyOnly) return `${key.attributes.key}\n`;
  const { name, keyPrefix, created } = key.attributes;
  return [
    ...(save && !show ? [] : [`Key      ${key.attributes.key}`]),
    `Name     ${visible(name)}`,
    `Id       ${visible(key.id)}`,
    `Prefix   ${visible(keyPrefix)}`,
    `Created  ${visible(created)}`,
    '',
  ].join('\n');
}

export function noteNewKey(context: Context, { account, store }: KeyCreation): void {
  if (store === undefined) {
    context.messages.warn('this is the only time the key is shown: store it now');
    return;
  }
  context.messages.note(`the key is stored for ${account}, and will not be shown again`);
  warnOfEnvironment(context, account);
}
