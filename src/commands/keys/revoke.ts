import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { repositoryOf } from '../../cli/service.ts';
import { describeKey, revokeKeySafely } from '../../core/key-changes.ts';
import { CliError, type ErrorKind, toCliError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import type { prune, revoke } from './index.ts';
import { matchKey } from './reference.ts';
import { keyObject } from './rows.ts';
import { afterRevocation } from './stored-key.ts';

type Confirm = (question: string) => Promise<void>;

/**
 * Revokes keys. A wrong reference or a failure does not stop the others: a leaked key must not stay
 * active because of a typo in another name. A revoked key is also erased from the store.
 */
export async function revokeKeysCommand(
  context: Context,
  references: readonly string[],
  { yes, format }: OptionsOf<typeof revoke>,
): Promise<void> {
  const confirm = confirmRevocation(context, yes);
  const service = await context.services.open('keys');
  const keys = await listKeys(service.http, true);
  const [named, errors]: [Set<ApiKey>, CliError[]] = [new Set(), []];
  for (const reference of references) {
    try {
      named.add(matchKey(context, keys, reference, 'revoke'));
    } catch (error) {
      errors.push(toCliError(error));
    }
  }
  const active = [...named].filter(({ attributes }) => !attributes.revokedAt);
  const revoked = [...named].filter((key) => !active.includes(key));
  for (const key of revoked) {
    context.messages.note(`already revoked: ${describeKey(key)}`);
    await context.printChange(format, { outcome: 'already-revoked', ...keyObject(key) });
  }
  await afterRevocation(context, repositoryOf(service), revoked);
  const last = active.length === 0 ? errors.pop() : undefined;
  for (const error of errors) context.messages.problem(error);
  if (last !== undefined) throw last;
  if (active.length > 0)
    await revokeAll(context, service, active, format, confirm, errors.length > 0);
}

/**
 * Revokes the active keys of a name except one. Names must match exactly, so that no name can mean
 * another key.
 */
export async function pruneKeysCommand(
  context: Context,
  { name, keep, yes, format }: OptionsOf<typeof prune>,
): Promise<void> {
  const confirm = confirmRevocation(context, yes);
  const service = await context.services.open('keys');
  const named = (await listKeys(service.http, false)).filter(
    ({ attributes }) => attributes.name === name && !attributes.revokedAt,
  );
  const kept = named.filter(({ id, attributes }) => id === keep || attributes.keyPrefix === keep);
  const [only] = kept;
  if (only === undefined || kept.length > 1) {
    const problem = only === undefined ? 'no active key' : `${kept.length} active keys`;
    const message =
      `${problem} named '${visible(name)}' with the id or the prefix '${visible(keep)}':` +
      ' nothing was revoked';
    throw new CliError('not-found', message, { hint: context.suggest('keys', 'list') });
  }
  const others = named.filter(({ id }) => id !== only.id);
  if (others.length > 0) return revokeAll(context, service, others, format, confirm);
  context.messages.note(`nothing to revoke: only ${describeKey(only)} has this name`);
}

function confirmRevocation(context: Context, yes: boolean | undefined): Confirm {
  const reason = 'revoking keys asks for confirmation';
  return confirmation(context, { yes, reason, declined: 'nothing was revoked' });
}

/**
 * Revokes keys after a confirmation. @param isPart whether some requested keys are not among them.
 */
async function revokeAll(
  context: Context,
  service: Service,
  keys: readonly ApiKey[],
  format: 'text' | 'json',
  confirm: Confirm,
  isPart = false,
): Promise<void> {
  const { host, messages } = context;
  const { terminal } = host;
  const list = keys.map((key) => `  ${describeKey(key, host.now())}\n`).join('');
  const question =
    keys.length === 1 ? 'Revoke this key for good?' : `Revoke these ${keys.length} keys for good?`;
  await confirm(list + question);
  let failed: ErrorKind | undefined = isPart ? 'rejected' : undefined;
  const revoked: ApiKey[] = [];
  try {
    for (const key of keys) {
      host.signal.throwIfAborted();
      let now: ApiKey;
      try {
        now = await context.untilAnswered(() => revokeKeySafely(service.http, key));
      } catch (error) {
        const { kind, message } = toCliError(error);
        const what = kind === 'unavailable' ? 'may still be active' : 'was not revoked';
        messages.problem(new CliError(kind, `${describeKey(key)} ${what}: ${message}`));
        failed = kind;
        continue;
      }
      revoked.push(key);
      const text = `Revoked ${describeKey(key, terminal.stdout ? host.now() : undefined)}`;
      const change = { outcome: 'revoked', ...keyObject(now) };
      // When stdout fails, the remaining keys are still revoked.
      await context.printChange(format, change, `${text}\n`).catch(() => messages.note(text));
    }
  } finally {
    await afterRevocation(context, repositoryOf(service), revoked);
  }
  if (failed === undefined) return;
  throw new CliError(failed, 'not every key was revoked', {
    hint: context.suggest('keys', 'list'),
  });
}
