import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { sharedDirectory } from '../../../helpers/temporary.ts';

const folder = sharedDirectory();
const doi = (place: number) => `10.5072/${place}`;
let emulator: TestEmulator;
let count = 0;

/** A file of DOIs, one of which does not exist; a command for it. */
function update(...more: string[]) {
  count += 1;
  const path = join(folder, `${count}.txt`);
  writeFileSync(path, `${[1, 2, 9, 3].map(doi).join('\n')}\n`);
  return ['dois', 'update', '--file', path, '--set', `version=${count}`, ...more];
}

beforeAll(async () => {
  emulator = await emulate({ records: 0 }, afterAll);
  const stdin = [1, 2, 3]
    .map((place) => `${JSON.stringify({ ...COMPLETE_RECORD, doi: doi(place) })}\n`)
    .join('');
  expect((await emulator.run(['dois', 'create', '--file', '-'], { stdin })).code).toBe(0);
});

describe('the results of many records', () => {
  it.each<
    [string, (text: string) => readonly { readonly doi: string; readonly outcome: string }[]]
  >([
    ['csv', (text) => parse(text, { columns: true })],
    ['tsv', (text) => parse(text, { columns: true, delimiter: '\t' })],
    ['json', (text) => JSON.parse(text)],
    [
      'ndjson',
      (text) =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
    ],
  ])('are all in the file of --out, as %s', async (ending, read) => {
    const out = join(folder, `results.${ending}`);
    const made = await emulator.run(update('--out', out));
    expect(made).toMatchObject({ code: 1, stdout: '' });
    expect(made.stderr).toMatch(
      /3: error: .* does not exist.*\nerror: 4 DOIs in .*: 3 updated, 1 failed\n/,
    );
    const results = read(readFileSync(out, 'utf8'));
    expect(results.map((one) => [one.doi, one.outcome])).toEqual([
      ...[
        [doi(1), 'updated'],
        [doi(2), 'updated'],
        [doi(9), 'failed'],
        [doi(3), 'updated'],
      ],
    ]);
    // A file of results names DOIs to go on with, as those on stdout do.
    expect((await emulator.run(['dois', 'publish', '--file', out])).stderr).toMatch(/1 failed/);
  });

  it('are told of on a terminal next to --out where they failed', async () => {
    const out = join(folder, 'terminal.csv');
    const terminal = { stdout: true, stderr: true, columns: 0 };
    const { stdout, stderr } = await emulator.run(update('--out', out, '--no-color'), { terminal });
    expect(stdout).toBe('');
    expect(stderr).toContain(`LINE  DOI        ERROR\n3     ${doi(9)}  ${doi(9)} does not exist`);
    expect(stderr).not.toContain('FIELD');
  });

  it.each([['r.xlsx'], ['r'], ['r.csv', '--format', 'text']])(
    'refuse --out %s %j',
    async (name, ...more) => {
      const before = (await emulator.log()).length;
      const { code, stderr } = await emulator.run(update('--out', join(folder, name), ...more));
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --out.*\nhint: /)]);
      expect(await emulator.log()).toHaveLength(before);
    },
  );

  it('are only counted beyond some rows of a kind', async () => {
    const path = join(folder, 'many.ndjson');
    const records = Array.from({ length: 60 }, (_, place) => ({
      prefix: place < 8 ? '10.9999' : '10.5072',
    }));
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const argv = ['dois', 'create', '--file', path];
    const { stdout, stderr } = await emulator.run(argv, { terminal: { stdout: true } });
    expect(stdout.match(/ draft$/gm)).toHaveLength(50);
    expect(stdout).toMatch(/\n… and 2 more; --out results\.csv has all\n\nLINE +DOI +ERROR\n1 /);
    expect(stdout.match(/10\.9999/g)).toHaveLength(8);
    expect(stderr).toMatch(/: 52 created, 8 failed$/m);
  });
});
