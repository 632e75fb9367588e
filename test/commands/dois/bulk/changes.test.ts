import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withLedgerHint } from '../../../../src/commands/dois/bulk/bulk.ts';
import { CliError } from '../../../../src/errors.ts';
import type { LineResult } from '../../../../src/writing/ledger/entry.ts';
import { emulate, type TestEmulator } from '../../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { sharedDirectory } from '../../../helpers/temporary.ts';

const folder = sharedDirectory();

let files = 0;
function file(text: string | Buffer, ending = 'ndjson'): string {
  files += 1;
  const path = join(folder, `${files}.${ending}`);
  writeFileSync(path, text);
  return path;
}

const doi = (place: number) => `10.5072/${place}`;
const list = (...places: number[]) => places.map((place) => `${doi(place)}\n`).join('');
const results = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LineResult);

/** An emulator with Drafts that could be Findable. */
async function drafts(count: number): Promise<TestEmulator & { readonly created: string }> {
  const emulator = await emulate({ records: 0 });
  const records = Array.from({ length: count }, (_, place) => ({
    ...COMPLETE_RECORD,
    doi: doi(place + 1),
  }));
  const path = file(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const { code, stdout, stderr } = await emulator.run(['dois', 'create', '--file', path]);
  expect(code, stderr).toBe(0);
  return { ...emulator, created: file(stdout) };
}

const written = async ({ log }: TestEmulator) =>
  (await log()).filter(({ method }) => method !== 'GET').map(({ method }) => method);

async function states({ run, control }: TestEmulator, count: number): Promise<unknown[]> {
  await control('faults', { faults: [] });
  const found = [];
  for (let place = 1; place <= count; place += 1) {
    const { code, stdout } = await run(['dois', 'get', doi(place), '--format', 'json']);
    found.push(
      code === 0
        ? (JSON.parse(stdout) as { attributes: { state: string } }).attributes.state
        : 'gone',
    );
  }
  return found;
}

const verb = (name: string, path: string, ...more: string[]) => [
  'dois',
  name,
  '--file',
  path,
  ...more,
];
const WAY: Readonly<Record<string, readonly [outcome: string, state: string]>> = {
  publish: ['published', 'findable'],
  register: ['registered', 'registered'],
  hide: ['hidden', 'registered'],
};

describe('a change of the state of many DOIs', () => {
  it('publishes what a create has created, and again finds it done', async () => {
    const emulator = await drafts(3);
    const first = await emulator.run(verb('publish', emulator.created));
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringMatching(/^3 DOIs in \d+ s: 3 published\n$/),
    ]);
    const asOf = expect.stringMatching(/Z$/);
    expect(results(first.stdout)).toEqual(
      [1, 2, 3].map((line) => ({
        ...{ line, doi: doi(line), state: 'findable', asOf, outcome: 'published', errors: [] },
      })),
    );
    expect(existsSync(`${emulator.created}.publish-ledger`)).toBe(false);
    const before = await written(emulator);
    const second = await emulator.run(verb('publish', emulator.created));
    expect(results(second.stdout).map(({ outcome }) => outcome)).toEqual(
      Array(3).fill('unchanged'),
    );
    expect(second.stderr).toMatch(/^3 DOIs in \d+ s: 3 unchanged\n$/);
    expect(await written(emulator)).toEqual(before);
    // What has been hidden since is published again.
    expect((await emulator.run(['dois', 'hide', doi(2)])).code).toBe(0);
    const third = await emulator.run(verb('publish', emulator.created));
    expect(results(third.stdout).map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'published',
      'unchanged',
    ]);
  });

  it.each(['publish', 'register', 'hide'])(
    '%s takes any spelling of a DOI, and each once',
    async (event) => {
      const emulator = await drafts(6);
      if (event === 'hide')
        expect((await emulator.run(verb('publish', emulator.created))).code).toBe(0);
      const [outcome, state] = WAY[event] ?? [];
      const record = JSON.stringify({
        id: doi(3),
        type: 'dois',
        attributes: { doi: doi(3), state: 'draft' },
      });
      const text =
        `\ufeff${doi(1).toUpperCase()}\r\nhttps://doi.org/${doi(2)}\n${record}\n\n"${doi(4)}"\n${list(1)}` +
        `${JSON.stringify({ data: { type: 'dois', attributes: { doi: doi(5) } } })}\n` +
        `${JSON.stringify({ doi: doi(6), titles: [{ title: 'x' }] })}\n`;
      const before = (await written(emulator)).length;
      const { code, stdout, stderr } = await emulator.run(verb(event, file(text, 'txt')));
      expect(code, stderr).toBe(0);
      expect(results(stdout).map((one) => [one.line, one.doi, one.state, one.outcome])).toEqual(
        [1, 2, 3, 5, 7, 8].map((line, place) => [line, doi(place + 1), state, outcome]),
      );
      expect(stderr).toMatch(
        /: 1 line repeats the DOI of an earlier one, and is left out\n6 DOIs in/,
      );
      expect((await written(emulator)).slice(before)).toEqual(Array(6).fill('PUT'));
      expect(await states(emulator, 6)).toEqual(Array(6).fill(state));
    },
  );

  it('shows with --dry-run what would change, and sends nothing', async () => {
    const emulator = await drafts(3);
    expect((await emulator.run(['dois', 'publish', doi(2)])).code).toBe(0);
    const before = await written(emulator);
    const path = file(list(1, 2, 3, 9));
    const { code, stdout, stderr } = await emulator.run(verb('publish', path, '--dry-run'));
    expect(results(stdout)).toMatchObject([
      {
        ...{ line: 1, doi: doi(1), state: 'draft', outcome: 'valid', errors: [] },
        changes: [{ path: 'state', before: 'draft', after: 'findable' }],
      },
      { line: 2, doi: doi(2), state: 'findable', outcome: 'unchanged', changes: [] },
      { line: 3, outcome: 'valid' },
      {
        line: 4,
        outcome: 'failed',
        errors: [{ message: expect.stringContaining('does not exist') }],
      },
    ]);
    expect(stderr).toContain(
      '4 DOIs: 1 unchanged, 2 would change, 1 failed; nothing was sent (--dry-run)',
    );
    expect(code).toBe(1);
    const terminal = { stdout: true };
    expect((await emulator.run(verb('publish', path, '--dry-run'), { terminal })).stdout).toBe(
      `LINE  DOI        FIELD  BEFORE  AFTER\n1     ${doi(1)}  state  draft   findable\n` +
        `3     ${doi(3)}  state  draft   findable\n\n` +
        `LINE  DOI        ERROR\n4     ${doi(9)}  ${doi(9)} does not exist, or these credentials may not read it\n`,
    );
    expect(await written(emulator)).toEqual(before);
    expect(existsSync(`${path}.publish-ledger`)).toBe(false);
  });

  it('shows on a terminal what changed and what failed, and counts the rest', async () => {
    const emulator = await drafts(3);
    expect((await emulator.run(['dois', 'publish', doi(2)])).code).toBe(0);
    const path = file(list(1, 2, 9));
    const { stdout, stderr } = await emulator.run([...verb('publish', path), '--yes'], {
      terminal: { stdout: true, columns: 50 },
    });
    expect(stdout).toBe(
      `LINE  DOI        FIELD  BEFORE  AFTER\n1     ${doi(1)}  state  draft   findable\n\n` +
        `LINE  DOI        ERROR\n3     ${doi(9)}  ${doi(9)} does not exist, or\n` +
        '                 these credentials may not read it\n',
    );
    expect(stderr).toMatch(/^error: 3 DOIs in .*: 1 published, 1 unchanged, 1 failed$/m);
    const again = await emulator.run([...verb('publish', file(list(1))), '--format', 'text']);
    expect(again).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^1 DOI in .*: 1 unchanged\n$/),
    });
  });

  it('counts on a terminal what an earlier run has created', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(
      `${JSON.stringify({ ...COMPLETE_RECORD, doi: doi(1) })}\n{"doi":"${doi(2)}"}\n`,
    );
    const create = ['dois', 'create', '--file', path, '--no-validate'];
    const terminal = { stdout: true };
    expect((await emulator.run(create, { terminal })).stdout).toBe(
      `LINE  DOI        STATE\n1     ${doi(1)}  draft\n2     ${doi(2)}  draft\n`,
    );
    expect(await emulator.run(create, { terminal })).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(': 2 done before'),
    });
  });

  it('fails what the service would ignore, and goes on', async () => {
    const emulator = await drafts(2);
    expect((await emulator.run(['dois', 'publish', doi(2)])).code).toBe(0);
    const path = file(list(1, 2));
    const { code, stdout } = await emulator.run(verb('hide', path));
    expect(code).toBe(1);
    expect(results(stdout)).toMatchObject([
      { outcome: 'failed', errors: [{ message: expect.stringContaining('is a Draft') }] },
      { outcome: 'hidden', state: 'registered' },
    ]);
    // All were tried: what is done may be undone elsewhere before the next run.
    expect(existsSync(`${path}.hide-ledger`)).toBe(false);
    expect((await emulator.run(['dois', 'publish', doi(1), doi(2)])).code).toBe(0);
    const again = await emulator.run(verb('hide', path));
    expect(results(again.stdout).map(({ outcome }) => outcome)).toEqual(['hidden', 'hidden']);
    expect(existsSync(`${path}.hide-ledger`)).toBe(false);
  });

  it('prints an object for each change with --format json, and one for its error', async () => {
    const emulator = await drafts(2);
    const json = await emulator.run(verb('publish', file(list(1, 2, 9)), '--format', 'json'));
    expect(results(json.stdout).map(({ outcome }) => outcome)).toEqual([
      'published',
      'published',
      'failed',
    ]);
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: {
        kind: 'rejected',
        message: expect.stringMatching(/^3 DOIs in .*: 2 published, 1 failed$/),
      },
    });
  });

  it('fails a line that is the result of a failure, and touches no DOI for it', async () => {
    const emulator = await drafts(1);
    const failed = {
      line: 2,
      doi: doi(1),
      state: null,
      outcome: 'failed',
      errors: [{ message: 'no' }],
    };
    const none = { ...failed, doi: null };
    const path = file(`${JSON.stringify(failed)}\n${JSON.stringify(none)}\n`);
    const before = await written(emulator);
    const { code, stdout } = await emulator.run(verb('publish', path));
    expect(code).toBe(1);
    const message = 'the run that printed this result failed for this record: no';
    expect(results(stdout)).toMatchObject([
      { line: 1, doi: doi(1), outcome: 'failed', errors: [{ message }] },
      { line: 2, doi: null, outcome: 'failed', errors: [{ message }] },
    ]);
    expect(await written(emulator)).toEqual(before);
  });

  it('asks on a terminal before DOIs are registered, unless --yes is given', async () => {
    const emulator = await drafts(2);
    const terminal = { stdin: true, stderr: true };
    const no = await emulator.run(verb('publish', emulator.created, '--quiet'), {
      terminal,
      stdin: 'n\n',
    });
    expect(no.code).toBe(1);
    expect(no.stderr).toMatch(
      /Publish 2 DOIs of .*\? A registered DOI cannot be deleted\. \[y\/N\]/,
    );
    expect(await states(emulator, 2)).toEqual(['draft', 'draft']);
    expect(
      (await emulator.run(verb('publish', emulator.created, '--quiet'), { terminal, stdin: 'y\n' }))
        .code,
    ).toBe(0);
    expect(
      (await emulator.run(verb('register', file(list(1)), '--yes', '--quiet'), { terminal }))
        .stderr,
    ).not.toContain('[y/N]');
  });

  it.each<readonly [string, string | Buffer, RegExp]>([
    [
      'a line without a DOI',
      `${doi(1)}\n{"line":2}\n`,
      /:2: the line has no DOI\nhint: write one DOI/,
    ],
    ['a line that is no DOI', `${doi(1)}\nnonsense\n`, /:2: .*nonsense/],
    ['nothing', '\n', /holds no record/],
    [
      'a DOI and another',
      `{"doi":"${doi(1)}","doi":"${doi(2)}"}\n`,
      /:1: the member "doi" appears twice/,
    ],
    [
      'a result of a dry run',
      `${doi(2)}\n{"line":1,"doi":"${doi(1)}","outcome":"valid","errors":[]}\n`,
      /:2: this is the result of a dry run, which sent nothing\nhint: name the file that was checked/,
    ],
    [
      'what validate has found',
      `{"line":1,"doi":"${doi(1)}","state":"draft","valid":true,"findings":[]}\n${doi(2)}\n`,
      /:1: this is the result of dois validate/,
    ],
    ...[',', ' ', ';', '\t', '|', ', ', ',doi:', ';https://doi.org/'].map(
      (between) =>
        [
          `two DOIs with ${JSON.stringify(between)} between them`,
          `${doi(3)}\n${doi(1)}${between}${doi(2)}\n`,
          /:2: '10\.5072.1\W.*10\.5072.2' holds several DOIs: write each by itself\nhint: write one DOI per line/,
        ] as const,
    ),
    ['a comma at the end', `${doi(1)},\n${doi(2)}\n`, /:1: '10.5072.1,' ends with ','/],
    [
      'a workbook',
      Buffer.from('504b030414000600', 'hex'),
      /is a workbook or an archive, not text\nhint: save it/,
    ],
  ])('refuses %s before any request', async (_, text, message) => {
    const emulator = await emulate({ records: 0 });
    for (const command of [
      ['publish'],
      ['delete', '--yes'],
      ['hide'],
      ['update', '--set', 'version=2'],
    ]) {
      const { code, stdout, stderr } = await emulator.run([
        'dois',
        ...command,
        '--file',
        file(text),
      ]);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
    }
    expect(await emulator.log()).toEqual([]);
  });

  it('refuses DOIs next to a file, options for many without one, and no DOI at all', async () => {
    const emulator = await emulate({ records: 0 });
    for (const [argv, message] of [
      [['publish', doi(1), '--file', 'x'], 'exclude each other'],
      [['hide', doi(1), '--jobs', '2'], '--jobs is for the records of a file'],
      [['register'], 'name the DOIs to register'],
      [['delete', '--yes'], 'name the DOIs to delete'],
    ] as const) {
      const { code, stderr } = await emulator.run(['dois', ...argv]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(await emulator.log()).toEqual([]);
  });

  it('takes a record over many lines, and stdin', async () => {
    const emulator = await drafts(2);
    const { stdout } = await emulator.run(['dois', 'get', doi(1), '--format', 'json']);
    expect((await emulator.run(verb('publish', file(stdout, 'json')))).code).toBe(0);
    expect((await emulator.run(verb('publish', '-'), { stdin: list(2) })).code).toBe(0);
    expect(await states(emulator, 2)).toEqual(['findable', 'findable']);
  });

  it('shows for DOIs of the command line too what would change', async () => {
    const emulator = await drafts(2);
    const argv = ['dois', 'publish', doi(1), '--dry-run'];
    expect(await emulator.run(argv)).toMatchObject({
      code: 0,
      stdout: '- state: "draft"\n+ state: "findable"\n',
      stderr: `1 change in ${doi(1)}; nothing was sent (--dry-run)\n`,
    });
    const { stdout } = await emulator.run([...argv, '--format', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      doi: doi(1),
      changes: [{ path: 'state', before: 'draft', after: 'findable' }],
    });
    expect(await emulator.run(['dois', 'delete', doi(1), '--dry-run'])).toMatchObject({
      code: 0,
      stdout: '- state: "draft"\n',
    });
    // In a pipe each line says which DOI it is about.
    for (const name of ['publish', 'delete']) {
      const both = await emulator.run(['dois', name, doi(1), doi(2), '--dry-run']);
      expect(
        both.stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => (JSON.parse(line) as { doi: string }).doi),
      ).toEqual([doi(1), doi(2)]);
    }
    expect(await states(emulator, 2)).toEqual(['draft', 'draft']);
  });
});

describe('a deletion of many DOIs', () => {
  it('deletes Drafts alone, and finds what is gone unchanged', async () => {
    const emulator = await drafts(3);
    expect((await emulator.run(['dois', 'register', doi(2)])).code).toBe(0);
    const path = file(list(1, 2, 3, 9));
    expect(await emulator.run(verb('delete', path))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /asks for confirmation.*\nhint: doi-cli dois delete --file .* --yes\n/,
      ),
    });
    const dry = await emulator.run(verb('delete', path, '--dry-run'));
    expect(results(dry.stdout)).toMatchObject([
      { outcome: 'valid', changes: [{ path: 'state', before: 'draft', after: null }] },
      { outcome: 'failed' },
      { outcome: 'valid' },
      { outcome: 'unchanged', state: null },
    ]);
    expect(await states(emulator, 3)).toEqual(['draft', 'registered', 'draft']);
    const { code, stdout, stderr } = await emulator.run(verb('delete', path, '--yes'));
    expect(code).toBe(1);
    expect(stderr).toContain('not found, or not readable with these credentials: 1 DOI\n');
    expect(results(stdout)).toMatchObject([
      { line: 1, doi: doi(1), state: null, outcome: 'deleted', errors: [] },
      {
        line: 2,
        outcome: 'failed',
        errors: [{ message: expect.stringMatching(/only Drafts can be deleted/) }],
      },
      { line: 3, doi: doi(3), outcome: 'deleted' },
      { line: 4, doi: doi(9), outcome: 'unchanged' },
    ]);
    expect(await states(emulator, 3)).toEqual(['gone', 'registered', 'gone']);
  });

  it('prints an object for each DOI of the command line with --format json', async () => {
    const emulator = await drafts(2);
    const { stdout } = await emulator.run([
      'dois',
      'delete',
      doi(1),
      doi(2),
      '--yes',
      '--format',
      'ndjson',
    ]);
    expect(results(stdout)).toEqual(
      [1, 2].map((place) => ({ doi: doi(place), state: null, outcome: 'deleted', errors: [] })),
    );
  });
});

describe('dois update --set with many DOIs', () => {
  const update = (path: string, ...more: string[]) => verb('update', path, ...more);

  it('changes that of each record, and nothing else', async () => {
    const emulator = await drafts(3);
    const set = ['--set', 'version=2', '--set', 'titles[0].lang=en'];
    for (const path of [file(list(1, 2, 3), 'txt'), emulator.created]) {
      const dry = await emulator.run(update(path, ...set, '--dry-run'));
      if (path === emulator.created) {
        expect(results(dry.stdout).map(({ outcome }) => outcome)).toEqual(
          Array(3).fill('unchanged'),
        );
      } else {
        expect(results(dry.stdout)[0]).toMatchObject({
          outcome: 'valid',
          changes: [
            { path: 'version', before: null, after: '2' },
            { path: 'titles[0].lang', before: null, after: 'en' },
          ],
        });
      }
      const { code, stdout, stderr } = await emulator.run(update(path, ...set));
      expect(code, stderr).toBe(0);
      const outcome = path === emulator.created ? 'unchanged' : 'updated';
      expect(results(stdout).map((one) => one.outcome)).toEqual(Array(3).fill(outcome));
    }
    expect((await written(emulator)).filter((method) => method === 'PUT')).toHaveLength(3);
  });

  it('takes records from a list for their DOIs alone', async () => {
    const emulator = await drafts(2);
    const { stdout } = await emulator.run(['dois', 'list', '--all', '--mine']);
    // Changed since the list was made.
    expect(
      (await emulator.run(['dois', 'update', doi(1), '--set', 'url=https://example.org/new'])).code,
    ).toBe(0);
    for (const stdin of [stdout, `${stdout.split('\n')[0]}\n`]) {
      const { code, stderr } = await emulator.run(update('-', '--set', `version=${stdin.length}`), {
        stdin,
      });
      expect(code, stderr).toBe(0);
    }
    const now = await emulator.run(['dois', 'get', doi(1), '--format', 'json']);
    expect(JSON.parse(now.stdout)).toMatchObject({
      attributes: { url: 'https://example.org/new' },
    });
  });

  it('finds what it has just sent unchanged, though the service spells and completes it', async () => {
    const emulator = await drafts(1);
    const path = file(
      `${JSON.stringify({
        doi: doi(1),
        types: { resourceTypeGeneral: 'Dataset' },
        creators: [
          {
            name: 'Doe, Jane',
            nameIdentifiers: [
              { nameIdentifier: '0000-0002-1825-0097', nameIdentifierScheme: 'ORCID' },
            ],
            affiliation: ['Lake Institute'],
          },
        ],
        publisher: 'Lake Institute',
        publicationYear: '2026',
        language: 'German',
        rightsList: [{ rightsIdentifier: 'cc-by-4.0' }],
        sizes: '1 kB',
        subjects: [],
        version: 2,
        nonsuch: 1,
      })}\n`,
    );
    const odd = ['--no-validate', '--ledger'];
    expect((await emulator.run(update(path, ...odd, `${path}.one`))).stderr).toContain('1 updated');
    const again = await emulator.run(update(path, ...odd, `${path}.two`, '--dry-run'));
    expect(results(again.stdout)).toMatchObject([{ outcome: 'unchanged', changes: [] }]);
    expect((await emulator.run(update(path, ...odd, `${path}.two`))).stderr).toContain(
      '1 unchanged',
    );
  });

  it('sends nothing of a list that comes back as it was', async () => {
    const emulator = await drafts(3);
    expect((await emulator.run(verb('publish', emulator.created))).code).toBe(0);
    const before = await written(emulator);
    const { stdout } = await emulator.run(['dois', 'list', '--all', '--mine', '--affiliation']);
    const { code, stdout: printed, stderr } = await emulator.run(update(file(stdout)));
    expect(code, stderr).toBe(0);
    expect(results(printed).map(({ outcome }) => outcome)).toEqual(Array(3).fill('unchanged'));
    expect(await written(emulator)).toEqual(before);
  });

  it('refuses a line with attributes of its own', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(`{"doi":"${doi(1)}","version":"2"}\n`);
    expect(await emulator.run(update(path, '--set', 'url=https://example.org'))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /:1 has attributes \(version\): .*\nhint: send the attributes without --set/,
      ),
    });
    expect(await emulator.log()).toEqual([]);
  });

  it('refuses the ledger of another --set, and begins anew after the end', async () => {
    const emulator = await drafts(4);
    const path = file(list(1, 2, 3, 4));
    await emulator.control('faults', { faults: ['500@4+'] });
    expect(
      (await emulator.run(update(path, '--set', 'version=2', '--retries', '0', '--jobs', '1')))
        .code,
    ).toBe(5);
    await emulator.control('faults', { faults: [] });
    expect((await emulator.run(update(path, '--set', 'version=3'))).stderr).toMatch(
      /belongs to a run with another change: --set version=2, not --set version=3/,
    );
    expect((await emulator.run(update(path, '--set', 'version=2'))).code).toBe(0);
    expect((await emulator.run(update(path, '--set', 'version=3'))).code).toBe(0);
  });

  it('does not send records that are as asked', async () => {
    const emulator = await drafts(2);
    const path = file(
      `{"doi":"${doi(1)}","version":"2"}\n{"doi":"${doi(2)}","url":"https://example.org/9"}\n`,
    );
    expect((await emulator.run(['dois', 'update', doi(1), '--set', 'version=2'])).code).toBe(0);
    const dry = await emulator.run(update(path, '--dry-run'));
    expect(results(dry.stdout)).toMatchObject([
      { outcome: 'unchanged', changes: [] },
      { outcome: 'valid', changes: [{ path: 'url', after: 'https://example.org/9' }] },
    ]);
    const { stdout, stderr } = await emulator.run(update(path));
    expect(results(stdout).map(({ outcome }) => outcome)).toEqual(['unchanged', 'updated']);
    expect(stderr).toMatch(
      /does not say what was exported.*\n2 records in \d+ s: 1 updated, 1 unchanged\n$/,
    );
    expect((await written(emulator)).filter((method) => method === 'PUT')).toHaveLength(2);
  });
});

describe('a ledger that cannot be written', () => {
  it('can be put elsewhere', () => {
    const hint = '--ledger <path> puts the ledger and its lock elsewhere';
    expect(
      withLedgerHint(new CliError('output', 'cannot lock x.ledger: EROFS'), 'x.ledger'),
    ).toMatchObject({
      hint,
    });
    const other = new CliError('output', 'cannot write the output');
    expect(withLedgerHint(other, 'x.ledger')).toBe(other);
  });
});
