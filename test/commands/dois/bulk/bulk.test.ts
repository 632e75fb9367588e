import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ClosedPipe } from '../../../../src/errors.ts';
import type { LineResult } from '../../../../src/writing/ledger/entry.ts';
import { emulate, type TestEmulator } from '../../../helpers/emulator.ts';
import { lacks } from '../../../helpers/platform.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { remove, sharedDirectory } from '../../../helpers/temporary.ts';

const folder = sharedDirectory();

let files = 0;
function file(lines: readonly unknown[] | string): string {
  files += 1;
  const path = join(folder, `${files}.ndjson`);
  writeFileSync(path, spelled(lines));
  return path;
}
const spelled = (lines: readonly unknown[] | string) =>
  typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const record = (title: string, more: object = {}) => ({
  prefix: '10.5072',
  titles: [{ title }],
  ...more,
});
const { titles: _, ...COMPLETE } = COMPLETE_RECORD;
const many = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, place) => record(`number ${place + 1}`, more));

const results = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LineResult);

async function titles({ control, run }: TestEmulator): Promise<string[]> {
  await control('faults', { faults: [] });
  const { stdout } = await run(['dois', 'list', '--all', '--mine', '--prefix', '10.5072']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { attributes: { titles: { title: string }[] } }).attributes)
    .map((attributes) => attributes.titles[0]?.title ?? '');
}

const posts = async ({ log }: TestEmulator) =>
  (await log()).filter(({ method }) => method === 'POST').length;
const create = (path: string, ...more: string[]) => ['dois', 'create', '--file', path, ...more];
const ledgerOf = (path: string) => `${path}.create-ledger`;

describe('dois create with a file of records', () => {
  it('creates them, and prints the result of each in the order of the lines', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file([
      record('one'),
      {
        data: {
          type: 'dois',
          attributes: record('two', { ...COMPLETE, doi: '10.5072/TWO', event: 'publish' }),
        },
      },
      record('three', { prefix: '10.9999' }),
      record('four', { publicationYear: 2026 }),
    ]);
    const { code, stdout, stderr } = await emulator.run(create(path));
    expect(code).toBe(1);
    // The state is that of a moment: the same command again prints the result of that time.
    const asOf = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const suffix = /^10\.5072\/[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{2}\d\d$/;
    expect(results(stdout)).toEqual([
      {
        line: 1,
        doi: expect.stringMatching(suffix),
        state: 'draft',
        asOf,
        outcome: 'created',
        errors: [],
      },
      { line: 2, doi: '10.5072/two', state: 'findable', asOf, outcome: 'created', errors: [] },
      {
        line: 3,
        doi: null,
        state: null,
        outcome: 'failed',
        errors: [
          {
            line: 3,
            path: 'prefix',
            message: expect.stringMatching(/^10\.9999 is not a prefix of/),
          },
        ],
      },
      {
        line: 4,
        doi: expect.stringMatching(suffix),
        state: 'draft',
        asOf,
        outcome: 'created',
        errors: [],
      },
    ]);
    const [told, ...rest] = stderr.split('\n');
    expect(told?.replace(path, 'FILE')).toMatch(/^FILE:3: error: .*not a prefix of/);
    expect(rest.join('\n')).toMatch(
      /^error: 4 records in \d+ s: 3 created, 1 failed\nhint: correct the lines/,
    );
    expect((await titles(emulator)).sort()).toEqual(['four', 'one', 'two']);
  });

  it('again sends only what failed, corrected or not, and prints everything', async () => {
    const emulator = await emulate({ records: 0 });
    const good = record('good');
    const path = file([
      good,
      record('bad', { url: 'nonsense' }),
      record('theirs', { prefix: '10.9999' }),
    ]);
    const first = await emulator.run(create(path));
    expect(results(first.stdout).map(({ outcome }) => outcome)).toEqual([
      'created',
      'failed',
      'failed',
    ]);
    const sent = await posts(emulator);
    writeFileSync(
      path,
      spelled([good, record('bad', { url: 'https://example.org' }), record('theirs')]),
    );
    const second = await emulator.run(create(path));
    expect(second.code).toBe(0);
    expect(second.stderr).toMatch(/^3 records in \d+ s: 2 created, 1 done before\n$/);
    expect(await posts(emulator)).toBe(sent + 2);
    expect(results(second.stdout)[0]).toEqual(results(first.stdout)[0]);
    const third = await emulator.run(create(path));
    expect(third.stdout).toBe(second.stdout);
    expect(await posts(emulator)).toBe(sent + 2);
    expect((await titles(emulator)).sort()).toEqual(['bad', 'good', 'theirs']);
    // More lines may be added.
    writeFileSync(path, `${readFileSync(path)}\n${spelled([record('later')])}`);
    const fourth = await emulator.run(create(path));
    expect(results(fourth.stdout).map(({ line }) => line)).toEqual([1, 2, 3, 5]);
    expect(await titles(emulator)).toHaveLength(4);
  });

  it('never creates one twice, whatever answers are lost', async () => {
    const emulator = await emulate({
      records: 0,
      faults: 'lost-answer:0.2 500:0.1 504:0.1 403:0.05 429:0.05 reset:0.05 truncate:0.05'.split(
        ' ',
      ),
    });
    const path = file(many(150));
    const { code, stdout, stderr } = await emulator.run(create(path, '--jobs', '8'));
    expect(code, stderr).toBe(0);
    expect(results(stdout).map(({ line }) => line)).toEqual(
      Array.from({ length: 150 }, (_, n) => n + 1),
    );
    expect(new Set(results(stdout).map(({ doi }) => doi)).size).toBe(150);
    const expected = many(150).map(({ titles }) => titles[0]?.title ?? '');
    expect((await titles(emulator)).sort()).toEqual(expected.sort());
  });

  it('stops when the service is unavailable, and continues', async () => {
    const emulator = await emulate({ records: 0, faults: ['500@6+'] });
    const path = file(many(40));
    const stopped = await emulator.run(create(path, '--jobs', '2', '--retries', '1'));
    expect(stopped.code).toBe(5);
    expect(stopped.stderr).toMatch(/the same command again continues/);
    expect(results(stopped.stdout).length).toBeLessThan(12);
    expect((await titles(emulator)).length).toBeGreaterThan(0);
    const { code, stdout } = await emulator.run(create(path));
    expect(code).toBe(0);
    expect(results(stdout)).toHaveLength(40);
    expect(new Set(await titles(emulator)).size).toBe(40);
    expect(await titles(emulator)).toHaveLength(40);
  });

  it('ends at the first failure with --fail-fast', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file([record('a'), record('b', { prefix: '10.9999' }), ...many(30)]);
    const { code, stdout, stderr } = await emulator.run(create(path, '--fail-fast', '--jobs', '2'));
    expect(code).toBe(1);
    expect(results(stdout).length).toBeLessThan(6);
    expect(stderr).toMatch(/1 failed, \d+ not tried/);
  });

  it('says when a record is in another state than the one asked for', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file([record('a'), record('b')]);
    const { code, stdout, stderr } = await emulator.run(
      create(path, '--event', 'hide', '--no-validate'),
    );
    expect(code).toBe(1);
    expect(results(stdout)[0]).toMatchObject({
      outcome: 'created',
      state: 'draft',
      errors: [
        {
          path: 'state',
          message: expect.stringContaining('its state is draft, not registered as requested'),
        },
      ],
    });
    expect(stderr).toContain('2 created, 2 not in the state asked for');
    // The records were created nevertheless.
    expect((await emulator.run(create(path, '--event', 'hide', '--no-validate'))).code).toBe(1);
    expect(await titles(emulator)).toHaveLength(2);
  });

  it('checks records before they are sent', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file([
      record('a', { ...COMPLETE, event: 'publish', types: { resourceTypeGeneral: 'Datset' } }),
      record('b', { doi: '' }),
    ]);
    const { stdout, stderr } = await emulator.run(create(path));
    expect(results(stdout)[0]?.errors).toMatchObject([
      { path: 'types.resourceTypeGeneral', value: 'Datset', suggestion: 'Dataset' },
    ]);
    // As for a single record.
    expect(stderr).toContain(
      `${path}:1: error: types.resourceTypeGeneral: "Datset" is not in the controlled list; did you mean Dataset?\n`,
    );
    // Nobody can look a line of a stream up.
    const stdin = spelled([{ doi: '10.5072/here', url: 'nonsense' }, record('c')]);
    const streamed = await emulator.run([...create('-'), '--dry-run', '--jobs', '1'], { stdin });
    expect(results(streamed.stdout)[0]).toMatchObject({ doi: '10.5072/here', outcome: 'failed' });
    const updated = await emulator.run(['dois', 'update', '--file', '-', '--jobs', '1'], {
      stdin: `${stdin.split('\n')[0]}`,
    });
    expect(updated.stderr).toMatch(/^stdin:1: error: url: "nonsense" .* \(10\.5072\/here\)$/m);
    await remove(dirname(/records are kept in (\S+)/.exec(updated.stderr)?.[1] ?? '/none'));
    expect(results(stdout)[1]?.errors).toMatchObject([{ path: 'doi' }]);
    expect(await posts(emulator)).toBe(0);
    // The service refuses the first.
    expect((await emulator.run(create(path, '--no-validate'))).code).toBe(1);
    expect(await posts(emulator)).toBe(2);
  });

  it.skipIf(lacks('links'))('knows a file and its ledger by their links too', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(many(2));
    const [link, ledgerLink] = [join(folder, 'link.ndjson'), join(folder, 'link.ledger')];
    symlinkSync(path, link);
    symlinkSync(ledgerOf(path), ledgerLink);
    expect((await emulator.run(create(link))).stderr).toContain('2 created');
    for (const argv of [create(path), create(link), create(path, '--ledger', ledgerLink)]) {
      expect((await emulator.run(argv)).stderr).toContain('2 done before');
    }
    expect(existsSync(ledgerOf(link))).toBe(false);
    expect(await titles(emulator)).toHaveLength(2);
  });

  it('takes a DOI for records without one from --prefix', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file([{ titles: [{ title: 'a' }] }, record('b')]);
    const refused = await emulator.run(create(path));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(
      `${path}:1: the attributes have neither a doi nor a prefix\nhint: add --prefix`,
    );
    expect(results((await emulator.run(create(path, '--prefix', '10.5072'))).stdout)).toHaveLength(
      2,
    );
    const env = { DOI_CLI_CONFIG_DIR: join(folder, 'config') };
    await emulator.run(['config', 'set', 'prefix', '10.5072'], { env });
    expect((await emulator.run(create(file([{}, {}])), { env })).code).toBe(0);
    const one = ['dois', 'create', '--title', 'alone', '--format', 'json'];
    expect(JSON.parse((await emulator.run(one, { env })).stdout)).toMatchObject({
      id: expect.stringMatching(/^10\.5072\//),
    });
    expect((await emulator.run(['config', 'set', 'prefix', 'x'], { env })).code).toBe(2);
  });

  it('knows whose API key it uses', async () => {
    const emulator = await emulate({ records: 0 });
    const { key } = await emulator.newKey('ci');
    const path = file(many(2));
    const env = { DOI_CLI_API_KEY: key };
    expect((await emulator.anonymous(create(path), { env })).code).toBe(0);
    expect(readFileSync(ledgerOf(path), 'utf8')).toContain('"account":"demo.repo"');
    expect(readFileSync(ledgerOf(path), 'utf8')).not.toContain(key.slice(3));
    if (!lacks('permissions')) expect(statSync(ledgerOf(path)).mode & 0o77).toBe(0);
    // The password belongs to the same account.
    expect((await emulator.run(create(path))).code).toBe(0);
    expect(await titles(emulator)).toHaveLength(2);
  });
});

describe('a file that cannot be created', () => {
  it.each<[string, readonly unknown[] | string, string]>([
    [
      'with a line that is no JSON',
      '{"prefix":"10.5072"}\n{"prefix":\n{"x\n',
      ':2:11: a value is missing before the end of the text .not valid JSON.; and 1 more line cannot be used',
    ],
    ['with a line that is no object', '{"prefix":"10.5072"}\n[]\n', ':2: holds no JSON object'],
    ['without a record', '\n \n', ' holds no record'],
    [
      'with a DOI that is there twice',
      [{ doi: '10.5072/A' }, {}, { doi: '10.5072/a' }].map((o) => ({ prefix: '10.5072', ...o })),
      ':3 has the DOI of line 1',
    ],
    [
      'with another event in a line',
      [record('a', { event: 'publish' }), record('b')],
      ':1 already has the event',
    ],
    [
      'with an event that does not exist',
      [record('a', { event: 'publsh' }), record('b')],
      ':1: the event must be one of',
    ],
    [
      'that is no UTF-8',
      `${Buffer.from('{"prefix":"10.5072"}\n')}\ufffd`,
      ':2:1: .* is not a value',
    ],
  ])('%s is refused before anything is sent', async (_, lines, message) => {
    const emulator = await emulate({ records: 0 });
    const path = file(lines);
    const { code, stdout, stderr } = await emulator.run(
      create(path, '--event', 'register', '--no-validate'),
    );
    expect([code, stdout], stderr).toEqual([2, '']);
    expect(stderr.replace(path, 'FILE')).toMatch(new RegExp(`^error: FILE${message}`));
    expect(await emulator.log()).toEqual([]);
    expect(existsSync(ledgerOf(path))).toBe(false);
    expect(existsSync(`${ledgerOf(path)}.lock`)).toBe(false);
  });

  it('because a line that was created has changed is refused', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(many(3));
    expect((await emulator.run(create(path))).code).toBe(0);
    const before = await posts(emulator);
    for (const lines of [
      [record('x'), ...many(3).slice(1)],
      many(2),
      [record('new'), ...many(3)],
    ]) {
      writeFileSync(path, spelled(lines));
      const { code, stderr } = await emulator.run(create(path));
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /:[13] has changed since it was sent, and has been carried out\nhint: put/,
      );
    }
    writeFileSync(path, spelled(many(3)));
    // Another ledger would make a second DOI for each record, and a Registered one cannot be
    // deleted.
    expect((await emulator.run(create(path, '--event', 'register'))).stderr).toMatch(
      /another event: none, not register\nhint: to change the state of these records: doi-cli dois register --file <results of that run>$/m,
    );
    const other = await emulate({ records: 0 });
    expect((await other.run(create(path))).stderr).toMatch(/another base URL/);
    expect(await posts(emulator)).toBe(before);
  });

  it('that does not exist, or whose ledger cannot be created, is an error', async () => {
    const emulator = await emulate({ records: 0 });
    expect(await emulator.run(create(join(folder, 'none.ndjson')))).toMatchObject({ code: 2 });
    const path = file(many(2));
    expect(
      await emulator.run(create(path, '--ledger', join(folder, 'none', 'ledger'))),
    ).toMatchObject({
      code: 1,
    });
    expect(await emulator.run(create(path, '--ledger', path))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${path} is not a ledger`),
    });
    expect(readFileSync(path, 'utf8')).toBe(spelled(many(2)));
    expect(await posts(emulator)).toBe(0);
  });
});

describe('records from stdin', () => {
  it('are created, and leave nothing behind', async () => {
    const emulator = await emulate({ records: 0 });
    const { code, stdout } = await emulator.run(create('-'), { stdin: spelled(many(3)) });
    expect(code).toBe(0);
    expect(results(stdout)).toHaveLength(3);
  });
  it('are kept with their ledger when some failed', async () => {
    const emulator = await emulate({ records: 0 });
    const stdin = spelled([record('a'), record('b', { prefix: '10.9999' })]);
    const { code, stderr } = await emulator.run(create('-'), { stdin });
    expect(code).toBe(1);
    const [, kept = ''] = /hint: doi-cli dois create --file (\S+)/.exec(stderr) ?? [];
    writeFileSync(kept, stdin.replace('10.9999', '10.5072'));
    expect((await emulator.run(create(kept))).stderr).toMatch(/1 created, 1 done before/);
    await remove(join(kept, '..'));
    expect(await titles(emulator)).toHaveLength(2);
  });
  it('continue with the command of the hint, which has the same options', async () => {
    const emulator = await emulate({ records: 0 });
    const stdin = spelled(
      ['a', 'b'].map((title) => ({ ...COMPLETE_RECORD, doi: undefined, titles: [{ title }] })),
    );
    await emulator.control('faults', { faults: ['500@2+'] });
    const options = [
      '--prefix',
      '10.5072',
      '--event',
      'register',
      '--no-validate',
      '--retries',
      '0',
    ];
    const { stderr } = await emulator.run(create('-', ...options, '--jobs', '1'), { stdin });
    await emulator.control('faults', { faults: [] });
    const [, command = '', kept = ''] =
      /hint: doi-cli (dois create --file (\S+) --prefix .* --retries 0 --jobs 1)\n/.exec(stderr) ??
      [];
    expect((await emulator.run(command.split(' '))).code).toBe(0);
    await remove(join(kept, '..'));
    expect((await titles(emulator)).sort()).toEqual(['a', 'b']);
  });
  it('continue with their own ledger', async () => {
    const emulator = await emulate({ records: 0 });
    const ledger = join(folder, 'stdin.ledger');
    const one = spelled([record('alone')]);
    for (const outcome of ['1 created', '1 done before']) {
      const { stderr } = await emulator.run(create('-', '--ledger', ledger), { stdin: one });
      expect(stderr).toContain(outcome);
      expect(stderr).not.toContain('--file');
    }
    expect(await titles(emulator)).toEqual(['alone']);
  });
});

describe('dois update with a file of records', () => {
  const update = (path: string, ...more: string[]) => ['dois', 'update', '--file', path, ...more];
  const doi = (place: number) => `10.5072/n${place}`;

  /** An emulator that holds `count` records. */
  async function stocked(count: number) {
    const emulator = await emulate({ records: 0 });
    const path = file(
      many(count).map((attributes, place) => ({ ...attributes, doi: doi(place + 1) })),
    );
    expect((await emulator.run(create(path))).code).toBe(0);
    return emulator;
  }

  it('sends no line whose event the service would ignore', async () => {
    const emulator = await emulate({ records: 0 });
    await emulator.run(create(file([{ ...record('a draft'), doi: doi(1) }])));
    const path = file([{ doi: doi(1), titles: [{ title: 'changed' }] }]);
    const { code, stdout } = await emulator.run(update(path, '--event', 'hide'));
    expect(code).toBe(1);
    expect(results(stdout)[0]?.errors).toMatchObject([
      { message: expect.stringMatching(/is a Draft/) },
    ]);
    expect(await titles(emulator)).toEqual(['a draft']);
  });

  it('updates each, and creates none', async () => {
    const emulator = await stocked(5);
    const path = file([
      { doi: doi(2), version: '2' },
      { data: { type: 'dois', id: doi(1), attributes: { ...COMPLETE, event: 'publish' } } },
      { doi: '10.5072/none', version: '2' },
      { doi: doi(4), event: 'publish' },
      { doi: doi(5), titles: 'x' },
    ]);
    const { code, stdout, stderr } = await emulator.run(update(path));
    expect(code).toBe(1);
    expect(results(stdout)).toMatchObject([
      { line: 1, doi: doi(2), state: 'draft', outcome: 'updated', errors: [] },
      { line: 2, doi: doi(1), state: 'findable', outcome: 'updated', errors: [] },
      {
        line: 3,
        doi: '10.5072/none',
        outcome: 'failed',
        errors: [{ message: expect.stringMatching(/does not exist/) }],
      },
      {
        line: 4,
        doi: doi(4),
        outcome: 'failed',
        errors: expect.arrayContaining([{ path: 'url', message: expect.anything(), line: 4 }]),
      },
      {
        line: 5,
        doi: doi(5),
        outcome: 'failed',
        errors: [expect.objectContaining({ path: 'titles' })],
      },
    ]);
    expect(stderr).toContain('5 records in');
    expect(stderr).toContain(': 2 updated, 3 failed');
    expect(await titles(emulator)).toHaveLength(5);
  });

  it.each(['10.5072/n1', '10.5072/N1', 'https://doi.org/10.5072/n1'])(
    'refuses a file that names a DOI again, as %s, before it sends anything',
    async (again) => {
      const emulator = await emulate({ records: 0 });
      const lines = [
        { doi: doi(1), version: 'a' },
        { doi: doi(2), version: 'b' },
        { doi: again, version: 'c' },
      ];
      const csv = `${file([])}.csv`;
      writeFileSync(
        csv,
        `doi,version\n${lines.map((one) => `${one.doi},${one.version}\n`).join('')}`,
      );
      const named = file(
        lines.map((one) =>
          one.doi === again ? { ...one, doi: again.replace('https://doi.org/', '') } : one,
        ),
      );
      for (const [path, line] of [
        [named, ':3 has the DOI of line 1'],
        [csv, ', row 4 has the DOI of row 2'],
      ] as const) {
        const { code, stderr } = await emulator.run(update(path));
        expect([code, stderr]).toEqual([2, expect.stringContaining(`${path}${line}, 10.5072/`)]);
      }
      expect(await emulator.log()).toEqual([]);
    },
  );

  it('refuses lines without a DOI', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file([{ doi: doi(1) }, { version: '2' }]);
    expect(await emulator.run(update(path))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${path}:2: the record has no doi`),
    });
    // Each line of many names the DOI that `--set` applies to.
    expect(await emulator.run(update(path, '--set', 'version=2'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${path}:2: the line has no DOI`),
    });
    expect(await emulator.log()).toEqual([]);
  });
});

describe('the command line', () => {
  it.each([
    [['--title', 'A'], /cannot be used with/],
    [['--jobs', '65'], /from 1 to 64/],
  ])('refuses %j with many records', async (flags, message) => {
    const emulator = await emulate({ records: 0 });
    const { code, stderr } = await emulator.run(create(file(many(2)), ...flags));
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(await emulator.log()).toEqual([]);
  });
  it('refuses the options for many records without a file', async () => {
    const emulator = await emulate({ records: 0 });
    const argv = ['dois', 'create', '--prefix', '10.5072', '--title', 'A', '--jobs', '2'];
    expect(await emulator.run(argv)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: --jobs is for/),
    });
  });
  it('takes an indented record, and a single line, for one record', async () => {
    const emulator = await emulate({ records: 0 });
    const path = join(folder, 'one.json');
    for (const text of [
      JSON.stringify(record('a'), undefined, 2),
      `${JSON.stringify(record('b'))}\n`,
    ]) {
      writeFileSync(path, text);
      for (const argv of [create(path), create('-')]) {
        const { code, stdout } = await emulator.run(argv, { stdin: text });
        expect([code, JSON.parse(stdout)]).toMatchObject([0, { type: 'dois' }]);
      }
    }
    expect(existsSync(ledgerOf(path))).toBe(false);
    // The file name says NDJSON, so one line is a list of one record.
    expect(results((await emulator.run(create(file([record('c')])))).stdout)).toHaveLength(1);
  });
});

describe('a run over many records', () => {
  it('with --dry-run prints what would fail, and sends nothing', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file([record('a'), record('b', { url: 'nonsense' })]);
    const { code, stdout, stderr } = await emulator.run(create(path, '--dry-run'));
    expect(code).toBe(1);
    expect(results(stdout).map(({ outcome }) => outcome)).toEqual(['valid', 'failed']);
    expect(stderr).toContain('2 records: 1 valid, 1 failed; nothing was sent');
    expect(await emulator.log()).toEqual([]);
    expect(existsSync(ledgerOf(path))).toBe(false);
  });

  it('sends nothing more when another machine has taken its ledger over', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(many(6));
    const lock = `${ledgerOf(path)}.lock`;
    const stdout = {
      async write() {
        const own = JSON.parse(readFileSync(lock, 'utf8'));
        writeFileSync(
          lock,
          JSON.stringify({ ...own, host: 'elsewhere', token: '0123456789abcdef' }),
        );
      },
    };
    // A minute passes before each request.
    const argv = create(path, '--jobs', '1', '--rate', '1/1m');
    const { code, stderr } = await emulator.run(argv, { stdout });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/was taken away by .* on elsewhere/)]);
    expect(await posts(emulator)).toBeLessThan(4);
    expect(readFileSync(ledgerOf(path), 'utf8')).not.toContain('"line":4');
    expect(readFileSync(lock, 'utf8')).toContain('elsewhere');
  });

  it('stops when the reader of stdout has gone, and can be continued', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(many(60));
    let lines = 0;
    const stdout = {
      async write() {
        lines += 1;
        if (lines > 3) throw new ClosedPipe(undefined);
      },
    };
    const { code, stderr } = await emulator.run(create(path, '--jobs', '2'), { stdout });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^error: stopped: \d+ of 60 records/),
    ]);
    expect(await posts(emulator)).toBeLessThan(20);
    expect((await emulator.run(create(path))).code).toBe(0);
    expect(await titles(emulator)).toHaveLength(60);
  });

  it('sends nothing with credentials that are not accepted', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(many(10));
    const env = { DOI_CLI_PASSWORD: 'wrong' };
    const { code, stderr } = await emulator.run(create(path), { env });
    expect([code, stderr.includes('wrong')]).toEqual([4, false]);
    expect(await posts(emulator)).toBe(0);
  });

  it('without credentials sends nothing', async () => {
    const emulator = await emulate({ records: 0 });
    expect(await emulator.anonymous(create(file(many(2))))).toMatchObject({ code: 4 });
    expect(await emulator.log()).toEqual([]);
  });
});
