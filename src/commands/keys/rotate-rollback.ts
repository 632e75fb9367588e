import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { type CliError, toCliError } from '../../errors.ts';
import { describeKey } from './reference.ts';
import { revokeKeySafely } from './revoke.ts';

/** The stages of a rotation after the new key is created, as the error messages name them. */
export type RotationStage =
  | 'delivering the new key'
  | 'proving that the new key works'
  | 'storing the new key'
  | 'revoking the old key';

interface FailedRotation {
  readonly old: ApiKey;
  readonly fresh: ApiKey;
  readonly stage: RotationStage;
  /** Restores the credential that the new key replaced in the store; undefined if it replaced none. */
  readonly restore: (() => Promise<void>) | undefined;
  readonly error: unknown;
}

// An interrupt does not stop the rollback, so it has a time limit.
const LONGEST_MS = 60_000;
const RETRIES = 3;

/**
 * Rolls back a rotation that failed after the new key was created: restores the stored credential, then
 * revokes the new key.
 * @returns the error that says which keys exist now; undefined when the old key is revoked after all, so that
 *   the rotation has succeeded.
 */
export async function rollBack(
  context: Context,
  service: Service,
  { old, fresh, stage, restore, error }: FailedRotation,
): Promise<CliError | undefined> {
  const failure = toCliError(error);
  // The run's own signal may be aborted already.
  const { http } = await context.connect(service.credentials, { signal: AbortSignal.timeout(LONGEST_MS) });
  const both = `${describeKey(old)} and ${describeKey(fresh)}`;
  const failed = (outcome: string, hint: string) =>
    failure.with({ message: `the rotation failed while ${stage}: ${failure.message}; ${outcome}`, hint });

  if (stage === 'revoking the old key') {
    // Without an answer the old key may be revoked, and then the new one is the only key.
    const keys = await listKeys(http, true, { retries: RETRIES }).catch(() => undefined);
    const now = keys?.find((key) => key.id === old.id);
    if (now === undefined) {
      return failed(
        `it is unknown whether the old key is still active, so the new one stays: ${both}`,
        context.suggest('keys', 'list', '--include-revoked'),
      );
    }
    if (now.attributes.revokedAt) return undefined;
  }
  try {
    await restore?.();
  } catch (unrestored) {
    return failed(
      `the new key is stored and stays, because the stored one could not be put back (${toCliError(unrestored).message}); active are ${both}`,
      context.suggest('keys', 'revoke', old.id, '--yes'),
    );
  }
  try {
    await revokeKeySafely(http, fresh, { retries: RETRIES });
  } catch (unrevoked) {
    return failed(
      `the new key could not be revoked again (${toCliError(unrevoked).message}); active are ${both}`,
      context.suggest('keys', 'revoke', fresh.id, '--yes'),
    );
  }
  return failed(
    `the new key ${fresh.id} is revoked again, and the old one is untouched: ${describeKey(old)}`,
    failure.hint ?? 'try again',
  );
}
