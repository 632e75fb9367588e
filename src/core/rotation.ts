import { verifyApiKey } from '../api/account.ts';
import type { Http } from '../api/http/http.ts';
import { type ApiKey, listKeys, type NewApiKey } from '../api/keys.ts';
import type { Service } from '../api/service.ts';
import { CliError, toCliError } from '../errors.ts';
import type { Suggest } from '../text/shell-word.ts';
import { describeKey, MAX_ROLLBACK_MS, revokeKeySafely } from './key-changes.ts';

/** The old and the new key, and the steps between the creation of one and the end of the other. */
interface Rotation {
  readonly http: Http;
  readonly account: string;
  readonly old: ApiKey;
  readonly fresh: NewApiKey;
  readonly keepOld?: boolean | undefined;
  /** Stops between two stages, and rolls back. */
  readonly signal: AbortSignal;
  deliver(): Promise<void>;
  connect(): Promise<Service>;
  /** Stores the new key. @returns a function that restores what was stored before. */
  save(): Promise<(() => Promise<void>) | undefined>;
  onStage(stage: string): void;
  readonly suggest: Suggest;
}

/** The last stage: after a lost answer, the key may be revoked. */
const REVOKING = 'revoking the old key';

const ROLLBACK_RETRIES = 3;

/**
 * Delivers a new key, proves that it works, stores it, and only then revokes the old one, which it
 * returns. After any failure the new key is revoked and the old one stays; the error says which
 * keys exist.
 */
export async function replaceKey(rotation: Rotation): Promise<ApiKey> {
  const { http, account, old, keepOld, signal } = rotation;
  let replaced = old;
  let restore: (() => Promise<void>) | undefined;
  const stages: readonly (readonly [stage: string, run: () => Promise<unknown>])[] = [
    ['delivering the new key', () => rotation.deliver()],
    ['proving that the new key works', async () => verifyApiKey(await rotation.connect(), account)],
    [
      'storing the new key',
      async () => {
        restore = await rotation.save();
      },
    ],
    [
      REVOKING,
      async () => {
        if (!keepOld) replaced = await revokeKeySafely(http, old);
      },
    ],
  ];
  let stage = '';
  try {
    for (const [name, run] of stages) {
      stage = name;
      rotation.onStage(name);
      signal.throwIfAborted();
      await run();
    }
  } catch (error) {
    const outcome = await rollBack(rotation, stage, restore, toCliError(error));
    if (outcome instanceof CliError) throw outcome;
    replaced = outcome;
  }
  return replaced;
}

/**
 * Rolls back a rotation.
 * @returns the error that says which keys exist; the old key when it was revoked after all.
 */
async function rollBack(
  { http: interruptible, old, fresh, suggest }: Rotation,
  stage: string,
  restore: (() => Promise<void>) | undefined,
  failure: CliError,
): Promise<CliError | ApiKey> {
  // The signal of the rotation may be aborted already.
  const http = interruptible.stoppedBy(AbortSignal.timeout(MAX_ROLLBACK_MS));
  const both = `${describeKey(old)} and ${describeKey(fresh)}`;
  // Exit code 2 would say that nothing was sent.
  const kind = failure.kind === 'usage' ? 'output' : failure.kind;
  const failed = (outcome: string, hint: string) =>
    failure.with({
      kind,
      message: `the rotation failed while ${stage}: ${failure.message}; ${outcome}`,
      hint,
    });

  if (stage === REVOKING) {
    // Without an answer the old key may be revoked, and then the new one is the only key.
    const keys = await listKeys(http, true, { retries: ROLLBACK_RETRIES }).catch(() => undefined);
    const now = keys?.find((key) => key.id === old.id);
    if (now === undefined) {
      return failed(
        `it is unknown whether the old key is still active, so the new one stays: ${both}`,
        suggest('keys', 'list', '--include-revoked'),
      );
    }
    if (now.attributes.revokedAt) return now;
  }
  try {
    await restore?.();
  } catch (error) {
    const reason = `the stored one could not be put back (${toCliError(error).message})`;
    return failed(
      `the new key is stored and stays, because ${reason}; active are ${both}`,
      suggest('keys', 'revoke', old.id, '--yes'),
    );
  }
  try {
    await revokeKeySafely(http, fresh, { retries: ROLLBACK_RETRIES });
  } catch (error) {
    return failed(
      `the new key could not be revoked again (${toCliError(error).message}); active are ${both}`,
      suggest('keys', 'revoke', fresh.id, '--yes'),
    );
  }
  return failed(
    `the new key ${fresh.id} is revoked again, and the old one is untouched: ${describeKey(old)}`,
    failure.hint ?? 'try again',
  );
}
