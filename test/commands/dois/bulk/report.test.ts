import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate } from '../../../helpers/emulator.ts';
import { jsonLines } from '../../../helpers/json-lines.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { sharedDirectory } from '../../../helpers/temporary.ts';

const folder = sharedDirectory();
const a = { ...COMPLETE_RECORD, doi: '10.5072/a' };
const b = { ...a, doi: '10.5072/b' };
const wrong = { ...a, url: 'x' };
const unnamed = { prefix: '10.5072', titles: [{ title: 'A' }] };

let files = 0;
function file(lines: readonly unknown[]): string {
  files += 1;
  const path = join(folder, `${files}.ndjson`);
  writeFileSync(path, spelled(lines));
  return path;
}
const spelled = (lines: readonly unknown[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

describe('a run over many records says', () => {
  /** Command lines for the file, each with its exit code and what it prints. */
  type Steps = readonly (readonly [argv: string, code: number, ...said: string[]])[];
  it.each<readonly [what: string, lines: readonly object[], Steps]>([
    [
      'that it ended with the first failure',
      [wrong, b],
      [['create --fail-fast', 1, ': 1 failed, 1 not tried\n']],
    ],
    [
      'which records are in another state',
      [a, b],
      [
        [
          'create --event hide --no-validate',
          1,
          ': 2 created, 2 not in the state asked for\n',
          '"errors":[{"path":"state",',
        ],
      ],
    ],
    [
      'which prefix the account lacks',
      [{ ...unnamed, prefix: '10.9999' }],
      [['create --no-validate', 1, 'this resource. (check that the account is active, ']],
    ],
    [
      'that its ledger is of another event',
      [a],
      [
        ['create', 0, ': 1 created\n'],
        ['create --event register', 2, 'with another event: none, not register\n'],
      ],
    ],
    [
      'that the DOIs exist',
      [a],
      [
        ['create', 0, ': 1 created\n'],
        ['create --dry-run', 0, 'not checked which DOIs exist: ', ': 1 valid; nothing was sent'],
        [
          'create --ledger $FILE.other',
          1,
          'only those; to change DOIs that exist: doi-cli dois update',
        ],
      ],
    ],
    [
      'that a new record cannot be shown',
      [{ ...a, event: 'show' }],
      [['create', 2, ':1: the event show is for a Registered record\n']],
    ],
    [
      'that all is done',
      [a],
      [
        ['create', 0, ': 1 created\n'],
        ['update', 0, ': 1 unchanged\n'],
        [
          'update',
          0,
          'all are done; to compare them with the service again, remove $FILE.update-ledger\n',
        ],
        [
          'update --set version=2',
          2,
          ':1 has attributes (titles): with --set, only its DOI would be used',
        ],
      ],
    ],
    [
      'which DOIs it has not found',
      [a],
      [
        [
          'delete --yes',
          0,
          'not found, or not readable with these credentials: 1 DOI\n',
          'warning: doi: "10.5072/a" does not exist, or cannot be read with these credentials',
        ],
      ],
    ],
    [
      'why an event would have no effect',
      [{ ...a, event: 'publish' }, { doi: '10.5072/b' }],
      [
        ['create', 0, ': 2 created\n'],
        [
          'register',
          1,
          ':1: error: 10.5072/a is Findable, which includes being registered\n',
          ':2: error: url: is missing: a Registered record needs it\n',
        ],
      ],
    ],
  ])('%s', async (_, lines, steps) => {
    const emulator = await emulate({ records: 0 });
    const path = file(lines);
    for (const [line, code, ...said] of steps) {
      const [verb = '', ...options] = line.replace('$FILE', path).split(' ');
      const argv = ['dois', verb, '--file', path, '--jobs', '1', ...options];
      const ended = await emulator.run(argv);
      expect(ended.code, ended.stderr).toBe(code);
      for (const text of said)
        expect(ended.stdout + ended.stderr).toContain(text.replace('$FILE', path));
    }
  });

  it('in a cell of CSV what would change', async () => {
    const { run } = await emulate({ records: 0 });
    expect((await run(['dois', 'create', '--file', file([a])])).code).toBe(0);
    const out = join(folder, 'changes.csv');
    const argv = ['dois', 'update', '--file', file([{ doi: a.doi, publicationYear: 2027 }])];
    expect((await run([...argv, '--dry-run', '--out', out])).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain(',valid,publicationYear: 2026 → 2027,');
  });

  it('in tables what it has created, then warnings, then errors', async () => {
    const { run } = await emulate({ records: 0 });
    const argv = [
      'dois',
      'create',
      '--file',
      file([
        { ...a, nonsuch: 1 },
        { ...b, url: 'x' },
      ]),
    ];
    const { stdout } = await run(argv, { terminal: { stdout: true } });
    expect(stdout.match(/[A-Z]+$/gm)).toEqual(['STATE', 'WARNING', 'ERROR']);
  });

  it('at once why five records failed, and of the others in their results', async () => {
    const { run } = await emulate({ records: 0 });
    const path = file(Array(6).fill({ ...unnamed, url: 'x' }));
    const { stdout, stderr } = await run(['dois', 'create', '--file', path]);
    const errors = [stdout.match(/"path":"url"/g), stderr.match(/error: url: /g)];
    expect(errors.map((list) => list?.length)).toEqual([6, 5]);
  });

  it('which DOI may have been created', async () => {
    const { run } = await emulate({ records: 0, faults: ['lost-answer@1'] });
    const argv = ['dois', 'create', '--file', file([unnamed]), '--retries', '0'];
    const { code, stdout, stderr } = await run(argv);
    expect([code, jsonLines(stdout)[0].doi]).toEqual([1, expect.stringMatching(/^10\.5072\/\S+$/)]);
    expect(stderr).toMatch(
      /\nhint: 1 line may have been carried out: run the same command again, unchanged, to find out\n$/,
    );
  });

  it('that a line has gone that was carried out', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file([a, b]);
    expect((await emulator.run(['dois', 'create', '--file', path])).code).toBe(0);
    writeFileSync(path, spelled([a]));
    expect(await emulator.run(['dois', 'create', '--file', path])).toMatchObject({
      code: 2,
      stderr: /:2 has changed since it was sent, and has been carried out\nhint: put the line back/,
    });
  });
});
