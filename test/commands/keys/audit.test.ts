import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../../src/api/keys.ts';
import { auditKeys } from '../../../src/commands/keys/audit.ts';
import { emulate } from '../../helpers/emulator.ts';

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

describe('keys audit', () => {
  it('prints the findings in every format', async () => {
    const { run, newKey, anonymous } = await emulate();
    const used = await newKey('used');
    await anonymous(['dois', 'list', '--count'], { env: { DOI_CLI_API_KEY: used.key } });
    const { id, prefix } = await newKey('a,b');
    const table = await run(['keys', 'audit', '--grace', '0s']);
    expect(table).toMatchObject({ code: 0, stderr: /^1 of 2 active keys need attention\n$/ });
    expect(table.stdout).toMatch(
      new RegExp(`^ID .*FINDINGS\n${id}  a,b +${prefix}  \\S+  never +never used\n$`),
    );
    const listed = JSON.parse((await run(['keys', 'list', '--format', 'json'])).stdout) as {
      id: string;
    }[];
    const one = listed.find((each) => each.id === id);
    const json = await run(['keys', 'audit', '--grace', '0s', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toEqual([{ ...one, findings: ['never-used'] }]);
    expect(one).toMatchObject({
      id,
      attributes: { name: 'a,b', keyPrefix: prefix, lastUsedAt: null },
    });
    const ndjson = await run(['keys', 'audit', '--grace', '0s', '--format', 'ndjson']);
    expect(JSON.parse(ndjson.stdout)).toMatchObject({ id });
    const csv = await run(['keys', 'audit', '--grace', '0s', '--format', 'csv']);
    expect(csv.stdout).toMatch(
      new RegExp(
        `^id,name,keyPrefix,created,lastUsedAt,revokedAt,findings\n${id},"a,b",${prefix},\\d{4}-\\S+Z,,,never-used\n$`,
      ),
    );
  });
  it('tells days, and takes its limits from the options', async () => {
    const { run, newKey, anonymous } = await emulate();
    const { key: used } = await newKey('used');
    await anonymous(['dois', 'list', '--count'], { env: { DOI_CLI_API_KEY: used } });
    const later = { now: () => Date.now() + 100 * DAY + 60_000 };
    expect((await run(['keys', 'audit', '--exit-code'])).code).toBe(0);
    const stale = await run(['keys', 'audit', '--exit-code'], later);
    expect([stale.code, stale.stdout]).toEqual([1, /unused for 100 days\n/]);
    const old = await run(['keys', 'audit', '--stale', '200d', '--max-age', '50d'], later);
    expect([old.code, old.stdout]).toEqual([0, / 100 days old\n/]);
    const none = await run(
      ['keys', 'audit', '--stale', '200d', '--exit-code', '--format', 'json'],
      later,
    );
    expect([none.code, none.stdout]).toEqual([0, '[]\n']);
  });
  it('ends with 1 on findings only with --exit-code, and refuses what is no duration', async () => {
    const { run, newKey, log } = await emulate();
    expect(await run(['keys', 'audit', '--exit-code'])).toMatchObject({ code: 0, stdout: '' });
    await newKey('a');
    // A key of today is no finding: a rotation that is followed by an audit raises no alarm.
    expect(await run(['keys', 'audit', '--exit-code'])).toMatchObject({ code: 0, stdout: '' });
    expect(await run(['keys', 'audit', '--grace', '0s'])).toMatchObject({ code: 0 });
    expect(await run(['keys', 'audit', '--grace', '0s', '--exit-code'])).toMatchObject({ code: 1 });
    const later = { now: () => Date.now() + 8 * DAY };
    expect(await run(['keys', 'audit', '--exit-code'], later)).toMatchObject({ code: 1 });
    const before = (await log()).length;
    expect(await run(['keys', 'audit', '--stale', '90'])).toMatchObject({
      code: 2,
      stderr: /not a duration/,
    });
    expect(await log()).toHaveLength(before);
  });
});
