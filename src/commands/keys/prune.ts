import { listKeys } from '../../api/keys.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import { describeKey } from './reference.ts';
import { type RevokeOptions, revokeListed } from './revoke.ts';

interface PruneOptions extends RevokeOptions {
  readonly name: string;
  /** The id or the prefix of the key that stays. */
  readonly keep: string;
}

/**
 * Revokes the active keys of a name except for one, after a confirmation: what rotations leave that were
 * killed. Names are compared as a whole and never read in any other way, so that no name can mean another key.
 * @throws {CliError} kind `usage` before any request when nobody can be asked and `--yes` is missing; kind
 *   `not-found` when the key to keep is not an active key of that name: nothing is revoked then.
 */
export async function pruneKeysCommand(
  context: Context,
  { name, keep, yes, format }: PruneOptions,
): Promise<void> {
  const confirmed = confirmation(context, {
    yes,
    reason: 'revoking keys asks for confirmation',
    retry: context.suggest('keys', 'prune', '--name', name, '--keep', keep, '--yes'),
    declined: 'nothing was revoked',
  });
  const service = await context.service('keys');
  const named = (await listKeys(service.http, false)).filter(
    ({ attributes }) => attributes.name === name && !attributes.revokedAt,
  );
  const kept = named.filter(({ id, attributes }) => id === keep || attributes.keyPrefix === keep);
  const [only] = kept;
  if (only === undefined || kept.length > 1) {
    const problem = only === undefined ? 'no active key' : `${kept.length} active keys`;
    const message = `${problem} named '${visible(name)}' with the id or the prefix '${visible(keep)}': nothing was revoked`;
    throw new CliError('not-found', message, { hint: context.suggest('keys', 'list') });
  }
  const others = named.filter((key) => key !== only);
  if (others.length === 0) {
    context.messages.note(`nothing to revoke: only ${describeKey(only)} has this name`);
    return;
  }
  await revokeListed(context, service, others, { confirmed, format });
}
