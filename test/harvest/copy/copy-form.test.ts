import { describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { all, COMPLETE, harvest, latest, linesIn, newDirectory, send } from '../copy-on-disk.ts';

const FILTERS = ['--state', 'findable'];
const NAMES = ['--filter', 'affiliation=false', '--filter', 'publisher=false'];
const AS_NAMES = ['affiliation=false publisher=false'];
const AS_OBJECTS = ['affiliation=true publisher=true'];

async function ok({ run }: TestEmulator, argv: readonly string[]): Promise<string> {
  const { code, stderr } = await run(argv);
  expect(code, stderr).toBe(0);
  return stderr;
}

/** The forms that the requests of a run ask for: `affiliation=true publisher=-`. */
async function formsOf(emulator: TestEmulator, argv: readonly string[]): Promise<string[]> {
  const before = (await emulator.log()).length;
  await ok(emulator, argv);
  const forms = (await emulator.log()).slice(before).flatMap(({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://x');
    const form = ['affiliation', 'publisher'].map(
      (name) => `${name}=${searchParams.get(name) ?? '-'}`,
    );
    // An answer without records may also be asked for to find the account.
    return pathname !== '/dois' || !searchParams.has('state') ? [] : [form.join(' ')];
  });
  return [...new Set(forms)];
}

describe('a copy', () => {
  it('has objects', async () => {
    const emulator = await emulate({ records: 150 });
    const dir = newDirectory();
    for (const typed of [FILTERS, []])
      expect(await formsOf(emulator, harvest(dir, ...typed))).toEqual(AS_OBJECTS);
    expect(linesIn(dir)).toEqual(await all(emulator, ...FILTERS));
  });

  it('of names is continued with the same filters or none', async () => {
    const emulator = await emulate({ records: 150 });
    const dir = newDirectory();
    for (const typed of [[...FILTERS, ...NAMES], [], [...FILTERS, ...NAMES]]) {
      expect(await formsOf(emulator, harvest(dir, ...typed))).toEqual(AS_NAMES);
      await send(emulator, 'PUT', '10.5072/new', COMPLETE);
    }
    await ok(emulator, harvest(dir));
    expect(latest(dir)).toEqual(await all(emulator, ...FILTERS, ...NAMES));
    expect(await emulator.run(harvest(dir, ...FILTERS))).toMatchObject({
      code: 2,
      stderr:
        /another query \(affiliation: false there, true here; publisher: false there, true here\)/,
    });
    const tables = ['dois', 'harvest', 'export', '--dir', dir, '--out', temporaryDirectory()];
    expect((await ok(emulator, tables)).match(/^warning.*$/gm)).toEqual([
      'warning: this copy holds affiliations as names: creators.ror is empty; a new copy has it',
      'warning: this copy holds publishers as names: publisher_ror is empty; a new copy has it',
    ]);
    const fresh = harvest(dir, ...FILTERS, '--fresh', '--yes');
    expect(await formsOf(emulator, fresh)).toEqual(AS_OBJECTS);
  });

  it('of names is shared out by its plan', async () => {
    const emulator = await emulate({ records: 150 });
    const dir = newDirectory();
    await ok(emulator, harvest(dir, ...FILTERS, ...NAMES, '--plan'));
    const forms: string[] = [];
    for (const shard of ['1/2', '2/2'])
      forms.push(...(await formsOf(emulator, harvest(dir, '--shard', shard))));
    expect([...new Set(forms)]).toEqual(AS_NAMES);
    expect(latest(dir)).toEqual(await all(emulator, ...FILTERS, ...NAMES));
  });
});
