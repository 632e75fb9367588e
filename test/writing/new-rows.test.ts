import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { READ_ONLY } from '../../src/api/record-match.ts';
import {
  type Attributes,
  Editing,
  editRows,
  LAKE,
  type Row,
  rowsOf,
  writeRows,
} from '../helpers/editing.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../helpers/emulator.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

/** Values of every kind that has no column. */
const RICH = {
  ...LAKE,
  creators: [
    {
      name: 'Doe, Jane',
      nameType: 'Personal',
      lang: 'en',
      nameIdentifiers: [
        {
          nameIdentifier: '0000000121032683',
          nameIdentifierScheme: 'ISNI',
          schemeUri: 'http://isni.org',
        },
      ],
      affiliation: [
        {
          name: 'Lab',
          affiliationIdentifier: 'grid.1',
          affiliationIdentifierScheme: 'GRID',
          schemeUri: 'https://grid.ac',
        },
      ],
    },
    { name: 'Lake Institute', nameType: 'Organizational' },
  ],
  publisher: {
    name: 'P',
    publisherIdentifier: '0000000121032683',
    publisherIdentifierScheme: 'ISNI',
    schemeUri: 'https://isni.org',
    lang: 'en',
  },
  subjects: [
    { subject: 'water', schemeUri: 'https://example.org/s', classificationCode: '12', lang: 'en' },
  ],
  relatedIdentifiers: [
    {
      relatedIdentifier: '10.5072/b',
      relatedIdentifierType: 'DOI',
      relationType: 'HasMetadata',
      resourceTypeGeneral: 'Text',
      relatedMetadataScheme: 'x',
      schemeUri: 'https://example.org',
      schemeType: 'XSD',
    },
  ],
  rightsList: [
    { rights: 'Mine', rightsIdentifierScheme: 'own', schemeUri: 'https://example.org', lang: 'en' },
  ],
  fundingReferences: [
    {
      funderName: 'F',
      funderIdentifier: '1',
      funderIdentifierType: 'Other',
      schemeUri: 'https://f.org',
    },
  ],
  contentUrl: ['https://example.org/file'],
  container: { type: 'Series', title: 'Lakes' },
};

const data = (file: string) =>
  (
    JSON.parse(readFileSync(`test/fixtures/${file}`, 'utf8')) as {
      data: { attributes: Attributes }[];
    }
  ).data;
const SOURCES: readonly Attributes[] = [
  RICH,
  ...[...data('dois-2024.json'), ...data('dois-page-1-2020.json')].map(
    ({ attributes }) => attributes,
  ),
  ...readFileSync('test/fixtures/examples/kernel-4.ndjson', 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { attributes: Attributes }).attributes),
];

/** What a new record has of its own: its DOI, and where it comes from. */
const OF_ITS_OWN =
  'doi xml schemaVersion source reason landingPage prefix suffix relationships'.split(' ');
const copied = ({ rightsList, ...attributes }: Attributes): Attributes => {
  const others = Object.entries(attributes).filter(
    ([name]) => !READ_ONLY.has(name) && !OF_ITS_OWN.includes(name),
  );
  // The service stores one license by another of its names, and that one as this.
  const licenses = JSON.stringify(rightsList).replaceAll('-only"', '"');
  return { ...Object.fromEntries(others), rightsList: JSON.parse(licenses) };
};

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

it('a row of an export makes a record with every value of the exported one', async () => {
  const [from, to] = [await emulate({ records: 0 }), await emulate({ records: 0 })];
  const folder = temporaryDirectory();
  // Written without the client, as the records of others are.
  const headers = {
    authorization: `Basic ${btoa(`${REPOSITORY}:${PASSWORD}`)}`,
    'content-type': 'application/vnd.api+json',
  };
  for (const [place, source] of SOURCES.entries()) {
    const attributes = { ...source, doi: `10.5072/source-${place}`, id: undefined };
    const body = JSON.stringify({ data: { type: 'dois', attributes } });
    const answer = await fetch(`${from.baseUrl}/dois`, { method: 'POST', headers, body });
    expect(answer.status, await answer.text()).toBe(201);
  }
  const path = join(folder, 'all.csv');
  expect(await from.run(['dois', 'list', '--all', '--out', path])).toMatchObject({ code: 0 });
  const made = await to.run(['dois', 'create', '--no-validate', '--file', path]);
  expect(made.code, made.stderr).toBe(0);
  const records = async ({ run }: TestEmulator) =>
    new Map(
      linesOf((await run(['dois', 'list', '--all', '--detail'])).stdout).map(
        ({ id, attributes }) => [id, copied(attributes)],
      ),
    );
  const [before, after] = [await records(from), await records(to)];
  expect(after.size).toBe(SOURCES.length);
  for (const [doi, attributes] of before) expect(after.get(doi), doi).toEqual(attributes);
});

describe('an edited export', () => {
  /** An export of three records, and a service without them. */
  async function exported() {
    const editing = await Editing.start(onTestFinished);
    const dois: string[] = [];
    for (const place of [0, 1, 2]) {
      const [title, url] = [`Lake ${place}`, `https://example.org/${place}`];
      const own = { ...RICH, titles: [{ title }, { title: 'Data' }], url };
      dois.push(...(await editing.create(own)));
      // Bulk runs create several records in a second.
      if (place === 1) await editing.later();
    }
    const path = await editing.exported(dois, 'csv');
    const { run } = await emulate({ records: 0 });
    const create = (...more: readonly string[]) =>
      run(['dois', 'create', '--file', path, '--format', 'ndjson', ...more]);
    const stored = async (doi: string): Promise<Attributes> =>
      JSON.parse((await run(['dois', 'get', doi, '--format', 'json'])).stdout).attributes;
    return { run, dois, path, create, stored };
  }

  it('makes records with the edits, and with the values of columns that were removed', async () => {
    const { dois, path, create, stored } = await exported();
    const [doi = '', other = ''] = dois;
    editRows(path, (row) => {
      const { 'subjects[0].subject': _, 'subjects[0].valueUri': __, version: ___, ...rest } = row;
      if (row['doi'] !== doi) return rest;
      return {
        ...rest,
        'titles[1].title': 'null',
        'creators[0].familyName': 'Doe',
        'creators[1].name': 'null',
        language: 'de',
        'publisher.name': '',
        state: 'findable',
      };
    });
    const { code, stderr } = await create('--event', 'publish');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('column publisher.name: is empty, and was "P" in the export'),
    ]);
    const { creators } = RICH;
    expect(await stored(doi)).toMatchObject({
      ...RICH,
      state: 'findable',
      url: 'https://example.org/0',
      titles: [{ title: 'Lake 0' }],
      creators: [{ ...creators[0], familyName: 'Doe' }],
      language: 'de',
    });
    expect((await stored(doi))['titles']).toHaveLength(1);
    expect((await stored(doi))['creators']).toHaveLength(1);
    expect(await stored(other)).toMatchObject({
      ...RICH,
      url: 'https://example.org/1',
      titles: [{ title: 'Lake 1' }, {}],
    });
  });

  it.each<[string, (row: Row, place: number) => Row]>([
    ['other DOIs', (row, place) => ({ ...row, doi: `10.5072/other-${place}` })],
    [
      'other DOIs and other addresses',
      (row, place) => ({
        ...row,
        doi: `10.5072/other-${place}`,
        url: `https://example.net/${place}`,
      }),
    ],
    [
      'another prefix and edits',
      (row) => ({
        ...row,
        doi: String(row['doi']).replace('10.5072', '10.85085'),
        url: 'https://example.net/',
        'titles[0].title': 'A',
      }),
    ],
    ['no DOIs', (row) => ({ ...row, doi: '' })],
    ['no columns for reading', ({ created: _, updated: __, client: ___, ...row }) => row],
  ])('makes records with %s', async (_, change) => {
    const { path, create, run } = await exported();
    editRows(path, change);
    const checked = await run(['dois', 'validate', '--file', path]);
    expect([checked.code, checked.stdout]).toEqual([0, expect.not.stringContaining('error')]);
    const { code, stdout, stderr } = await create('--prefix', '10.5072', '--dry-run');
    expect([code, linesOf(stdout)], stderr).toMatchObject([
      0,
      [{ outcome: 'valid' }, { outcome: 'valid' }, { outcome: 'valid' }],
    ]);
  });

  const shifted = (rows: readonly Row[], isMoved: (head: string) => boolean) =>
    rows.map((row, place): Row => {
      const moved = Object.entries(rows.at(place - 1) ?? {}).filter(([head]) => isMoved(head));
      return { ...row, ...Object.fromEntries(moved) };
    });
  it.each<[string, (rows: readonly Row[]) => readonly Row[]]>([
    ['the DOIs were sorted alone', (rows) => shifted(rows, (head) => head === 'doi')],
    ['all but the DOIs was', (rows) => shifted(rows, (head) => head !== 'doi')],
    ['what was exported was', (rows) => shifted(rows, (head) => head === 'exported')],
    [
      'what was exported was, within one second',
      ([first = {}, second = {}]) => shifted([first, second], (head) => head === 'exported'),
    ],
    [
      'the DOIs were removed, and the rest sorted alone',
      ([first = {}, second = {}]) =>
        shifted([first, second], (head) => head === 'exported').map((row) => ({ ...row, doi: '' })),
    ],
    [
      'the columns for reading were',
      (rows) => shifted(rows, (head) => ['created', 'updated'].includes(head)),
    ],
    [
      'a record was written over another',
      ([first = {}]) => [
        {
          ...first,
          doi: '10.5072/new',
          url: 'https://example.org/new',
          'titles[0].title': 'Other',
        },
      ],
    ],
    ['it is of another account', (rows) => rows.map((row) => ({ ...row, client: 'other.repo' }))],
  ])('is refused where %s', async (_, change) => {
    const { path, create, run } = await exported();
    writeRows(path, change(rowsOf(path)));
    for (const more of [[], ['--dry-run'], ['--no-validate']]) {
      const { code, stdout, stderr } = await create('--prefix', '10.5072', ...more);
      expect([code, stdout, stderr]).toEqual([
        2,
        '',
        expect.stringMatching(/, row \d: .*columns were (?:sorted|moved) separately/),
      ]);
    }
    const checked = await run(['dois', 'validate', '--file', path]);
    expect([checked.code, checked.stderr]).toEqual([
      2,
      expect.stringMatching(/columns were (?:sorted|moved) separately/),
    ]);
  });

  it.each<[string, (row: Row) => Row, boolean]>([
    ['the column was removed', ({ exported: _, ...row }) => row, true],
    ['a cell was emptied', (row) => ({ ...row, exported: '' }), true],
    [
      'a cell was cut off',
      (row) => ({ ...row, exported: String(row['exported']).slice(0, 99) }),
      true,
    ],
    ['it is no export', ({ exported: _, updated: __, ...row }) => row, false],
  ])('has a warning about values without a column where %s', async (_, change, isWarned) => {
    const { path, create, run } = await exported();
    editRows(path, change);
    const text = 'is missing or damaged: values without a column are not in the new record';
    const { stdout } = await run(['dois', 'validate', '--file', path]);
    expect(stdout.includes(text)).toBe(isWarned);
    const made = await create();
    const warnings = linesOf(made.stdout).flatMap(({ warnings: all = [] }) => all);
    expect(
      [made.code, warnings.some(({ message }) => message.startsWith(text))],
      made.stderr,
    ).toEqual([0, isWarned]);
  });
});
