import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Attributes,
  Editing,
  edit,
  editRows,
  LAKE,
  type Row,
} from '../../../helpers/editing.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

const POINT = 'geoLocations[0].geoLocationPoint';
const [LONGITUDE, LATITUDE] = [`${POINT}.pointLongitude`, `${POINT}.pointLatitude`];
const at = (pointLongitude: number, pointLatitude = 5) => ({
  geoLocations: [{ geoLocationPoint: { pointLongitude, pointLatitude } }],
});

/**
 * What a record has besides, the column, what a spreadsheet makes of its cell, and what is sent;
 * undefined for no edit.
 */
type Spelling = readonly [
  of: Attributes,
  column: string,
  cell: string,
  sent: Attributes | undefined,
];

const NUMBERS: readonly Spelling[] = [
  [at(115), LONGITUDE, '11.5', at(11.5)],
  [at(115), LONGITUDE, '1.15', at(1.15)],
  [at(115), LONGITUDE, '-115', at(-115)],
  [at(0.5), LONGITUDE, '5', at(5)],
  [at(12, 34), LATITUDE, '3.4', at(12, 3.4)],
  [at(1.5), LONGITUDE, '15', at(15)],
  [{ publicationYear: 1234 }, 'publicationYear', '2025', { publicationYear: 2025 }],
  [at(115), LONGITUDE, '115.0', undefined],
  [at(115), LONGITUDE, '115,00', undefined],
  [at(115), LONGITUDE, '1.15E+02', undefined],
  [at(115), LONGITUDE, ' +115 ', undefined],
  [at(5.5), LONGITUDE, '5,5', undefined],
  [at(5.5), LONGITUDE, '5,500', undefined],
  [at(-0.25), LONGITUDE, '-,25', at(-0.25)],
  [{ publicationYear: 1234 }, 'publicationYear', '1.234', undefined],
  [{ publicationYear: 1234 }, 'publicationYear', '1,234', undefined],
  [{ publicationYear: 2024 }, 'publicationYear', "2'024", undefined],
  [{ publicationYear: 2024 }, 'publicationYear', '2 024', undefined],
  [{ publicationYear: 2024 }, 'publicationYear', '2024.0', undefined],
  [{ publicationYear: 2025 }, 'publicationYear', '1905-07-17', undefined],
  [{ publicationYear: 2025 }, 'publicationYear', '17.07.1905', undefined],
  [{ publicationYear: 2025 }, 'publicationYear', '7/17/1905', undefined],
];

const dated = (date: string) => ({ dates: [{ date, dateType: 'Issued' }] });
const DATES: readonly Spelling[] = [
  [dated('2024-03-04'), 'dates[0].date', '4.3.2024', undefined],
  [dated('2024-03-04'), 'dates[0].date', '04.03.24', undefined],
  [dated('2024-03-04'), 'dates[0].date', '3/4/2024', undefined],
  [dated('2024-03-04'), 'dates[0].date', '2024/03/04', undefined],
  [dated('2024-03-04'), 'dates[0].date', '4-Mar-24', undefined],
  [dated('2024-03-04'), 'dates[0].date', '45355', undefined],
  [dated('2024-03-04'), 'dates[0].date', '2024-03-04 00:00:00', undefined],
  [dated('2024'), 'dates[0].date', '1905-07-16', undefined],
  [dated('2024'), 'dates[0].date', '16.07.1905', undefined],
  [dated('2024-03-04'), 'dates[0].date', '2024-03-05', dated('2024-03-05')],
  [dated('2024-03-04'), 'dates[0].date', '2024-03', dated('2024-03')],
  [dated('2024-03'), 'dates[0].date', '2024-03-04', dated('2024-03-04')],
];

const titled = (title: string) => ({ titles: [{ title }] });
const ORCID = '0000-0002-1825-0097';
const orcid = (nameIdentifier: string) => ({
  creators: [
    { name: 'Doe, Jane', nameIdentifiers: [{ nameIdentifier, nameIdentifierScheme: 'ORCID' }] },
  ],
});
const LANDING = 'http://dx.doi.org/10.5072/landing';
/** The service stores the texts of JSON as they are sent (service.md, W21). */
const LINKS: readonly Spelling[] = [
  [
    { url: LANDING },
    'url',
    'https://doi.org/10.5072/landing',
    { url: 'https://doi.org/10.5072/landing' },
  ],
  [titled('10.5072/A'), 'titles[0].title', '10.5072/a', titled('10.5072/a')],
  [
    orcid(`http://orcid.org/${ORCID}`),
    'creators[0].orcid',
    ORCID,
    orcid(`https://orcid.org/${ORCID}`),
  ],
  [orcid(`https://orcid.org/${ORCID}`), 'creators[0].orcid', ORCID, undefined],
];
const TEXTS: readonly Spelling[] = [
  [titled('A\nB'), 'titles[0].title', 'A\r\nB', undefined],
  [titled('A\r\nB'), 'titles[0].title', 'A\nB', undefined],
  [titled('Lake'), 'titles[0].title', '  Lake ', undefined],
  [{ version: '1.0' }, 'version', "'1.0", undefined],
  [{ version: '1.0' }, 'version', '1.0', undefined],
  [{ version: '1.0' }, 'version', '1', { version: '1' }],
  [titled('Lake'), 'titles[0].title', 'lake', titled('lake')],
  [titled('A  B'), 'titles[0].title', 'A B', titled('A B')],
  [titled('A\u000bB'), 'titles[0].title', 'A C', titled('A C')],
];

describe('a cell is an edit where it holds another value', () => {
  const format = 'csv';
  it.each<[string, readonly Spelling[]]>([
    ['numbers', NUMBERS],
    ['dates', DATES],
    ['texts', TEXTS],
    ['links', LINKS],
  ])('of %s', async (_, spellings) => {
    const dois = await editing.create(...spellings.map(([of]) => ({ ...LAKE, ...of })));
    const path = await editing.exported(dois, format);
    for (const [place, [, column, cell]] of spellings.entries())
      edit(path, dois[place], { [column]: cell });
    const { stderr, results, puts } = await editing.update(path);
    for (const [place, [of, column, cell, sent]] of spellings.entries()) {
      const name = `${JSON.stringify(of)} ${column}: ${cell}`;
      const doi = dois[place] ?? '';
      const { outcome } = results.find((one) => one.doi === doi) ?? {};
      // What is sent in a form that the service refuses is an error, and no silent loss.
      if (cell === '-,25') expect(['failed', 'unchanged'], name).toContain(outcome);
      else expect(outcome, `${name}: ${stderr}`).toBe(sent === undefined ? 'unchanged' : 'updated');
      expect(
        puts.some((put) => put['doi'] === doi),
        name,
      ).toBe(outcome === 'updated');
      expect(await editing.stored(doi), name).toMatchObject(sent ?? of);
    }
  });

  it('of control characters that are gone says that they stay, and how to take them out', async () => {
    const of: readonly [Attributes, string, string][] = [
      [titled('A\u000bB'), 'titles[0].title', 'AB'],
      [
        { descriptions: [{ description: 'A\tB', descriptionType: 'Other' }] },
        'descriptions[0].description',
        'AB',
      ],
      [{ subjects: [{ subject: '\u0001water' }] }, 'subjects[0].subject', 'water'],
    ];
    const dois = await editing.create(...of.map(([values]) => ({ ...LAKE, ...values })));
    const path = await editing.exported(dois, format);
    for (const [place, [, column, cell]] of of.entries())
      edit(path, dois[place], { [column]: cell });
    const { code, puts, results } = await editing.update(path);
    expect([code, puts]).toEqual([0, []]);
    for (const [place, [, column]] of of.entries()) {
      const { outcome, warnings } = results.find(({ doi }) => doi === dois[place]) ?? {};
      const told = [
        {
          path: column,
          message: expect.stringMatching(/control characters .* --set or as JSON/),
        },
      ];
      expect([outcome, warnings]).toEqual([
        'unchanged',
        told.map((one) => expect.objectContaining(one)),
      ]);
    }
    const { code: set } = await editing.emulator.run([
      'dois',
      'update',
      dois[0] ?? '',
      '--set',
      'titles[0].title=AB',
    ]);
    expect([set, await editing.stored(dois[0] ?? '')]).toMatchObject([0, titled('AB')]);
  });
});

interface Named {
  readonly column?: string;
  readonly value?: string;
}

const WORDS = [
  'NA',
  'N/A',
  '<NA>',
  '#N/A',
  'NaN',
  'nan',
  'NaT',
  'NULL',
  'null',
  'None',
  'nil',
  '(null)',
  '\\N',
];

describe('words by which programs write that there is no value', () => {
  it('are no edits in the empty cells of an export', async () => {
    const format = 'csv';
    const dois = await editing.create(...WORDS.map(() => LAKE));
    const path = await editing.exported(dois, format);
    const words = new Map(dois.map((doi, place) => [doi, WORDS[place] ?? '']));
    const filled = (row: Row) => (cell: string) => cell || (words.get(row['doi'] ?? '') ?? '');
    editRows(path, (row) =>
      Object.fromEntries(Object.entries(row).map(([head, cell]) => [head, filled(row)(cell)])),
    );
    const { code, puts, outcomes, stderr } = await editing.update(path);
    expect([code, puts, new Set(outcomes)], stderr).toEqual([0, [], new Set(['unchanged'])]);
    // In a row with an edit, they are none either.
    for (const doi of dois) edit(path, doi, { url: 'https://example.org/2' });
    const second = await editing.update(path);
    expect(second.puts.map((put) => Object.keys(put).sort())).toEqual(
      dois.map(() => ['doi', 'url']),
    );
  });

  it('are warned of in new records: in each result, and for each column with their number', async () => {
    const words = '#N/A N/A NA <NA> NULL None nan NaN - n.d.'.split(' ');
    const heads = ['titles[0].title', 'version', 'subjects[0].subject', 'creators[0].givenName'];
    const cellsOf = (word: string, place: number) => [
      'Depth',
      word,
      place < 6 ? word : 'ice',
      // Only the last row, whose warnings are not shown at once.
      place === words.length - 1 ? 'None' : 'Jane',
    ];
    const path = join(temporaryDirectory(), 'new.csv');
    const rows = words.map((word, place) => [`10.5072/word-${place}`, ...cellsOf(word, place)]);
    writeFileSync(path, [['doi', ...heads], ...rows].map((row) => `${row.join()}\n`).join(''));
    for (const command of ['validate --format ndjson', 'create --dry-run']) {
      const argv = ['dois', ...command.split(' '), '--file', path];
      const { code, stdout, stderr } = await editing.emulator.run(argv);
      expect(code, stderr).toBe(1);
      const results = stdout
        .trim()
        .split('\n')
        .map((line): Record<string, Named[] | undefined> => JSON.parse(line));
      for (const [place, { findings, errors, warnings }] of results.entries()) {
        const named = [findings, errors, warnings].flatMap((list) => list ?? []);
        const filled = cellsOf(words[place] ?? '', place).flatMap((cell, at) =>
          words.includes(cell) ? [heads[at]] : [],
        );
        const columns = named.filter(({ value }) => words.includes(value ?? ''));
        expect(columns.map(({ column }) => column)).toEqual(filled);
      }
      const counts = stderr.split('\n').filter((line) => /^ .*stands for/.test(line));
      expect(counts.map((line) => line.replace(/: usually.*/, ''))).toEqual([
        '  9 records: column version',
        '  5 records: column subjects[0].subject',
        '  1 record: column creators[0].givenName',
      ]);
    }
  });

  it('are warned of where they take the place of a value', async () => {
    const [doi = ''] = await editing.create(LAKE);
    const path = await editing.exported([doi], 'csv');
    edit(path, doi, { version: 'NA' });
    const { stderr, results } = await editing.update(path);
    expect(results[0]?.warnings?.map(({ path: column }) => column)).toEqual(['version']);
    expect(stderr).toMatch(/column version: \\?"NA\\?" usually stands for an empty value/);
  });
});

describe('a date in the column of years', () => {
  const DAYS = [
    '1905-07-17',
    '1905/07/17',
    '1905.7.17',
    '17.07.1905',
    '7/17/1905',
    '1905-07-17 00:00:00',
  ];
  const OTHERS = [
    '2024-05-01',
    '2024-05',
    '2024/5',
    '2024-05-01T00:00:00Z',
    '01.05.24',
    '1-May-24',
    'May 2024',
  ];

  it('is an error in new records', async () => {
    const years = [...DAYS, ...OTHERS];
    const path = join(temporaryDirectory(), 'years.csv');
    const rows = years.map((year, place) => `10.5072/year-${place},Lake,${year}`);
    writeFileSync(path, ['doi,titles[0].title,publicationYear', ...rows, ''].join('\n'));
    for (const verb of ['validate', 'create']) {
      const { code, stdout } = await editing.emulator.run([
        'dois',
        verb,
        '--file',
        path,
        '--format',
        'ndjson',
      ]);
      expect(code).toBe(1);
      const lines = stdout.trim().split('\n').slice(0, years.length);
      for (const [place, line] of lines.entries()) {
        expect(line, years[place]).toMatch(/publicationYear.*has to be a year such as 2024/);
      }
    }
  });

  it('is an error in an update where it is not the exported year', async () => {
    const dois = await editing.create(...DAYS.map(() => LAKE));
    const path = await editing.exported(dois, 'csv');
    for (const [place, day] of DAYS.entries()) edit(path, dois[place], { publicationYear: day });
    const { code, puts, results } = await editing.update(path);
    expect([code, puts]).toEqual([1, []]);
    for (const { errors } of results) expect(errors).toMatchObject([{ path: 'publicationYear' }]);
  });
});

describe('a column exported that was made by hand', () => {
  const packed = (value: unknown) =>
    `v2.${deflateSync(JSON.stringify(value)).toString('base64url')}`;
  const VALUES: readonly ((doi: string) => unknown)[] = [
    () => null,
    () => 5,
    () => [null, {}],
    (doi) => [doi],
    (doi) => [doi, null],
    (doi) => [doi, [1]],
    (doi) => [doi, {}, null],
    (doi) => [doi, {}, 'url'],
    (doi) => [doi, { titles: null, creators: [null] }],
    (doi) => [doi, { titles: 5, creators: 'x', url: {}, created: 5, client: [] }],
    (doi) => [doi, { creators: [{ name: null, affiliation: 7, nameIdentifiers: [null] }] }],
    (doi) => [doi, { publisher: [], types: [], dates: {}, subjects: { subject: 'x' } }],
    (doi) => [doi, { toString: 1, constructor: 2 }],
    (doi) => [doi, { titles: Array.from({ length: 10_000 }, () => ({ title: 'x' })) }],
  ];

  it('is no reason to crash, and nothing is sent', async () => {
    const dois = await editing.create(...VALUES.map(() => LAKE));
    const path = await editing.exported(dois, 'csv');
    const cells = new Map(dois.map((doi, place) => [doi, packed(VALUES[place]?.(doi))]));
    editRows(path, (row) => ({ ...row, exported: cells.get(row['doi'] ?? '') ?? '' }));
    const { code, puts, stderr, results } = await editing.update(path);
    expect([code === 0 || code === 1, puts, results.length], stderr).toEqual([
      true,
      [],
      dois.length,
    ]);
    for (const { errors } of results)
      for (const { message } of errors)
        expect(message).not.toMatch(/Cannot read|not a function|TypeError/);
  });

  it.each([
    [
      'unpacks to very much',
      () => `v2.${deflateSync(Buffer.alloc(64 * 1024 * 1024, 0x20)).toString('base64url')}`,
    ],
    ['holds a cell of null', () => packed(null)],
    ['is not packed', () => 'v2.e30'],
    ['is of another version', () => `v1.${deflateSync('[]').toString('base64url')}`],
  ])('that %s counts as damaged', async (_, cell) => {
    const [doi = ''] = await editing.create(LAKE);
    const path = await editing.exported([doi], 'csv');
    editRows(path, (row) => ({
      ...row,
      updated: '',
      url: 'https://example.org/mine',
      exported: cell(),
    }));
    const { code, requests, stderr } = await editing.update(path);
    expect([code, requests, stderr]).toEqual([
      2,
      0,
      expect.stringMatching(/does not say what was exported/),
    ]);
  });
});

describe('an export that comes back', () => {
  const exportedFrom = async (count: number) => {
    const dois = await editing.create(...Array.from({ length: count }, () => LAKE));
    return { doi: dois[0] ?? '', path: await editing.exported(dois, 'csv') };
  };

  it('warns of cells that were emptied, and of dates that may be others', async () => {
    const { doi, path } = await exportedFrom(1);
    edit(path, doi, { 'titles[0].title': '', 'dates[0].date': '3/4/2024' });
    const { code, puts, stderr } = await editing.update(path);
    expect([code, puts]).toEqual([0, []]);
    expect(stderr).toMatch(
      /titles\[0\]\.title: is empty, and was "Lake" in the export: the value stays; null removes it/,
    );
    expect(stderr).toMatch(
      /dates\[0\]\.date: is taken as 2024-03-04, as in the export, and not as 2024-04-03/,
    );
  });

  it('has no edits as UTF-16, and is not sent where its last row was cut', async () => {
    const { path } = await exportedFrom(3);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, Buffer.from(`\ufeff${text}`, 'utf16le'));
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    writeFileSync(path, text.slice(0, text.lastIndexOf(LAKE.url) + 8));
    const { code, puts, stderr } = await editing.update(path);
    expect([code, puts, stderr]).toEqual([
      2,
      [],
      expect.stringMatching(/does not say what was exported/),
    ]);
  });

  it('as NDJSON is checked where it was edited, and not where it was stored', async () => {
    const funder = { funderName: 'EC', funderIdentifierType: 'Register' };
    const doi = '10.5072/stored-wrong';
    const stdin = JSON.stringify({
      doi,
      titles: [{ title: 'A' }],
      fundingReferences: [{ ...funder, funderIdentifier: 'https://ror.org/00k4n6c32' }],
    });
    const create = ['dois', 'create', '--file', '-', '--no-validate'];
    expect((await editing.emulator.run(create, { stdin })).code).toBe(0);
    const path = await editing.exported([doi], 'ndjson');
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    edit(path, doi, { 'fundingReferences[0].funderName': 'EU' });
    const { code, puts, results } = await editing.update(path);
    expect([code, puts]).toEqual([1, []]);
    expect(results[0]?.errors[0]?.path).toBe('fundingReferences[0].funderIdentifierType');
  });
});
