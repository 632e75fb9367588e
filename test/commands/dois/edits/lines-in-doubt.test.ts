import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAKE } from '../../../helpers/editing.ts';
import { emulate, type TestEmulator } from '../../../helpers/emulator.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

interface Result {
  readonly doi: string | null;
  readonly outcome: string;
  readonly errors: readonly { message: string }[];
}

const line = (doi: string | undefined, title: string) => ({ ...LAKE, doi, titles: [{ title }] });
const cells = (doi: string | undefined, title: string) =>
  `${doi ?? ''},${title},"Doe, Jane",CERN,2024,Dataset,https://example.org/1`;
const HEADS =
  'doi,titles[0].title,creators[0].name,publisher.name,publicationYear,types.resourceTypeGeneral,url';

/** Files of two records, whose first title is given. */
const FILES: readonly (readonly [
  name: string,
  ending: string,
  text: (title: string, dois: string[]) => string,
])[] = [
  [
    'NDJSON',
    'ndjson',
    (title, [one, two]) =>
      `${JSON.stringify(line(one, title))}\n${JSON.stringify(line(two, 'Second'))}\n`,
  ],
  [
    'CSV',
    'csv',
    (title, [one, two]) => `${HEADS}\n${cells(one, title)}\n${cells(two, 'Second')}\n`,
  ],
  [
    'a list as JSON',
    'json',
    (title, [one, two]) =>
      `[${JSON.stringify(line(one, title))},\n${JSON.stringify(line(two, 'Second'))}]\n`,
  ],
];
const DOIS: readonly (readonly [name: string, dois: string[], options: readonly string[]])[] = [
  ['that name their DOIs', ['10.5072/doubt-1', '10.5072/doubt-2'], []],
  ['whose DOIs are generated', [], ['--prefix', '10.5072']],
];

async function run(emulator: TestEmulator, path: string, options: readonly string[]) {
  const before = (await emulator.log()).length;
  const argv = [
    'dois',
    'create',
    '--file',
    path,
    '--format',
    'ndjson',
    '--retries',
    '0',
    '--jobs',
    '1',
    ...options,
  ];
  const { code, stdout, stderr } = await emulator.run(argv);
  const lines = stdout.split('\n').filter((text) => text !== '');
  const results = lines.map((text) => JSON.parse(text) as Result);
  return { code, stderr, results, requests: (await emulator.log()).length - before };
}

const titles = async (emulator: TestEmulator) => {
  const { stdout } = await emulator.run(['dois', 'list', '--all', '--mine']);
  const records = stdout.split('\n').filter((text) => text !== '');
  return records.map((text) => JSON.parse(text).attributes.titles[0].title as string).sort();
};

describe.each(FILES)('records of %s', (_, ending, text) => {
  describe.each(ending === 'ndjson' ? DOIS : DOIS.slice(1))('%s', (__, dois, options) => {
    /** A file whose first record is created, but its answer is lost, and then the service fails. */
    async function inDoubt() {
      const emulator = await emulate({ records: 0 });
      const path = join(temporaryDirectory(), `in.${ending}`);
      writeFileSync(path, text('First', dois));
      await emulator.control('faults', { faults: ['lost-answer@1', '500@4+'] });
      const first = await run(emulator, path, options);
      await emulator.control('faults', { faults: [] });
      return { emulator, path, first };
    }

    it('of which one may have been created say so, and how to go on', async () => {
      const { emulator, path, first } = await inDoubt();
      expect(first.code, first.stderr).not.toBe(0);
      expect(first.stderr).toMatch(/run the same command again, unchanged/);
      expect(first.stderr).not.toMatch(/correct the (?:line|file)s that failed/);
      expect(first.results[0]).toMatchObject({
        outcome: 'failed',
        errors: [
          {
            message: expect.stringMatching(
              /may have been created: run the same command again, unchanged/,
            ),
          },
        ],
      });
      const second = await run(emulator, path, options);
      expect([second.code, second.results.map(({ outcome }) => outcome)]).toEqual([
        0,
        ['created', 'created'],
      ]);
      expect(await titles(emulator)).toEqual(['First', 'Second']);
      expect(await run(emulator, path, options)).toMatchObject({ code: 0 });
      expect(await titles(emulator)).toEqual(['First', 'Second']);
    });

    it('of which one was edited while it is in doubt are refused until it is as it was', async () => {
      const { emulator, path } = await inDoubt();
      const before = readFileSync(path, 'utf8');
      for (const changed of [
        text('Edited', dois),
        text('', dois),
        before.replace(/^.*First.*$/m, ''),
      ]) {
        writeFileSync(path, changed);
        const { code, stderr, requests } = await run(emulator, path, options);
        expect([code, requests], stderr).toEqual([2, 0]);
        if (changed.includes('Edited'))
          expect(stderr).toMatch(
            /has changed since it was sent, and may have been carried out.*put the line back/,
          );
      }
      expect(await titles(emulator)).toEqual(['First']);
      writeFileSync(path, before);
      expect(await run(emulator, path, options)).toMatchObject({ code: 0 });
      expect(await titles(emulator)).toEqual(['First', 'Second']);
    });
  });

  it('that were refused may be corrected, next to one in doubt', async () => {
    const emulator = await emulate({ records: 0 });
    const taken = JSON.stringify(line('10.5072/taken', 'Taken'));
    expect((await emulator.run(['dois', 'create', '--file', '-'], { stdin: taken })).code).toBe(0);
    const path = join(temporaryDirectory(), `in.${ending}`);
    writeFileSync(path, text('First', ['10.5072/doubt-1', '10.5072/taken']));
    await emulator.control('faults', { faults: ['lost-answer@1'] });
    const { code, stderr } = await run(emulator, path, []);
    await emulator.control('faults', { faults: [] });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/unchanged.*correct only the lines that were refused/),
    ]);
    writeFileSync(path, text('First', ['10.5072/doubt-1', '10.5072/doubt-2']));
    expect(await run(emulator, path, [])).toMatchObject({
      code: 0,
      results: [{ outcome: 'created' }, { outcome: 'created' }],
    });
    expect(await titles(emulator)).toEqual(['First', 'Second', 'Taken']);
  });
});
