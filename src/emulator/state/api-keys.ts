import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
// The lengths of a key and of its prefix (service.md, K2, K3).
const RANDOM_LENGTH = 32;
const PREFIX_LENGTH = 11;

/** `lastUsedAt` moves at most once in this time (service.md, K17). */
const LAST_USED_STEP_MS = 15 * 60 * 1000;

/** One API key with its times in milliseconds since 1970. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly key: string;
  readonly created: number;
  /** The creation order; `created` has only whole seconds. */
  readonly sequence: number;
  updated: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** The API keys of all accounts. */
export class ApiKeys {
  readonly #clock: Clock;
  readonly #byId = new Map<string, ApiKey>();
  readonly #byKey = new Map<string, ApiKey>();
  #sequence = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  create(accountId: string, name: string): ApiKey {
    const created = this.#clock.wholeSecond();
    const key: ApiKey = {
      id: randomUUID(),
      accountId,
      name,
      key: newKey(),
      created,
      sequence: this.#sequence++,
      updated: created,
      lastUsedAt: null,
      revokedAt: null,
    };
    this.#byId.set(key.id, key);
    this.#byKey.set(key.key, key);
    return key;
  }

  get(id: string): ApiKey | undefined {
    return this.#byId.get(id);
  }

  /**
   * The key with this text, unless it is revoked; the caller checks whether its account is active.
   */
  authenticate(text: string): ApiKey | undefined {
    const key = this.#byKey.get(text);
    return key?.revokedAt === null ? key : undefined;
  }

  touch(key: ApiKey): void {
    const now = this.#clock.now();
    if (key.lastUsedAt === null || now - key.lastUsedAt > LAST_USED_STEP_MS) key.lastUsedAt = now;
  }

  /** Revoking a revoked key again overwrites `revokedAt` (service.md, K11). */
  revoke(key: ApiKey): void {
    key.revokedAt = this.#clock.now();
    key.updated = this.#clock.wholeSecond();
  }

  /**
   * Active keys, newest first (service.md, K8); with `revoked`, the revoked keys follow, latest
   * revocation first.
   */
  list(accountId: string, revoked: boolean): ApiKey[] {
    const keys = [...this.#byId.values()].filter((key) => key.accountId === accountId);
    const active = keys
      .filter((key) => key.revokedAt === null)
      .sort((a, b) => b.sequence - a.sequence);
    if (!revoked) return active;
    const inactive = keys.filter((key) => key.revokedAt !== null);
    inactive.sort((a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0) || b.sequence - a.sequence);
    return [...active, ...inactive];
  }

  /**
   * Deletes the keys of a deleted account: a new account with the same id does not get them back
   * (service.md, K19).
   */
  deleteAll(accountId: string): void {
    for (const key of this.#byId.values()) {
      if (key.accountId !== accountId) continue;
      this.#byId.delete(key.id);
      this.#byKey.delete(key.key);
    }
  }
}

/**
 * The apiKeys resource (service.md, K1). Only the answer to a creation contains the key itself
 * (service.md, K4).
 */
export function apiKeyResource(key: ApiKey, withKey: boolean): object {
  const attributes = {
    name: key.name,
    keyPrefix: key.key.slice(0, PREFIX_LENGTH),
    created: wholeSeconds(key.created),
    updated: wholeSeconds(key.updated),
    lastUsedAt: fractions(key.lastUsedAt),
    revokedAt: fractions(key.revokedAt),
    ...(withKey ? { key: key.key } : {}),
  };
  // The account's symbol, which is in capitals (service.md, K1).
  const relationships = { client: { data: { id: key.accountId.toUpperCase(), type: 'clients' } } };
  return { id: key.id, type: 'apiKeys', attributes, relationships };
}

/** `created` and `updated` have whole seconds, the other times fractions (service.md, K18). */
function wholeSeconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

function fractions(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

function newKey(): string {
  // Bytes from 248 on are dropped: 256 is not a multiple of 62, so the first characters would be
  // more frequent.
  const bytes = [...randomBytes(RANDOM_LENGTH * 4)]
    .filter((byte) => byte < 248)
    .slice(0, RANDOM_LENGTH);
  return `DC.${bytes.map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}
