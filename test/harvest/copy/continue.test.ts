import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';
import { ledgerIn, linesIn, newDirectory, sortedLines } from '../copy-on-disk.ts';

const stderr = (pattern: RegExp) => ({ code: 2, stderr: expect.stringMatching(pattern) });

describe('a harvest without filters', () => {
  it('continues the query of its directory', async () => {
    const emulator = await emulate();
    const dir = newDirectory();
    const harvest = (...more: string[]) => emulator.run(['dois', 'harvest', '--dir', dir, ...more]);
    expect(await harvest('--mine', '--query', 'aasm_state:findable')).toMatchObject({ code: 0 });
    const had = linesIn(dir);
    const { query } = ledgerIn(dir);
    expect(await harvest()).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('Draft'),
    });
    expect(ledgerIn(dir)).toMatchObject({
      query,
      generations: [{ kind: 'full' }, { kind: 'update' }],
    });
    expect(linesIn(dir).length).toBeGreaterThanOrEqual(had.length);

    // --fresh alone keeps the query, too.
    expect(await harvest('--fresh', '--yes')).toMatchObject({
      code: 0,
      stderr: /starting over with the query of the directory: .*--client-id demo\.repo/,
    });
    expect(ledgerIn(dir)).toMatchObject({ query, generations: [{ kind: 'full' }] });
    expect(linesIn(dir)).toEqual(had);
  });

  it('is named in the refusal of another query, with the command that continues', async () => {
    const emulator = await emulate();
    const dir = newDirectory();
    const harvest = (...more: string[]) => emulator.run(['dois', 'harvest', '--dir', dir, ...more]);
    const filters = [
      '--mine',
      '--query',
      'a OR aasm_state:findable',
      '--fields',
      'doi,created',
      '--filter',
      'has-parts=0',
    ];
    expect(await harvest(...filters)).toMatchObject({ code: 0 });
    const refused = await harvest('--state', 'findable');
    expect(refused).toMatchObject(
      stderr(
        new RegExp(
          [
            /another query \(query: a OR aasm_state:findable there, none here; .*;/,
            / state: none there, findable here\): doi-cli dois harvest --dir \S+/,
            / --query ['"]a OR aasm_state:findable['"] --fields doi,created --filter has-parts=0/,
            / --client-id demo\.repo\nhint: doi-cli dois harvest --dir \S+ continues it;/,
            / another --dir or --fresh begins the new one\n/,
          ]
            .map(({ source }) => source)
            .join(''),
        ),
      ),
    );
    // What it names is typed as it is.
    const [, typed = ''] = /another query .*: doi-cli (.*)/.exec(refused.stderr) ?? [];
    const words = [...typed.matchAll(/(['"])(.*?)\1|\S+/g)].map(
      ([word, , quoted]) => quoted ?? word,
    );
    expect(await emulator.run(words)).toMatchObject({ code: 0 });
    expect(await emulator.anonymous(['dois', 'harvest', '--dir', dir])).toMatchObject(
      stderr(/holds a harvest of demo\.repo, and not of an anonymous reader\n/),
    );
    expect(await harvest('--anonymous')).toMatchObject(stderr(/\nhint: leave out --anonymous\n/));
    const other = await emulate();
    expect(await other.run(['dois', 'harvest', '--dir', dir])).toMatchObject(
      stderr(
        new RegExp(
          `hint: doi-cli dois harvest --dir \\S+ --base-url ${emulator.baseUrl}/ continues`,
        ),
      ),
    );
  });
});

describe('dates of a harvest', () => {
  it('keep the meaning that they had at the first run', async () => {
    const emulator = await emulate({ records: 1000 });
    const dir = newDirectory();
    let now = Date.parse('2025-06-01T00:00:00.000Z');
    const harvest = (...more: string[]) =>
      emulator.run(['dois', 'harvest', '--dir', dir, ...more], { now: () => now });
    const since = ['--created', '2000d..'];
    expect(await harvest(...since)).toMatchObject({ code: 0 });
    const expected = await emulator.run([
      ...['dois', 'list', '--all', '--created', '2019-12-10..'],
    ]);
    expect(linesIn(dir)).toEqual(sortedLines(expected.stdout));
    expect(linesIn(dir).length).toBeGreaterThan(0);
    expect(linesIn(dir).length).toBeLessThan(1000);
    const { query } = ledgerIn(dir);
    expect(query.relative).toEqual([['created-since', '2000d', '2019-12-10T00:00:00.000Z']]);
    now += 86_400_000 * 30;
    expect(await harvest(...since)).toMatchObject({ code: 0 });
    expect(await harvest()).toMatchObject({ code: 0 });
    expect(ledgerIn(dir).query).toEqual(query);
    expect(await harvest('--created', '2001d..')).toMatchObject(stderr(/another query/));
  });
});

describe('a first harvest', () => {
  it.each(['g0001-w00000.ndjson', 'old.ndjson', 'notes.txt'])(
    'refuses a folder data that holds %s',
    async (name) => {
      const emulator = await emulate();
      const dir = newDirectory();
      mkdirSync(join(dir, 'data'), { recursive: true });
      writeFileSync(join(dir, 'data', name), 'x');
      for (const more of [[], ['--plan'], ['--fresh', '--yes']]) {
        expect(await emulator.run(['dois', 'harvest', '--dir', dir, ...more])).toMatchObject(
          stderr(
            new RegExp(
              `holds no harvest, but .*data is not empty: ${name}\nhint: name a directory`,
            ),
          ),
        );
      }
      expect(await emulator.log()).toEqual([]);
    },
  );

  it('takes a directory with other files', async () => {
    const emulator = await emulate();
    const dir = newDirectory();
    mkdirSync(dir);
    writeFileSync(join(dir, 'README.md'), 'x');
    expect(await emulator.run(['dois', 'harvest', '--dir', dir])).toMatchObject({ code: 0 });
  });
});
