import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe('a change of the state of many DOIs', () => {
  it('takes any spelling of a DOI, and each once', async () => {
    const emulator = await drafts(6);
    const record = JSON.stringify({
      id: doi(3),
      type: 'dois',
      attributes: { doi: doi(3), state: 'draft' },
    });
    const text =
      `\ufeff${doi(1).toUpperCase()}\r\nhttps://doi.org/${doi(2)}\n${record}\n\n"${doi(4)}"\n${list(1)}` +
      `${JSON.stringify({ data: { type: 'dois', attributes: { doi: doi(5) } } })}\n` +
      `${JSON.stringify({ doi: doi(6), titles: [{ title: 'x' }] })}\n`;
    const { code, stdout, stderr } = await emulator.run(verb('publish', file(text, 'txt')));
    expect(code, stderr).toBe(0);
    expect(results(stdout).map((one) => [one.line, one.doi, one.outcome])).toEqual(
      [1, 2, 3, 5, 7, 8].map((line, place) => [line, doi(place + 1), 'published']),
    );
    expect(stderr).toMatch(
      /: 1 line repeats the DOI of an earlier one, and is left out\n6 DOIs in/,
    );
    expect(await states(emulator, 6)).toEqual(Array(6).fill('findable'));
  });

  it('shows with --dry-run on a terminal what would change', async () => {
    const emulator = await drafts(2);
    expect((await emulator.run(['dois', 'publish', doi(2)])).code).toBe(0);
    const path = file(list(1, 2, 9));
    const terminal = { stdout: true };
    expect((await emulator.run(verb('publish', path, '--dry-run'), { terminal })).stdout).toBe(
      `LINE  DOI        FIELD  BEFORE  AFTER\n1     ${doi(1)}  state  draft   findable\n\n` +
        `LINE  DOI        ERROR\n3     ${doi(9)}  ${doi(9)} does not exist, or these credentials may not read it\n`,
    );
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
      /is a workbook or an archive, not text\nhint: save the table in it as "CSV UTF-8"/,
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

  it('tries only the lines that the service failed, however often, and reads all after that', async () => {
    const emulator = await drafts(3);
    const publish = (options = '') =>
      emulator.run(verb('publish', emulator.created, ...`--jobs 1 ${options}`.trim().split(' ')));
    // The first read of the second DOI.
    await emulator.control('faults', { faults: ['500@5'] });
    const failed = await publish('--retries 0');
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('hint: the same command again tries only those\n'),
    });
    await emulator.control('faults', { faults: [] });
    const before = (await emulator.log()).length;
    expect(await publish()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 published, 2 done before'),
    });
    const repeated = (await emulator.log()).slice(before);
    expect(repeated.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    expect((await emulator.run(verb('hide', emulator.created, '--yes'))).code).toBe(0);
    expect(await publish()).toMatchObject({ stderr: expect.stringContaining('3 published') });
  });
});

describe('dois update --set with many DOIs', () => {
  const update = (path: string, ...more: string[]) => verb('update', path, ...more);

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
});

describe('a file that cannot be written', () => {
  it.each([
    ['--ledger', 250, 1, '--ledger <path> puts the ledger and its lock elsewhere'],
    ['--ledger', 240, 1, '--ledger <path> puts the ledger and its lock elsewhere'],
    ['--out', 250, 2, 'name another folder'],
  ])('as %s of %s characters gets its own hint', async (option, length, exit, hint) => {
    const emulator = await emulate({ records: 0 });
    const name = `${'x'.repeat(length - 4)}.csv`;
    const path = file(list(1));
    const args = ['dois', 'hide', '--file', path, option, join(folder, name)];
    const { code, stderr } = await emulator.run(args);
    expect([code, stderr.split('\nhint: ')[1]]).toEqual([exit, `${hint}\n`]);
  });
});
