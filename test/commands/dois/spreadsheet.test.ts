import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delimitedLine } from '../../../src/formats/output/csv.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { jsonLines } from '../../helpers/json-lines.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

interface Result {
  line: number;
  doi: string;
  outcome: string;
  errors: { path: string; message: string; column?: string }[];
}

/** Writes a file of a test. */
function file(name: string, content: string | Buffer): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

const table = (...rows: readonly string[][]) => rows.map((row) => delimitedLine(row)).join('');

const RECORD = {
  url: 'https://example.org/1',
  titles: [
    { title: 'Lake', lang: 'en' },
    { title: 'See', titleType: 'TranslatedTitle' },
  ],
  creators: [
    {
      name: 'Doe, Jane',
      nameType: 'Personal',
      nameIdentifiers: [
        { nameIdentifier: 'https://orcid.org/0000-0002-1825-0097', nameIdentifierScheme: 'ORCID' },
      ],
      affiliation: [
        {
          name: 'CERN',
          affiliationIdentifier: 'https://ror.org/01ggx4157',
          affiliationIdentifierScheme: 'ROR',
        },
      ],
    },
  ],
  publisher: {
    name: 'CERN',
    publisherIdentifier: 'https://ror.org/01ggx4157',
    publisherIdentifierScheme: 'ROR',
  },
  publicationYear: 2024,
  types: { resourceTypeGeneral: 'Dataset' },
  version: '1.0',
  dates: [{ date: '2024-05-01', dateType: 'Issued' }],
};

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await emulate({ records: 2000 }, afterAll);
});

const create = async (doi: string) => {
  const made = await emulator.run(['dois', 'create', '--file', '-', '--event', 'publish'], {
    stdin: JSON.stringify({ doi, ...RECORD }),
  });
  expect(made.stderr).toBe('');
};

/** The results of the creation of records, of which none is sent. */
const dryRun = async (stdin: string | Buffer) => {
  const { code, stdout } = await emulator.run('dois create --file - --dry-run'.split(' '), {
    stdin,
  });
  return { code, results: jsonLines<Result>(stdout) };
};

/** The attributes of a record, without those that every request renews. */
const stored = async (doi: string) => {
  const { stdout } = await emulator.run(['dois', 'get', doi]);
  const { attributes } = JSON.parse(stdout) as { attributes: Record<string, unknown> };
  const renewed = /^(updated|metadataVersion|xml|.+OverTime)$/;
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !renewed.test(name)));
};

describe('dois list --format csv', () => {
  it('has the same columns for every list, and those of --fields', async () => {
    const first = async (...args: string[]) =>
      (
        await emulator.run(['dois', 'list', '--mine', '--format', 'csv', '--limit', '1', ...args])
      ).stdout.split('\n')[0];
    expect(await first('--all')).toBe(await first('--query', 'nothing-like-this'));
    expect(await first('--fields', 'url,titles,container')).toBe(
      'doi,url,titles[0].title,titles[0].titleType,titles[0].lang,titles[1].title,titles[1].titleType,titles[1].lang,titles[2+],container,exported',
    );
  });
});

describe('dois create --file x.csv', () => {
  it.each([
    ['a\\nb', /row 2: column titles\[0\]\.title contains \\n, .*\nhint: save the file as CSV/],
    ['C:\\\\data', /contains \\\\, /],
    ['"Deep" lakes', /x\.tsv:2: a quote in the middle of a cell/],
    ['2" pipe', /x\.tsv:2: a quote in the middle of a cell/],
  ])('refuses TSV with the cell %s, but for its DOIs', async (title, message) => {
    const path = file('x.tsv', `doi\ttitles[0].title\n10.5072/tsv-1\t${title}\n`);
    const { code, stderr } = await emulator.run(['dois', 'create', '--file', path]);
    expect([code, stderr]).toEqual([2, message]);
    const hidden = await emulator.run(['dois', 'hide', '--file', path]);
    expect(hidden.code).toBe(title.includes('"') ? 2 : 1);
  });

  it('reads plain TSV', async () => {
    const path = file('y.tsv', 'doi\ttitles[0].title\n10.5072/tsv-2\t"C:\\data, $\\alpha$"\n');
    expect(await emulator.run(['dois', 'create', '--file', path])).toMatchObject({ code: 0 });
    const titles = [{ title: 'C:\\data, $\\alpha$' }];
    expect(await stored('10.5072/tsv-2')).toMatchObject({ titles });
  });

  it('makes a record of each row, with its number', async () => {
    const heads = `doi titles[0].title creators[0].name creators[0].orcid publisher.name
      publicationYear types.resourceTypeGeneral url`.split(/\s+/);
    const others = (year: string, type: string) => ['CERN', year, type, 'https://example.org/1'];
    const title = 'Two\nlines; "quoted", é';
    const text = table(
      heads,
      ['10.5072/sheet-1', title, 'Doe, Jane', '0000-0002-1825-0097', ...others('2024', 'Dataset')],
      heads.map(() => ''),
      ['10.5072/sheet-2', 'Second', 'Roe, Richard', '', ...others('2025', 'Text')],
    );
    const path = file('new.csv', `\ufeff${text.replaceAll('\n', '\r\n')}`);
    const create = ['dois', 'create', '--file', path, '--event', 'publish'];
    const { code, stdout, stderr } = await emulator.run(create);
    expect([code, stderr]).toEqual([0, /2 records/]);
    expect(jsonLines<Result>(stdout)).toMatchObject([
      { line: 2, doi: '10.5072/sheet-1', outcome: 'created', errors: [] },
      { line: 4, doi: '10.5072/sheet-2', outcome: 'created', errors: [] },
    ]);
    expect(await stored('10.5072/sheet-1')).toMatchObject({
      titles: [{ title: 'Two\r\nlines; "quoted", é' }],
      creators: [{ name: 'Doe, Jane', nameIdentifiers: [{ nameIdentifierScheme: 'ORCID' }] }],
      publicationYear: 2024,
      state: 'findable',
    });
    // The ledger stands next to the file, so that nothing is created twice.
    expect((await emulator.run(create)).stderr).toContain('2 done before');
  });

  it.each([
    ['semicolons', 'doi;titles[0].title\n10.5072/semi-1;"a;b"\n'],
    ['tabs', 'doi\ttitles[0].title\n10.5072/semi-2\ta;b\n'],
    ['UTF-16', Buffer.from('\ufeffdoi\ttitles[0].title\r\n10.5072/semi-4\ta;b\r\n', 'utf16le')],
    ['gzip', zlib.gzipSync('doi,titles[0].title\n10.5072/semi-5,a;b\n')],
  ])('reads %s, from stdin too', async (_, stdin) => {
    const results = [{ doi: /^10\.5072\/semi-\d$/, outcome: 'valid' }];
    expect(await dryRun(stdin)).toMatchObject({ code: 0, results });
    const validate = ['dois', 'validate', '--file', '-', '--format', 'json'];
    expect((await emulator.run(validate, { stdin })).stdout).not.toContain('"titles"');
  });

  it('takes the columns of others with --map', async () => {
    const path = file('theirs.csv', table(['Id', 'Jahr', 'Notiz'], ['10.5072/map-1', 'zwei', 'x']));
    const argv = ['dois', 'validate', '--file', path];
    const map = ['Id=doi', 'Jahr=publicationYear', 'Notiz='].flatMap((one) => ['--map', one]);
    const { code, stdout } = await emulator.run([...argv, '--state', 'findable', ...map]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${path}, row 2: error: column Jahr: "zwei" `);
    const { stderr } = await emulator.run(argv);
    expect(stderr).toContain(`${path}, row 1: the column "Id" is not known`);
  });

  it('is validated by row and column', async () => {
    const rows = [
      ['doi', 'titles[0].title', 'creators[0].orcid', 'dates[0].date'],
      ['10.5072/bad-1', 'A\nB', '', ''],
      ['10.5072/bad-2', 'C', '0000-0002-1825-0090', '01.05.2024'],
    ];
    const path = file('bad.csv', table(...rows));
    const { code, stdout } = await emulator.run(['dois', 'validate', '--file', path]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${path}, row 3: error: column dates[0].date: "01.05.2024" is a date`);
    expect(stdout).toMatch(
      /, row 3: (error|warning): column creators\[0\]\.orcid: .* \(10\.5072\/bad-2\)$/m,
    );
    const again = file(
      'again.csv',
      table(['DOI', 'url'], ['10.5072/x', ''], [], ['10.5072/X', 'https://e.org']),
    );
    const repeated = await emulator.run(['dois', 'validate', '--file', again]);
    expect(repeated.stdout).toContain(
      `${again}, row 4: error: column doi: row 2 has the same DOI (10.5072/X)\n`,
    );
  });
});

describe('dois create --template', () => {
  it.each(['csv', 'tsv'])('prints %s that is valid, and creates its example', async (format) => {
    const { stdout: stdin } = await emulator.anonymous(['dois', 'create', '--template', format]);
    const validate = ['dois', 'validate', '--file', '-', '--event', 'publish', '--strict'];
    expect(await emulator.run(validate, { stdin })).toMatchObject({ code: 0, stdout: '' });
    const results = [{ line: 2, doi: '10.5072/example-1', outcome: 'valid' }];
    expect(await dryRun(stdin)).toMatchObject({ results });
  });

  it('goes with no record', async () => {
    const { code, stderr } = await emulator.run('dois create --template csv --file -'.split(' '));
    expect([code, stderr]).toEqual([2, /--template/]);
  });
});

describe('dois update --file x.csv', () => {
  // formats/spreadsheet/row.test.ts has every kind.
  it.each([
    ['update', ['subjects[5+]'], ['{"a":1}'], 'has to be a JSON list'],
    ['create', ['dates[0].date', 'dates[0].dateType'], ['3/4/2024', 'Issued'], '2024-05-01'],
  ])('sends nothing of a cell of the wrong kind: %s %j %j', async (verb, heads, cells, message) => {
    const doi = `10.5072/kind-${verb}`;
    if (verb === 'update') await emulator.run(['dois', 'create', '--doi', doi]);
    const sent = (await emulator.log()).length;
    const path = file('kind.csv', table(['doi', ...heads], [doi, ...cells]));
    const { code, stdout } = await emulator.run(['dois', verb, '--file', path]);
    const error = { column: heads[0], message: new RegExp(message), value: cells[0] };
    expect([code, jsonLines<Result>(stdout)[0]?.errors]).toMatchObject([1, [error]]);
    const requests = (await emulator.log()).slice(sent);
    expect(requests.filter(({ method }) => /POST|PUT/.test(method))).toEqual([]);
  });

  it.each([
    [['publish'], 'failed'],
    [['hide'], 'failed'],
    [['update', '--set', 'language=en'], 'updated'],
    [['delete', '--yes'], 'deleted'],
  ])('is a list of DOIs to %j, whatever else is in its columns', async (command, outcome) => {
    await emulator.run(['dois', 'create', '--doi', '10.5072/list-1']);
    const changed = (rows: string) =>
      emulator.run(['dois', ...command, '--file', file('list.csv', rows)]);
    const { stdout } = await changed('Id,DOI,Note,url\n7,10.5072/list-1,old,x y\n');
    expect(jsonLines<Result>(stdout)).toMatchObject([{ doi: '10.5072/list-1', outcome }]);
    expect(await changed('Id,url\n1,x\n')).toMatchObject({ code: 2, stderr: /"Id" is not known/ });
  });

  it('takes one row for one DOI, and no --set next to it', async () => {
    await create('10.5072/up-5');
    const path = file('one.csv', table(['titles[0].title'], ['Sea']));
    const one = ['dois', 'update', '10.5072/up-5', '--file', path];
    const { stdout } = await emulator.run([...one, '--dry-run', '--format', 'text']);
    expect(stdout).toBe('- titles[0].title: "Lake"\n+ titles[0].title: "Sea"\n');
    expect((await emulator.run([...one, '--set', 'version=2'])).stderr).toContain(
      '--set goes with no spreadsheet',
    );
    expect((await emulator.run(one)).code).toBe(0);
    expect(await stored('10.5072/up-5')).toMatchObject({
      titles: [{ title: 'Sea', lang: 'en' }, RECORD.titles[1]],
    });
  });
});

describe('a JSON array', () => {
  it('is read wherever records are, as dois list writes it', async () => {
    const path = join(temporaryDirectory(), 'l.json.gz');
    await emulator.run([
      ...'dois list --mine --limit 3 --filter publisher=true --out'.split(' '),
      path,
    ]);
    expect(JSON.parse(zlib.gunzipSync(readFileSync(path)).toString())).toHaveLength(3);
    const { code, stdout } = await emulator.run(['dois', 'update', '--file', path, '--dry-run']);
    expect([code, jsonLines<Result>(stdout).map(({ line }) => line)]).toEqual([0, [2, 3, 4]]);
    const { stderr } = await emulator.run(['dois', 'validate', '--file', path]);
    expect(stderr).toContain('3 records');
  });

  it.each([
    '[{"doi":"10.5072/link-1"},{"id":"10.5072/link-2"}]',
    'doi,url\n10.5072/link-1,\n10.5072/link-2,x\n',
    '10.5072/link-1\nhttps://doi.org/10.5072/link-2\n',
  ])(
    'gives its DOIs to commands that take a list of them, and so does a spreadsheet: %j',
    async (stdin) => {
      // The addresses are on this machine, and not asked.
      const url = 'http://127.0.0.1:9/';
      for (const doi of ['10.5072/link-1', '10.5072/link-2']) {
        await emulator.run(['dois', 'create', '--doi', doi, '--url', url]);
      }
      const { stdout } = await emulator.run(['dois', 'check-links', '--file', '-'], { stdin });
      expect(stdout.trim().split('\n')).toHaveLength(2);
    },
  );

  it('may be one line that is longer than any record', async () => {
    const description = 'x '.repeat(500_000);
    const records = Array.from({ length: 20 }, (_, at) => ({
      doi: `10.5072/long-${at}`,
      descriptions: [{ description }],
    }));
    const { stderr } = await emulator.run(['dois', 'validate', '--file', '-', '--format', 'json'], {
      stdin: JSON.stringify(records),
    });
    expect(stderr).toContain('in 20 records');
  });

  it('is numbered by records where several are on one line', async () => {
    const stdin = '[{"doi":"10.5072/a"},{"doi":"10.5072/b"}]';
    const results = [
      { line: 1, doi: '10.5072/a' },
      { line: 2, doi: '10.5072/b' },
    ];
    expect(await dryRun(stdin)).toMatchObject({ results });
  });
});

describe('--out', () => {
  // ui/out-file.test.ts has every ending.
  it.each<[string, RegExp]>([
    ['a', /^\{"id"/],
    ['A.CSV.GZ', /^doi,state,/],
  ])('%s has the format and the packing of its ending', async (name, expected) => {
    const path = join(temporaryDirectory(), name);
    const argv = ['dois', 'list', '--mine', '--limit', '2', '--out', path];
    expect((await emulator.run(argv)).code).toBe(0);
    const bytes = readFileSync(path);
    expect((/gz$/i.test(name) ? zlib.gunzipSync(bytes) : bytes).toString()).toMatch(expected);
  });

  it('may end in .zst where Node has it', async () => {
    const path = join(temporaryDirectory(), 'a.ndjson.zst');
    const list = ['dois', 'list', '--mine', '--limit', '1', '--out', path];
    const { code, stderr } = await emulator.run(list);
    if (!('createZstdCompress' in zlib)) {
      expect([code, stderr]).toEqual([2, /this Node cannot write Zstandard/]);
    } else {
      expect((await emulator.run(['dois', 'validate', '--file', path])).stderr).toContain('record');
      expect(readFileSync(path).subarray(0, 4).toString('hex')).toBe('28b52ffd');
    }
  });
});
