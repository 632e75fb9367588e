import { describe, expect, it } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';

const DAY = 24 * 60 * 60_000;

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
