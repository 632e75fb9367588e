import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate } from '../../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const record = (attributes: object) => JSON.stringify({ ...COMPLETE_RECORD, ...attributes });
const DOMAINS = 'data.example.org,*.example.net';

async function limited() {
  const emulator = await emulate();
  await emulator.control('accounts/DEMO.REPO/domains', { domains: DOMAINS });
  return emulator;
}

describe('the repository account (service.md, F15)', () => {
  it('is shown by auth status, with its prefixes and domains', async () => {
    const emulator = await limited();
    const { stdout } = await emulator.run(['auth', 'status']);
    expect(stdout).toMatch(
      /^demo\.repo: Demonstration Repository\n {2}prefixes: 10\.5072, 10\.8\d{4}\n {2}landing pages: data\.example\.org, \*\.example\.net$/m,
    );
    const json = await emulator.run(['auth', 'status', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      {
        name: 'Demonstration Repository',
        prefixes: ['10.5072', expect.any(String)],
        domains: DOMAINS.split(','),
      },
    ]);
  });

  it.each([
    [
      'a foreign prefix',
      { doi: '10.5281/a', url: 'https://data.example.org/' },
      'doi',
      /is below 10\.5281.* has 10\.5072/,
    ],
    [
      'a foreign domain',
      { doi: '10.5072/a', url: 'https://example.org/' },
      'url',
      /at a domain that demo\.repo does not allow/,
    ],
    [
      'a domain in other letters',
      { doi: '10.5072/a', url: 'https://Data.example.org/' },
      'url',
      /it allows data\.example\.org/,
    ],
    [
      'the domain above',
      { doi: '10.5072/a', url: 'https://example.net/' },
      'url',
      /it allows data\.example\.org/,
    ],
  ])('refuses %s before it is sent, as the service does', async (_, own, path, message) => {
    const emulator = await limited();
    const stdin = record(own);
    const create = ['dois', 'create', '--file', '-', '--event', 'publish'];
    const checked = await emulator.run(
      ['dois', 'validate', '--file', '-', '--event', 'publish', '--format', 'json'],
      { stdin },
    );
    expect(JSON.parse(checked.stdout)).toMatchObject([
      { valid: false, findings: [{ path, message }] },
    ]);
    expect(await emulator.run(create, { stdin })).toMatchObject({ code: 2, stderr: message });
    const file = join(temporaryDirectory(), 'two.ndjson');
    writeFileSync(
      file,
      `${stdin}\n${record({ doi: '10.5072/b', url: 'https://a.example.net/' })}\n`,
    );
    const many = await emulator.run(['dois', 'create', '--file', file, '--event', 'publish']);
    expect(
      many.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ outcome: 'failed', errors: [{ path }] }, { outcome: 'created' }]);
    const writes = async () => (await emulator.log()).filter(({ method }) => method !== 'GET');
    expect(await writes()).toHaveLength(1);
    const sent = await emulator.run([...create, '--no-validate'], { stdin });
    expect([403, 422]).toContain((await writes()).at(-1)?.status);
    expect(sent.code).not.toBe(0);
  });

  it('does not let a DOI be published that is at a foreign domain', async () => {
    const emulator = await limited();
    const stdin = record({ doi: '10.5072/a', url: 'https://example.org/' });
    expect((await emulator.run(['dois', 'create', '--file', '-'], { stdin })).code).toBe(0);
    expect(await emulator.run(['dois', 'publish', '10.5072/a'])).toMatchObject({
      code: 2,
      stderr: /does not allow/,
    });
    const update = ['dois', 'update', '10.5072/a', '--set', 'url=https://data.example.org/1'];
    expect((await emulator.run(update)).code).toBe(0);
    expect((await emulator.run(['dois', 'publish', '10.5072/a'])).code).toBe(0);
    expect(
      await emulator.run(['dois', 'update', '10.5072/a', '--set', 'url=https://example.org/']),
    ).toMatchObject({
      code: 2,
      stderr: /does not allow/,
    });
  });

  it('is asked once a run, and does no harm where it is not known', async () => {
    const emulator = await emulate({ faults: [] });
    const lines = [1, 2, 3].map((n) => record({ doi: `10.5072/${n}` })).join('\n');
    await emulator.run(['dois', 'create', '--file', '-'], { stdin: lines });
    const asked = (await emulator.log()).filter(({ path }) => path.startsWith('/repositories'));
    expect(asked).toHaveLength(1);
  });
});
