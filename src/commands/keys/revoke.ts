import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import { repositoryOf } from '../../cli/service.ts';
import { untilAnswered } from '../../cli/uninterruptible.ts';
import { asRevoked, revokeKeySafely } from '../../core/key-changes.ts';
import { CliError, type ErrorKind, type Problem, toCliError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import { changeLine } from './key-rows.ts';
import { describeKey, matchKey } from './reference.ts';
import { afterRevocation } from './stored-key.ts';

interface RevokeOptions {
  readonly yes?: boolean;
  readonly format: 'text' | 'json';
}

/**
 * Revokes the named keys, after a confirmation. A wrong reference or a failure does not stop the others: a
 * leaked key must not stay active because of a typo in another name. A stored key that is revoked, now or
 * before, is also erased.
 * @throws {CliError} kind `usage` before any request when nobody can be asked and `--yes` is missing; an
 *   error at the end when a key was not revoked.
 */
export async function revokeKeysCommand(
  context: Context,
  references: readonly string[],
  { yes, format }: RevokeOptions,
): Promise<void> {
  const confirmed = confirmedBy(context, yes, ['revoke', ...references]);
  const service = await context.service('keys');
  const { keys, revoked, errors } = matchKeys(context, await listKeys(service.http, true), references);
  if (format === 'json') await context.out.write(...revoked.map((key) => changeLine('already-revoked', key)));
  await afterRevocation(context, repositoryOf(service), revoked);
  const last = keys.length === 0 ? errors.pop() : undefined;
  const problems = errors.flatMap((error) => reported(context, error));
  if (last !== undefined) throw withProblems(last, problems);
  if (keys.length === 0) return;
  await revokeListed(context, service, keys, { confirmed, format, incomplete: errors.length > 0, problems });
}

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
  const confirmed = confirmedBy(context, yes, ['prune', '--name', name, '--keep', keep]);
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

function confirmedBy(context: Context, yes: boolean | undefined, words: readonly string[]) {
  return confirmation(context, {
    yes,
    reason: 'revoking keys asks for confirmation',
    retry: context.suggest('keys', ...words, '--yes'),
    declined: 'nothing was revoked',
  });
}

interface Revocation extends Pick<RevokeOptions, 'format'> {
  readonly confirmed: (question: string) => Promise<void>;
  /** Whether the user has asked for more than these keys. */
  readonly incomplete?: boolean;
  /** What was wrong with that, if it is not printed yet. */
  readonly problems?: readonly Problem[];
}

/**
 * Lists keys in a question, and revokes them once it is confirmed; erases one of them that is stored.
 * @throws {CliError} at the end, when a key was not revoked.
 */
async function revokeListed(
  context: Context,
  service: Service,
  keys: readonly ApiKey[],
  { confirmed, format, incomplete = false, problems = [] }: Revocation,
): Promise<void> {
  const list = keys.map((key) => `  ${describeKey(key, context.host.now())}\n`).join('');
  await confirmed(
    list + (keys.length === 1 ? 'Revoke this key for good?' : `Revoke these ${keys.length} keys for good?`),
  );
  const all = [...problems];
  const failed = await revokeAll(context, service, keys, format, all);
  const kind = failed ?? (incomplete ? 'rejected' : undefined);
  if (kind === undefined) return;
  const error = new CliError(kind, 'not every key was revoked', { hint: context.suggest('keys', 'list') });
  throw withProblems(error, all);
}

/** Prints an error that does not end the run; as JSON it is a problem of the error at the end. */
function reported(context: Context, error: CliError): readonly Problem[] {
  return context.messages.reportAsText(error) ? [] : [{ path: null, message: error.message }];
}

function withProblems(error: CliError, problems: readonly Problem[]): CliError {
  if (problems.length === 0) return error;
  return error.with({ problems, lines: problems.map(({ message }) => message) });
}

/** The active and the revoked keys that the references mean, and the errors of references to no key or to several. */
function matchKeys(context: Context, keys: readonly ApiKey[], references: readonly string[]) {
  const errors: CliError[] = [];
  const active = new Set<ApiKey>();
  const revoked: ApiKey[] = [];
  for (const reference of references) {
    try {
      const key = matchKey(context, keys, reference, 'revoke');
      if (key.attributes.revokedAt) {
        context.messages.note(`already revoked: ${describeKey(key)}`);
        revoked.push(key);
      } else active.add(key);
    } catch (error) {
      errors.push(toCliError(error));
    }
  }
  return { keys: [...active], revoked, errors };
}

/**
 * @param problems gets the failures that are not printed.
 * @returns the kind of the last failure, if there was one.
 */
async function revokeAll(
  context: Context,
  service: Service,
  keys: readonly ApiKey[],
  format: RevokeOptions['format'],
  problems: Problem[],
): Promise<ErrorKind | undefined> {
  let failed: ErrorKind | undefined;
  const revoked: ApiKey[] = [];
  try {
    for (const key of keys) {
      context.host.signal.throwIfAborted();
      try {
        await untilAnswered(context, () => revokeKeySafely(service.http, key));
      } catch (error) {
        const { kind, message } = toCliError(error);
        const problem = new CliError(kind, `${describeKey(key)} was not revoked: ${message}`);
        problems.push(...reported(context, problem));
        failed = kind;
        continue;
      }
      revoked.push(key);
      const { terminal, now } = context.host;
      const text = `Revoked ${describeKey(key, terminal.stdout ? now() : undefined)}`;
      const line =
        format === 'json'
          ? changeLine('revoked', await untilAnswered(context, () => asRevoked(service.http, key)))
          : `${text}\n`;
      // When stdout fails, the remaining keys are still revoked.
      await context.out.write(line).catch(() => context.messages.note(text));
    }
  } finally {
    await afterRevocation(context, repositoryOf(service), revoked);
  }
  return failed;
}
