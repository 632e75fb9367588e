import { verifyApiKey } from '../../api/account.ts';
import { listKeys, type NewApiKey } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../cli/context.ts';
import { repositoryOf } from '../../cli/service.ts';
import { CliError, usageError } from '../../errors.ts';
import { normalizeBaseUrl, type Place } from '../../settings/settings.ts';
import { confirm } from '../../ui/prompt.ts';
import { checkPlace, keep, requireProfileAccount, storedKey, warnOfEnvironment } from '../auth/store.ts';
import { mustNotBeLost } from './create.ts';
import { createKeySafely, renderedKey } from './new-key.ts';
import { describe, matchKey, mismatch, revoke } from './revoke.ts';
import { rollBack, type Step } from './rotate-rollback.ts';

export interface RotateOptions {
  readonly name?: string;
  readonly keepOld?: boolean;
  readonly keyOnly?: boolean;
  readonly save?: boolean;
  readonly yes?: boolean;
}

/**
 * Replaces a key: creates a new one, prints it, proves that it works, and only then revokes the old one. Whatever fails
 * after the creation, the new key is revoked again and the old one stays; the error says which keys exist then.
 * @throws {CliError} kind `usage` before any request where nobody can be asked and `--yes` is missing.
 */
export async function rotateKeyCommand(
  context: Context,
  reference: string,
  options: RotateOptions,
): Promise<void> {
  if (!options.yes && !options.keepOld && !context.interactive) {
    throw usageError(
      'rotating a key revokes the old one, and there is no terminal to ask on',
      context.suggest('keys', 'rotate', reference, '--yes'),
    );
  }
  if (options.save) await requireProfileAccount(context);
  else mustNotBeLost(context);
  const service = await context.service('keys');
  const account = repositoryOf(service);
  const place = options.save ? await checkPlace(context, account) : undefined;
  const keys = await listKeys(service.http, true);
  const old = theActiveKey(context, keys, reference);
  const stored = options.save ? await storedKey(context, account, keys) : undefined;
  const lost = stored !== undefined && stored.id !== old.id ? stored : undefined;
  await ask(context, reference, options, old, lost);
  const fresh = await createKeySafely(context, service, options.name ?? old.attributes.name, keys);
  context.redactor.addSecret(fresh.attributes.key);
  // Named at once: whatever happens to this program from here on, somebody can revoke it.
  context.messages.progress(`Created ${describe(fresh)}`);
  await carryOut(context, service, { old, fresh, account, place, options });
  await remark(context, old, account, options);
}

/**
 * Asks whether to go on, unless that is known.
 * @param lost another key that is stored, and would be replaced there though not revoked.
 * @throws {CliError} kind `rejected` when the answer is no, or nobody can be asked: only --keep-old comes here then.
 */
async function ask(
  context: Context,
  reference: string,
  { yes, keepOld }: RotateOptions,
  old: ApiKey,
  lost: ApiKey | undefined,
): Promise<void> {
  const loss =
    lost && `the key that is stored now stays active, and cannot be shown again: ${describe(lost)}`;
  if (yes && loss !== undefined) context.messages.warn(loss);
  if (yes || (keepOld && loss === undefined)) return;
  if (!context.interactive) {
    throw new CliError('rejected', `--save would replace another key than ${reference}: ${loss}`, {
      hint: context.suggest('keys', 'rotate', reference, '--keep-old', '--save', '--yes'),
    });
  }
  const what = keepOld ? 'Add a key to this one?' : 'Replace this key, and then revoke it for good?';
  const question = `  ${describe(old)}\n${loss === undefined ? '' : `--save replaces another one: ${loss}\n`}${what}`;
  if (!(await confirm(context, question))) throw new CliError('rejected', 'nothing was rotated');
}

interface Rotation {
  readonly old: ApiKey;
  readonly fresh: NewApiKey;
  readonly account: string;
  /** Where the new key is kept; undefined when it is not. */
  readonly place: Place | undefined;
  readonly options: RotateOptions;
}

/** From the delivery to the revocation; an interrupt stops it between the steps. */
async function carryOut(
  context: Context,
  service: Service,
  { old, fresh, account, place, options }: Rotation,
): Promise<void> {
  const { signal } = context.host;
  const secret = fresh.attributes.key;
  let step: Step = 'delivering the new key';
  let restore: (() => Promise<void>) | undefined;
  const onAbort = () =>
    context.messages.insist(
      `stopping while ${step}; if you interrupt again, both keys may stay active: ${describe(old)} and ${describe(fresh)}`,
    );
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await context.out.write(renderedKey(fresh, options));
    step = 'proving that the new key works';
    signal.throwIfAborted();
    const withKey = await context.connect({ kind: 'api-key', key: secret, source: place ?? 'environment' });
    await verifyApiKey(withKey, account);
    step = 'storing the new key';
    signal.throwIfAborted();
    if (place !== undefined) restore = await keep(context, { kind: 'api-key', account, secret, place });
    step = 'revoking the old key';
    signal.throwIfAborted();
    if (!options.keepOld) await revoke(service.http, old);
  } catch (error) {
    const failure = await rollBack(context, service, { old, fresh, step, restore, error });
    if (failure !== undefined) throw failure;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * The active key that a reference means.
 * @throws {CliError} when it means none, a revoked one, or several.
 */
function theActiveKey(context: Context, keys: readonly ApiKey[], reference: string): ApiKey {
  const match = matchKey(keys, reference);
  if (match.outcome === 'active') return match.key;
  if (match.outcome !== 'revoked') throw mismatch(context, reference, match, 'rotate');
  throw new CliError('rejected', `already revoked, so there is nothing to replace: ${describe(match.key)}`, {
    hint: context.suggest('keys', 'create', '--name', match.key.attributes.name),
  });
}

async function remark(
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
    context.messages.note(`Revoked ${describe(old)}`);
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
  const vault = await context.vault();
  const baseUrl = normalizeBaseUrl(await context.baseUrl());
  if (!keepOld && (await vault.find({ baseUrl, kind: 'api-key', account }))) {
    context.messages.warn(
      `the API key that is stored for ${account} was not replaced; if it was the old one: ${context.suggest('auth', 'login', '--api-key-stdin')}`,
    );
  }
}
