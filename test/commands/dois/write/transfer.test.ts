import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD, REPOSITORY } from '../../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';

const MEMBER = { DOI_CLI_REPOSITORY: 'DEMO', DOI_CLI_PASSWORD: 'member' };
const OTHER = { DOI_CLI_REPOSITORY: 'DEMO.OTHER', DOI_CLI_PASSWORD: 'other' };

async function withMember(faults: readonly string[] = []) {
  const accounts = [
    { id: REPOSITORY, password: PASSWORD },
    { id: 'DEMO.OTHER', password: 'other' },
    { id: 'DEMO', password: 'member' },
  ];
  const emulator = await emulate({ records: 0, accounts, faults });
  for (const doi of ['10.5072/a', '10.5072/b']) {
    const stdin = JSON.stringify({ ...COMPLETE_RECORD, doi, event: 'publish' });
    expect((await emulator.run(['dois', 'create', '--file', '-'], { stdin })).code).toBe(0);
  }
  const puts = async () => (await emulator.log()).filter(({ method }) => method === 'PUT').length;
  return { ...emulator, puts };
}

const transfer = ['dois', 'transfer', '10.5072/a', '--to', 'DEMO.OTHER'];

describe('dois transfer (service.md, W19)', () => {
  it('gives a DOI to another repository, once, with all that it holds', async () => {
    const { run, puts } = await withMember();
    const before = JSON.parse((await run(['dois', 'get', '10.5072/a'])).stdout);
    const dry = await run([...transfer, '--dry-run', '--format', 'json'], { env: MEMBER });
    expect(JSON.parse(dry.stdout).changes).toEqual([
      { path: 'repository', before: 'demo.repo', after: 'demo.other' },
    ]);
    const { code, stdout, stderr } = await run([...transfer, '--yes'], { env: MEMBER });
    expect(code, stderr).toBe(0);
    const after = JSON.parse(stdout);
    expect(after.relationships.client.data.id).toBe('demo.other');
    expect(after.attributes.titles).toEqual(before.attributes.titles);
    expect(await run([...transfer, '--yes'], { env: MEMBER })).toMatchObject({
      code: 0,
      stderr: /already/,
    });
    expect(await puts()).toBe(1);
    const change = ['dois', 'update', '10.5072/a', '--set', 'version=2'];
    expect((await run(change)).code).not.toBe(0);
    expect((await run(change, { env: OTHER })).code).toBe(0);
  });

  it('asks, and is refused without an answer, a member or such a repository', async () => {
    const { run, puts } = await withMember();
    const terminal = { stdin: true, stdout: true, stderr: true };
    const asked = await run(transfer, { env: MEMBER, terminal, stdin: 'n\n' });
    expect(asked).toMatchObject({
      code: 1,
      stderr: /Transfer 1 DOI to demo\.other\? Their present repository can/,
    });
    expect(await run(transfer, { env: MEMBER })).toMatchObject({
      code: 2,
      stderr: /transfer asks for confirmation/,
    });
    expect(await run([...transfer, '--yes'])).toMatchObject({
      code: 2,
      stderr: /only a member \(provider\) transfers/,
    });
    const to = ['dois', 'transfer', '10.5072/a', '--to', 'DEMO.NONE', '--yes'];
    expect(await run(to, { env: MEMBER })).toMatchObject({
      code: 2,
      stderr: /knows no repository demo\.none/,
    });
    expect(await puts()).toBe(0);
  });
});
