import { verifyApiKey } from '../../api/account.ts';
import { type ApiKey, listKeys, type NewApiKey } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import { storeCredential, warnOfEnvironment } from '../../cli/store-credential.ts';
import { whileUninterruptible } from '../../cli/uninterruptible.ts';
import { CliError } from '../../errors.ts';
import type { StoreKind } from '../../settings/settings.ts';
import { createKeySafely, findStored, formatNewKey, prepareCreation, storedKey } from './new-key.ts';
import { describeKey, matchKey, mismatchError } from './reference.ts';
import { revokeKeySafely } from './revoke.ts';
import { type RotationStage, rollBack } from './rotate-rollback.ts';

export interface RotateOptions {
  readonly name?: string;
  readonly keepOld?: boolean;
  readonly keyOnly?: boolean;
  readonly save?: boolean;
  readonly yes?: boolean;
}

/**
 * Replaces a key: creates a new one, prints it, verifies it, and only then revokes the old one. After any
 * failure once the new key exists, the new key is revoked again and the old one stays; the error says which
 * keys exist then.
 * @throws {CliError} kind `usage` before any request when nobody can be asked and `--yes` is missing.
 */
export async function rotateKeyCommand(
  context: Context,
  reference: string,
  options: RotateOptions,
): Promise<void> {
  const { yes, keepOld, save } = options;
  const confirmed = confirmation(context, {
    // --keep-old revokes nothing, and confirmRotation refuses the one case that still needs an answer.
    yes: yes || (keepOld && !context.interactive),
    reason: 'rotating a key revokes the old one',
    retry: context.suggest('keys', 'rotate', reference, '--yes'),
    declined: 'nothing was rotated',
  });
  const { service, account, store } = await prepareCreation(context, save);
  const keys = await listKeys(service.http, true);
  const old = activeKey(context, keys, reference);
  const stored = save ? await storedKey(context, account, keys) : undefined;
  const replaced = stored?.id === old.id ? undefined : stored;
  await confirmRotation(context, reference, options, old, replaced, confirmed);
  const fresh = await createKeySafely(context, service, options.name ?? old.attributes.name, keys);
  context.redactor.addSecret(fresh.attributes.key);
  // Print the id at once, so that the key can be revoked whatever happens to this process.
  context.messages.status(`Created ${describeKey(fresh)}`);
  await replaceKey(context, service, { old, fresh, account, store, options });
  await noteResult(context, old, account, options);
}

/**
 * The active key that a reference means.
 * @throws {CliError} when it means none, a revoked one, or several.
 */
function activeKey(context: Context, keys: readonly ApiKey[], reference: string): ApiKey {
  const match = matchKey(keys, reference);
  if (match.outcome === 'active') return match.key;
  if (match.outcome !== 'revoked') throw mismatchError(context, reference, match, 'rotate');
  throw new CliError(
    'rejected',
    `already revoked, so there is nothing to replace: ${describeKey(match.key)}`,
    {
      hint: context.suggest('keys', 'create', '--name', match.key.attributes.name),
    },
  );
}

/**
 * Asks whether to rotate, unless the options answer that.
 * @param replaced another key that is stored now: `--save` replaces it in the store, but nothing revokes it.
 * @throws {CliError} kind `rejected` when the answer is no, or with `--keep-old` when nobody can be asked.
 */
async function confirmRotation(
  context: Context,
  reference: string,
  { yes, keepOld }: RotateOptions,
  old: ApiKey,
  replaced: ApiKey | undefined,
  confirmed: (question: string) => Promise<void>,
): Promise<void> {
  const loss =
    replaced &&
    `the key that is stored now stays active, and cannot be shown again: ${describeKey(replaced)}`;
  if (yes && loss !== undefined) context.messages.warn(loss);
  if (keepOld && loss === undefined) return;
  if (!yes && !context.interactive) {
    throw new CliError('rejected', `--save would replace another key than ${reference}: ${loss}`, {
      hint: context.suggest('keys', 'rotate', reference, '--keep-old', '--save', '--yes'),
    });
  }
  const warning = loss === undefined ? '' : `--save replaces another one: ${loss}\n`;
  const what = keepOld ? 'Add a key to this one?' : 'Replace this key, and then revoke it for good?';
  await confirmed(`  ${describeKey(old)}\n${warning}${what}`);
}

interface Rotation {
  readonly old: ApiKey;
  readonly fresh: NewApiKey;
  readonly account: string;
  /** Where the new key is stored; undefined without `--save`. */
  readonly store: StoreKind | undefined;
  readonly options: RotateOptions;
}

/** Runs the stages after the creation; an interrupt stops between two of them and rolls back. */
async function replaceKey(
  context: Context,
  service: Service,
  { old, fresh, account, store, options }: Rotation,
): Promise<void> {
  const secret = fresh.attributes.key;
  let restore: (() => Promise<void>) | undefined;
  const deliver = () => context.out.write(formatNewKey(fresh, options));
  const verify = async () => {
    const withKey = await context.connect({ kind: 'api-key', key: secret, source: store ?? 'environment' });
    await verifyApiKey(withKey, account);
  };
  const save = async () => {
    if (store === undefined) return;
    restore = await storeCredential(context, { kind: 'api-key', account, secret, store });
  };
  const revokeOld = async () => {
    if (!options.keepOld) await revokeKeySafely(service.http, old);
  };
  const stages: readonly (readonly [RotationStage, () => Promise<void>])[] = [
    ['delivering the new key', deliver],
    ['proving that the new key works', verify],
    ['storing the new key', save],
    ['revoking the old key', revokeOld],
  ];
  let stage: RotationStage = 'delivering the new key';
  const notify = () =>
    context.messages.always(
      `stopping while ${stage}; if you interrupt again, both keys may stay active: ${describeKey(old)} and ${describeKey(fresh)}`,
    );
  await whileUninterruptible(context.host.signal, notify, async () => {
    try {
      for (const [name, run] of stages) {
        stage = name;
        context.host.signal.throwIfAborted();
        await run();
      }
    } catch (error) {
      const failure = await rollBack(context, service, { old, fresh, stage, restore, error });
      if (failure !== undefined) throw failure;
    }
  });
}

/** Says what happened to the old key, and where the new one is. */
async function noteResult(
  context: Context,
  old: ApiKey,
  account: string,
  { keepOld, save }: RotateOptions,
): Promise<void> {
  if (keepOld) {
    context.messages.note(
      `the old key stays active: ${context.suggest('keys', 'revoke', old.id, '--yes')}, once the new one is in use`,
    );
  } else {
    context.messages.note(`Revoked ${describeKey(old)}`);
    if (context.host.env['DOI_CLI_API_KEY']?.startsWith(old.attributes.keyPrefix)) {
      context.messages.warn('DOI_CLI_API_KEY in the environment is the old key, which no longer works');
    }
  }
  if (save) {
    context.messages.note(`the new key is stored for ${account} as well, and not shown again`);
    warnOfEnvironment(context, { kind: 'api-key', account });
    return;
  }
  context.messages.warn('this is the only time that the new key is shown: store it now');
  if (!keepOld && (await findStored(context, 'api-key', account))) {
    context.messages.warn(
      `the API key that is stored for ${account} was not replaced; if it was the old one: ${context.suggest('auth', 'login', '--api-key-stdin')}`,
    );
  }
}
