import { listKeys } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, toCliError } from '../../errors.ts';
import { describe, revoke } from './revoke.ts';

/** What a rotation was doing when it failed. */
export type Step =
  | 'delivering the new key'
  | 'proving that the new key works'
  | 'storing the new key'
  | 'revoking the old key';

interface Failed {
  readonly old: ApiKey;
  readonly fresh: ApiKey;
  readonly step: Step;
  /** Puts back what the new key has replaced where keys are kept, if it has. */
  readonly restore: (() => Promise<void>) | undefined;
  readonly error: unknown;
}

// Cleaning up goes on after an interrupt, but not for ever.
const LONGEST_MS = 60_000;
const RETRIES = 3;

/**
 * Takes a rotation back that failed after the new key was made: what is stored, then the new key.
 * @returns the error that says which keys exist now; undefined when the old key turns out to be revoked, so that
 *   there is nothing to take back.
 */
export async function rollBack(
  context: Context,
  service: Service,
  { old, fresh, step, restore, error }: Failed,
): Promise<CliError | undefined> {
  const failure = toCliError(error);
  // An interrupt must not end the cleaning up that it causes.
  const { http } = await context.connect(service.credentials, { signal: AbortSignal.timeout(LONGEST_MS) });
  const both = `${describe(old)} and ${describe(fresh)}`;
  const says = (words: string, hint: string) =>
    new CliError(failure.kind, `the rotation failed while ${step}: ${failure.message}; ${words}`, {
      hint,
      ...(failure.status === undefined ? {} : { status: failure.status }),
      cause: error,
    });
  const revokeFresh = context.suggest('keys', 'revoke', fresh.id, '--yes');

  if (step === 'revoking the old key') {
    // No answer may mean that it is revoked, and then the new key is the only one.
    const keys = await listKeys(http, true, { retries: RETRIES }).catch(() => undefined);
    const now = keys?.find((key) => key.id === old.id);
    if (now === undefined) {
      return says(
        `it cannot be told whether the old key is still active, so the new one stays: ${both}`,
        context.suggest('keys', 'list', '--include-revoked'),
      );
    }
    if (now.attributes.revokedAt) return undefined;
  }
  try {
    await restore?.();
  } catch (unrestored) {
    return says(
      `the new key is stored and stays, because the stored one could not be put back (${toCliError(unrestored).message}); active are ${both}`,
      context.suggest('keys', 'revoke', old.id, '--yes'),
    );
  }
  try {
    await revoke(http, fresh, { retries: RETRIES });
  } catch (unrevoked) {
    return says(
      `the new key could not be revoked again (${toCliError(unrevoked).message}); active are ${both}`,
      revokeFresh,
    );
  }
  return says(
    `the new key ${fresh.id} is revoked again, and the old one is untouched: ${describe(old)}`,
    failure.hint ?? 'try again',
  );
}
