import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../src/api/keys.ts';
import { auditKeys } from '../../src/core/key-audit.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const LIMITS = { stale: 90 * DAY, maxAge: 365 * DAY, grace: 0 };

function key(
  id: string,
  age: number,
  unused: number | null,
  more: Partial<ApiKey['attributes']> = {},
): ApiKey {
  const time = (ago: number) => new Date(NOW - ago).toISOString();
  const created = time(age);
  const lastUsedAt = unused === null ? null : time(unused);
  return {
    id,
    type: 'apiKeys',
    attributes: {
      name: id,
      keyPrefix: `DC.${id}`,
      created,
      updated: created,
      lastUsedAt,
      revokedAt: null,
      ...more,
    },
  };
}

const findings = (keys: readonly ApiKey[], limits = LIMITS) =>
  Object.fromEntries(
    [...auditKeys(keys, NOW, limits)].map(([key, found]) => [key.id, found.map(([name]) => name)]),
  );

describe('the audit of keys', () => {
  it('finds what was never used, unused for long, too old, or named twice', () => {
    const keys = [
      key('good', 10 * DAY, DAY),
      key('unused', DAY, null),
      key('stale', 100 * DAY, 91 * DAY),
      key('old', 366 * DAY, DAY),
      key('old and unused', 400 * DAY, null),
      key('a', DAY, DAY, { name: 'twin' }),
      key('b', DAY, DAY, { name: 'twin' }),
      key('revoked', 400 * DAY, null, { revokedAt: new Date(NOW).toISOString(), name: 'good' }),
    ];
    expect(findings(keys)).toEqual({
      unused: ['never-used'],
      stale: ['stale'],
      old: ['too-old'],
      'old and unused': ['never-used', 'too-old'],
      a: ['duplicate-name'],
      b: ['duplicate-name'],
    });
  });
  it('calls nothing stale that may have been used within the limit, since the time moves in steps', () => {
    const limits = { stale: 10 * MINUTE, maxAge: 365 * DAY, grace: 0 };
    expect(findings([key('a', DAY, 25 * MINUTE)], limits)).toEqual({});
    expect(findings([key('a', DAY, 26 * MINUTE)], limits)).toEqual({ a: ['stale'] });
    fc.assert(
      fc.property(fc.nat(DAY), fc.nat(15 * MINUTE), (stale, step) => {
        // Used just within the limit, and recorded up to 15 minutes earlier.
        expect(
          findings([key('a', DAY, stale + step)], { stale, maxAge: 365 * DAY, grace: 0 }),
        ).toEqual({});
      }),
    );
  });
  it('gives a new key time to be used, but never more than a used one has', () => {
    const limits = { ...LIMITS, grace: 7 * DAY };
    const keys = [key('new', 7 * DAY, null), key('week', 7 * DAY + 1, null)];
    expect(findings(keys, limits)).toEqual({ week: ['never-used'] });
    expect(findings(keys, { ...limits, stale: DAY })).toEqual({
      new: ['never-used'],
      week: ['never-used'],
    });
    expect(findings([key('odd', 0, null, { created: 'today' })], limits)).toEqual({
      odd: ['never-used', 'age-unreadable'],
    });
  });
});
